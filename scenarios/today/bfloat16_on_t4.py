# tocuda, Apache-2.0.
"""is_bf16_supported() is true on GPUs older than compute capability 8.0, because it counts emulation."""

from worker_python.attempt import NO_ERROR, attempt, say_attempt
from worker_python.evidence import Undecided
from worker_python.judging import judge_each
from worker_python.scenario import REFUTED, REPRODUCED, Needs, Scenario, Variant

NATIVE_FROM = (8, 0)


def observe(see, variant):
    import torch

    see("capability", list(torch.cuda.get_device_capability()))
    see("supported", torch.cuda.is_bf16_supported())
    see("supported.natively", torch.cuda.is_bf16_supported(including_emulation=False))
    one = torch.ones(2, dtype=torch.bfloat16)
    say_attempt(see, "move", attempt(lambda: one.to("cuda")))


def judge_support(evidence):
    capability = tuple(evidence.list("capability"))
    if len(capability) != 2 or not all(type(part) is int for part in capability) or capability >= NATIVE_FROM:
        raise Undecided("this GPU has bfloat16, so that the question does not arise")
    if evidence.text("move.handled") != NO_ERROR:
        raise Undecided("a bfloat16 tensor does not move")
    version = ".".join(str(part) for part in capability)
    if not evidence.flag("supported"):
        return REFUTED, f"compute capability {version}: is_bf16_supported() is False"
    native = evidence.flag("supported.natively")
    return REPRODUCED, f"compute capability {version}: True; without emulation {native}"


def judge(evidence, say):
    judge_each(say, evidence, {"T-15": judge_support})


SCENARIO = Scenario(
    summary="ask a T4 for bfloat16: is_bf16_supported() with and without emulation",
    observed="is_bf16_supported(), the same without emulation, and a bfloat16 tensor's move, on an older GPU",
    decisive="the answer on a GPU below compute capability 8.0, which has no bfloat16 of its own",
    claims={"T-15": "is_bf16_supported() is True on a T4"},
    variants=(Variant("default", {"T-15": REPRODUCED}, simulate="1xT4"),),
    needs=Needs(gpus=1, compute_capability="below 8.0"),
)
