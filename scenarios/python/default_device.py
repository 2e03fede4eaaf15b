# tocuda, Apache-2.0.
"""A tensor is made on the CPU unless something says otherwise, with or without a GPU. Python can change the default,
and then no .to() is needed."""

from worker_python.attempt import NO_ERROR, attempt, say_attempt
from worker_python.evidence import Undecided
from worker_python.judging import judge_each
from worker_python.scenario import PARTIAL, REFUTED, REPRODUCED, Needs, Scenario, Variant


def observe_made(see, name, torch):
    made = []
    say_attempt(see, f"{name}.made", attempt(lambda: made.append(torch.empty(2))))
    see(f"{name}.device", str(made[0].device) if made else "")


def observe(see, variant):
    import torch

    see("is_available", torch.cuda.is_available())
    observe_made(see, "untouched", torch)
    torch.set_default_device("meta")
    observe_made(see, "set_to_meta", torch)
    torch.set_default_device("cuda")
    observe_made(see, "set_to_cuda", torch)
    torch.set_default_device(None)
    observe_made(see, "reset", torch)


def judge_default(evidence):
    for name in ("untouched", "reset"):
        device = evidence.text(f"{name}.device")
        if evidence.text(f"{name}.made.handled") != NO_ERROR:
            raise Undecided("no tensor was made")
        if device != "cpu":
            return REFUTED, f"a tensor made without a device is on {device}"
    there = "with" if evidence.flag("is_available") else "without"
    changed = evidence.text("set_to_meta.device") == "meta"
    effect = "changes that" if changed else "does not change that"
    return REPRODUCED, f"{there} a GPU a new tensor is on cpu; set_default_device() {effect}"


def judge_only_way(evidence):
    """Partial if a default device also puts a tensor on the GPU, reproduced if the tensor stays on the CPU."""
    if not evidence.flag("is_available") or evidence.text("set_to_cuda.made.handled") != NO_ERROR:
        raise Undecided("no GPU works on this machine")
    device = evidence.text("set_to_cuda.device")
    verdict = PARTIAL if device.startswith("cuda") else REPRODUCED
    return verdict, f'after set_default_device("cuda") a new tensor is on {device}'


def judge(evidence, say):
    judge_each(say, evidence, {"003-02": judge_default, "004-08": judge_only_way})


SCENARIO = Scenario(
    summary="find where a tensor without a device is made, and how Python can change that",
    observed="the device of a tensor made without one, before and after set_default_device()",
    decisive="the device must be cpu unless the default was changed, and cuda without .to() after it was",
    claims={
        "003-02": "the default device is the CPU",
        "004-08": "code must call .to() to use the GPU",
    },
    variants=(
        Variant("no_driver", {"003-02": REPRODUCED}, fakes=("driver absent",)),
        Variant("with_gpu", {"003-02": REPRODUCED, "004-08": PARTIAL}, needs=Needs(gpus=1)),
    ),
)
