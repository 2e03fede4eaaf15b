# tocuda, Apache-2.0.
"""CUDA_VISIBLE_DEVICES is read when CUDA is first queried, not when torch is imported. Set later, it is ignored,
without an error: the GPUs that it hides still work, although device_count() may say that they are hidden."""

import os

from worker_python.attempt import NO_ERROR, attempt, say_attempt
from worker_python.evidence import Undecided
from worker_python.forked import in_forked_child
from worker_python.judging import judge_each
from worker_python.scenario import PARTIAL, REFUTED, REPRODUCED, Needs, Scenario, Variant

NAMES = {
    "import": "the import",
    "device_count": "device_count()",
    "is_available": "is_available()",
    "tensor": "the first tensor",
}
INVALID_DEVICE = 101


def last_visible():
    """The last of the GPUs that this process may use, as CUDA_VISIBLE_DEVICES names it."""
    return os.environ.get("CUDA_VISIBLE_DEVICES", "0,1").split(",")[-1]


def hide_all_but_one(see, name, torch):
    os.environ["CUDA_VISIBLE_DEVICES"] = last_visible()
    see(f"{name}.then_device_count", torch.cuda.device_count())
    say_attempt(see, f"{name}.cuda:1", attempt(lambda: torch.zeros(2).to("cuda:1")))
    say_attempt(see, f"{name}.cuda:0", attempt(lambda: torch.zeros(2).to("cuda:0")))


def observe(see, variant):
    import torch

    before = {
        "import": lambda: None,
        "device_count": torch.cuda.device_count,
        "is_available": torch.cuda.is_available,
        "tensor": lambda: torch.zeros(2).to("cuda:0"),
    }
    for name, first in before.items():
        in_forked_child(see, name, lambda see, name=name, first=first: (first(), hide_all_but_one(see, name, torch)))
    in_forked_child(see, "count", lambda see: count_twice(see, torch))


def count_twice(see, torch):
    see("count.before", torch._C._cuda_getDeviceCount())
    hide_all_but_one(see, "count", torch)
    see("count.after", torch._C._cuda_getDeviceCount())


def heeded(evidence, name):
    """Whether a GPU is hidden that was not before. The other one must work."""
    if evidence.integer(f"{name}.ended_by") != 0 or evidence.text(f"{name}.cuda:0.handled") != NO_ERROR:
        raise Undecided("no GPU works on this machine")
    if evidence.text(f"{name}.cuda:1.handled") == NO_ERROR:
        return False
    if evidence.integer(f"{name}.cuda:1.code") != INVALID_DEVICE:
        raise Undecided("cuda:1 fails for another reason than an invalid device")
    return True


def judge_import(evidence):
    if not heeded(evidence, "import"):
        return REPRODUCED, "set after the import it is ignored: cuda:1 still works"
    late = [NAMES[name] for name in NAMES if not heeded(evidence, name)]
    if not late:
        return REFUTED, "it hides a GPU even when it is set after the first tensor"
    return PARTIAL, f"set after the import it hides cuda:1; after {late[0]} it is ignored"


def judge_count(evidence):
    before, after = evidence.integer("count.before"), evidence.integer("count.after")
    if before < 2:
        raise Undecided("there was no GPU to hide")
    if heeded(evidence, "count") or after < before:
        return REFUTED, f"set after the first count it hides a GPU: {before} before, {after} after"
    guess = evidence.integer("count.then_device_count")
    return REPRODUCED, f"the driver's count stays {after}, and cuda:1 works; device_count() says {guess}"


def judge(evidence, say):
    judge_each(say, evidence, {"T-14": judge_import, "T-21": judge_count})


SCENARIO = Scenario(
    summary="set CUDA_VISIBLE_DEVICES in the program: after the import, after a query, too late",
    observed=(
        "whether cuda:1 works after CUDA_VISIBLE_DEVICES hides it: set after the import, device_count(), "
        "is_available(), the first tensor and the driver's count"
    ),
    decisive="error 101 for cuda:1 while cuda:0 works shows that the variable was heeded",
    claims={
        "T-14": "CUDA_VISIBLE_DEVICES must precede import",
        "T-21": "set after the first count: no effect",
    },
    variants=(Variant("default", {"T-14": PARTIAL, "T-21": REPRODUCED}),),
    needs=Needs(gpus=2),
)
