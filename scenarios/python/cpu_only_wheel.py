# tocuda, Apache-2.0.
"""A CPU-only build answers every use of CUDA with an AssertionError, which `except RuntimeError` does not catch. PyPI
has no such wheel of the tested versions; in Python one function distinguishes the builds, and removing it makes the
same code run the same way."""

from worker_python.attempt import CAUGHT, ESCAPED, NO_ERROR, attempt, class_of, opening, say_attempt
from worker_python.evidence import Undecided
from worker_python.judging import judge_each
from worker_python.scenario import PARTIAL, REFUTED, REPRODUCED, Needs, Scenario, Variant

TAKEN = "_cuda_getDeviceCount"
NOT_COMPILED = "Torch not compiled with CUDA enabled"
WAYS = ("cuda()", "to(cuda:0)", "factory")


def look(see, build, torch):
    see(f"{build}.is_available", torch.cuda.is_available())
    tensor = torch.rand(5, 5)
    say_attempt(see, f"{build}.cuda()", attempt(tensor.cuda))
    say_attempt(see, f"{build}.to(cuda:0)", attempt(lambda: tensor.to("cuda:0")))
    say_attempt(see, f"{build}.factory", attempt(lambda: torch.empty(10000, 10000, device="cuda:0")))
    see(f"{build}.guarded.device", str((tensor.cuda() if torch.cuda.is_available() else tensor).device))


def observe(see, variant):
    import torch

    kept = getattr(torch._C, TAKEN)
    delattr(torch._C, TAKEN)  # before CUDA is initialised: a CPU-only build never is
    see("taken_away", f"torch._C.{TAKEN}")
    look(see, "cpu_only", torch)
    setattr(torch._C, TAKEN, kept)
    look(see, "built", torch)


def escapes(evidence, way):
    """False if the error is caught, as the documents expect; any other outcome is undecided."""
    handled = evidence.text(f"cpu_only.{way}.handled")
    if handled == CAUGHT:
        return False
    if handled != ESCAPED or class_of(evidence, f"cpu_only.{way}") != "AssertionError":
        raise Undecided(f"CPU-only build: the outcome of {way} is {handled}")
    return True


def built_is_handled(evidence, way):
    handled = evidence.text(f"built.{way}.handled")
    if handled not in (CAUGHT, NO_ERROR):
        raise Undecided(f"CUDA build: the outcome of {way} is {handled}")
    return "works" if handled == NO_ERROR else "is caught"


def judge_first_example(evidence):
    guarded = evidence.text("cpu_only.guarded.device")
    if evidence.flag("cpu_only.is_available") or guarded != "cpu":
        raise Undecided(f"CPU-only build: the guarded move ends on {guarded}")
    built = f".cuda() {built_is_handled(evidence, 'cuda()')}; CPU-only build: "
    if not escapes(evidence, "cuda()"):
        return REPRODUCED, f"{built}it is caught"
    return PARTIAL, f"{built}{class_of(evidence, 'cpu_only.cuda()')} escapes"


def judge_need_of_cuda_build(evidence):
    for way in WAYS:
        if evidence.text(f"cpu_only.{way}.handled") == NO_ERROR:
            return REFUTED, f"CPU-only build: {way} works"
    if not evidence.text("cpu_only.cuda().message").startswith(NOT_COMPILED):
        raise Undecided(f"CPU-only build: another error, {class_of(evidence, 'cpu_only.cuda()')}")
    return REPRODUCED, f'CPU-only build: "{opening(evidence.text("cpu_only.cuda().message"))}"'


def judge_third_example(evidence):
    built = f"CUDA build: 381.5 MiB {built_is_handled(evidence, 'factory')}; CPU-only build: "
    if escapes(evidence, "factory"):
        return PARTIAL, f"{built}{class_of(evidence, 'cpu_only.factory')} escapes"
    return REPRODUCED, f"{built}it is caught"


def judge(evidence, say):
    evidence.text("taken_away")
    judge_each(
        say,
        evidence,
        {
            "000-E1": judge_first_example,
            "004-06": judge_need_of_cuda_build,
            "004-E3": judge_third_example,
        },
    )


EXPECTED = {"000-E1": PARTIAL, "004-06": REPRODUCED, "004-E3": PARTIAL}
SCENARIO = Scenario(
    summary="use CUDA from Python with a build that has none",
    observed="the exception of each way to the GPU with torch._C._cuda_getDeviceCount removed, and with it in place",
    decisive="the exception's class: `except RuntimeError` does not catch an AssertionError",
    claims={
        "000-E1": ".cuda() without a check: RuntimeError",
        "004-06": "PyTorch must be built with CUDA",
        "004-E3": "the handler recognises memory errors",
    },
    variants=(
        Variant("no_driver", EXPECTED, fakes=("driver absent",)),
        # With a GPU the CUDA build works, which only the first example is about.
        Variant("with_gpu", {"000-E1": PARTIAL}, needs=Needs(gpus=1)),
    ),
)
