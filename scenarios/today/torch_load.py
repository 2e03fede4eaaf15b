# tocuda, Apache-2.0.
"""torch.load puts tensors back on the GPU that they were saved from, whichever is current; map_location="cuda" means
the current one."""

import io

from worker_python.attempt import attempt, say_attempt
from worker_python.evidence import Undecided
from worker_python.judging import judge_each
from worker_python.scenario import REFUTED, REPRODUCED, Needs, Scenario, Variant

WAYS = {"plain": {}, "cuda": {"map_location": "cuda"}, "cpu": {"map_location": "cpu"}}


def observe(see, variant):
    import torch

    saved = io.BytesIO()
    torch.save(torch.ones(2).to("cuda:0"), saved)
    with torch.cuda.device(1):
        see("current", torch.cuda.current_device())
        for name, words in WAYS.items():
            loaded = []
            saved.seek(0)
            say_attempt(see, name, attempt(lambda words=words: loaded.append(torch.load(saved, **words))))
            see(f"{name}.devices", [str(each.device) for each in loaded])


def device(evidence, name):
    devices = evidence.list(f"{name}.devices")
    if evidence.integer("current") != 1 or len(devices) != 1 or type(devices[0]) is not str:
        raise Undecided("nothing was loaded while cuda:1 was current")
    return devices[0]


def judge_plain(evidence):
    found = device(evidence, "plain")
    said = f"saved from cuda:0, loaded while cuda:1 is current: on {found}"
    if found == "cuda:0":
        return REPRODUCED, said
    return REFUTED, said


def judge_map_location(evidence):
    found = device(evidence, "cuda")
    if found == "cuda:0":
        return REPRODUCED, 'with map_location="cuda" and cuda:1 current it is on cuda:0'
    if found != "cuda:1":
        raise Undecided(f"it is on {found}")
    return REFUTED, 'map_location="cuda" is the current GPU: cuda:1'


def judge(evidence, say):
    judge_each(say, evidence, {"T-26": judge_plain, "T-30": judge_map_location})


SCENARIO = Scenario(
    summary="torch.load a tensor saved from cuda:0 while cuda:1 is current, with and without map_location",
    observed="the devices of a tensor that was saved from cuda:0 and loaded in three ways while cuda:1 is current",
    decisive="the device on which each way puts it",
    claims={
        "T-26": "torch.load goes back to the saved GPU",
        "T-30": 'map_location="cuda" is cuda:0 even now',
    },
    variants=(Variant("default", {"T-26": REPRODUCED, "T-30": REFUTED}),),
    needs=Needs(gpus=2),
)
