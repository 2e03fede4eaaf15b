# tocuda, Apache-2.0.
"""current_accelerator() names what PyTorch was built for, whether or not it can be used."""

import warnings

from worker_python.attempt import NO_ERROR, attempt, say_attempt
from worker_python.evidence import Undecided
from worker_python.judging import judge_each
from worker_python.scenario import REFUTED, REPRODUCED, Scenario, Variant


def observe(see, variant):
    import torch

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        see("cuda.is_available", torch.cuda.is_available())
        see("accelerator.is_available", torch.accelerator.is_available())
        see("current", str(torch.accelerator.current_accelerator()))
        see("current.checked", str(torch.accelerator.current_accelerator(check_available=True)))
        named = torch.accelerator.current_accelerator() or "cpu"
        say_attempt(see, "use", attempt(lambda: torch.zeros(2, device=named)))


def judge_meaning(evidence):
    if evidence.flag("cuda.is_available") or evidence.flag("accelerator.is_available"):
        raise Undecided("there is a usable GPU, so that the question does not arise")
    current = evidence.text("current")
    if current == "None":
        return REPRODUCED, "without a driver it is None"
    if evidence.text("use.handled") == NO_ERROR:
        return REPRODUCED, f"without a driver it is {current}, and a tensor can be made there"
    checked = evidence.text("current.checked")
    return REFUTED, f"without a driver it is {current}, and using it raises; check_available=True: {checked}"


def judge(evidence, say):
    judge_each(say, evidence, {"X-accel": judge_meaning})


SCENARIO = Scenario(
    summary="ask torch.accelerator for the current accelerator where no driver is",
    observed="current_accelerator(), the same with check_available=True, and a tensor made there, without a driver",
    decisive="a device that is named and cannot be used shows that the name promises nothing",
    claims={"X-accel": "current_accelerator() means a usable GPU"},
    variants=(Variant("no_driver", {"X-accel": REFUTED}, fakes=("driver absent",)),),
)
