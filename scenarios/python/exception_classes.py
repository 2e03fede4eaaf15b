# tocuda, Apache-2.0.
"""If the driver is missing, too old or has no GPU, every way raises a plain RuntimeError in Python, and so does a
tensor that is too large for the host: the class alone does not tell the reasons apart."""

import warnings

from worker_python.attempt import CAUGHT, NO_ERROR, attempt, class_of, opening, say_attempt
from worker_python.evidence import Undecided
from worker_python.judging import judge_each
from worker_python.scenario import PARTIAL, REFUTED, REPRODUCED, Scenario, Variant

WAYS = ("cuda()", "to(cuda)", "to(cuda:0)", "factory", "init")
NAMED = (
    "Found no NVIDIA driver on your system",
    "The NVIDIA driver on your system is too old",
    "No CUDA GPUs are available",
)
TOO_OLD = NAMED[1]
HOST_IS_FULL = "DefaultCPUAllocator: can't allocate memory"


def observe_check(see, torch):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        see("is_available", torch.cuda.is_available())
    see("is_available.warnings", [f"{each.category.__name__}: {each.message}" for each in caught])


def observe(see, variant):
    import torch

    observe_check(see, torch)
    tensor = torch.rand(5, 5)
    say_attempt(see, "cuda()", attempt(tensor.cuda))
    say_attempt(see, "to(cuda)", attempt(lambda: tensor.to("cuda")))
    say_attempt(see, "to(cuda:0)", attempt(lambda: tensor.to("cuda:0")))
    say_attempt(see, "factory", attempt(lambda: torch.empty(2, device="cuda")))
    say_attempt(see, "init", attempt(torch.cuda.init))
    say_attempt(see, "host", attempt(lambda: torch.empty(1 << 50)))
    see("tensor.device", str(tensor.device))


def way_that_worked(evidence):
    """Returns None if every way raised."""
    return next((way for way in WAYS if evidence.text(f"{way}.handled") == NO_ERROR), None)


def named_by_all(evidence):
    """Returns the reason if every way raised a plain RuntimeError that names the same one."""
    reasons = {
        next((reason for reason in NAMED if evidence.text(f"{way}.message").startswith(reason)), None) for way in WAYS
    }
    plain = all(class_of(evidence, way) == "RuntimeError" for way in WAYS)
    if not plain or len(reasons) != 1 or None in reasons:
        raise Undecided(f"the ways differ, or name another reason: {class_of(evidence, 'cuda()')}")
    return reasons.pop()


def judge_nothing_works(evidence):
    worked = way_that_worked(evidence)
    if worked:
        return REFUTED, f"without a usable GPU {worked} works"
    if evidence.flag("is_available"):
        raise Undecided("is_available() is true")
    named_by_all(evidence)
    return REPRODUCED, f'every way raises RuntimeError "{opening(evidence.text("cuda().message"))}"'


def judge_meaning(evidence):
    if way_that_worked(evidence):
        raise Undecided("CUDA is available")
    if evidence.text("cuda().handled") != CAUGHT:
        if class_of(evidence, "cuda()") != "AssertionError":
            raise Undecided(f"the error is a different one: {class_of(evidence, 'cuda()')}")
        return REFUTED, f"the error is no RuntimeError but {class_of(evidence, 'cuda()')}"
    named_by_all(evidence)
    if class_of(evidence, "host") != "RuntimeError" or HOST_IS_FULL not in evidence.text("host.message"):
        raise Undecided("a tensor that is too large for the host does not raise a RuntimeError")
    return PARTIAL, "RuntimeError without CUDA, but also for 4 PiB on the CPU"


def judge_mismatch(evidence):
    worked = way_that_worked(evidence)
    if worked:
        return REPRODUCED, f"with too old a driver {worked} does not raise"
    warned = [each for each in evidence.list("is_available.warnings") if type(each) is str and TOO_OLD in each]
    if named_by_all(evidence) != TOO_OLD or not warned:
        raise Undecided("the driver is not refused as too old, or is_available() does not warn")
    return REFUTED, f"every way raises {class_of(evidence, 'cuda()')}, driver too old; is_available() warns"


def judge(evidence, say):
    judge_each(say, evidence, {"000-02": judge_nothing_works, "000-10": judge_meaning, "001-05": judge_mismatch})


SCENARIO = Scenario(
    summary="find which exception class Python raises when CUDA cannot be used",
    observed=(
        "class and text of what each way to the GPU and a tensor too large for the host raise, and the warnings "
        "of is_available()"
    ),
    decisive=(
        "every way must raise a plain RuntimeError with the same reason; the host's own RuntimeError shows that "
        "the class alone does not tell"
    ),
    claims={
        "000-02": "without library or driver nothing works",
        "000-10": "a RuntimeError means CUDA is missing",
        "001-05": "a version mismatch raises no error",
    },
    variants=(
        Variant("no_driver", {"000-02": REPRODUCED, "000-10": PARTIAL}, fakes=("driver absent",)),
        Variant("driver_12080", {"001-05": REFUTED}, fakes=("driver 12080",)),
        Variant("init_100", {"000-02": REPRODUCED}, fakes=("driver 13000 init 100",)),
    ),
)
