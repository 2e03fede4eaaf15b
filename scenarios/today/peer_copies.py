# tocuda, Apache-2.0.
"""A link between two GPUs that loses data: PyTorch asks only whether peers can access each other, and copies without an
error."""

from worker_python.attempt import NO_ERROR, attempt, class_of, say_attempt
from worker_python.evidence import Undecided
from worker_python.judging import judge_each
from worker_python.scenario import REFUTED, REPRODUCED, Needs, Scenario, Variant

ELEMENTS = 1 << 16


def observe(see, variant):
    import torch

    source = torch.arange(float(ELEMENTS))
    on_first = source.to("cuda:0")
    see("first.equal", torch.equal(on_first.cpu(), source))
    see("can_access_peer", torch.cuda.can_device_access_peer(0, 1))
    copies = []
    say_attempt(see, "copy", attempt(lambda: (copies.append(on_first.to("cuda:1")), torch.cuda.synchronize(1))))
    see("copy.equal", [torch.equal(each.cpu(), source) for each in copies])
    see("by_host.equal", torch.equal(on_first.cpu().to("cuda:1").cpu(), source))


def judge_error(evidence):
    if not evidence.flag("can_access_peer"):
        raise Undecided("the GPUs have no access to each other's memory")
    if not evidence.flag("first.equal") or not evidence.flag("by_host.equal"):
        raise Undecided("copies by way of the host are wrong, too")
    if evidence.text("copy.handled") != NO_ERROR:
        return REFUTED, f"a copy that would be wrong raises {class_of(evidence, 'copy')}"
    if evidence.list("copy.equal") == [True]:
        raise Undecided("copies between these GPUs are right")
    return REPRODUCED, "a link set to lose data: access is reported, the copy is wrong, nothing raised"


def judge(evidence, say):
    judge_each(say, evidence, {"T-19": judge_error})


SCENARIO = Scenario(
    summary="copy between two GPUs whose peer access (P2P) is reported, over a link that loses data",
    observed="can_device_access_peer, a copy from cuda:0 to cuda:1 over a simulated link that loses it, and its values",
    decisive="wrong values without an error, while copies by way of the host are right",
    claims={"T-19": "PyTorch misses a wrong peer copy"},
    variants=(Variant("lost", {"T-19": REPRODUCED}, simulate="2x1GiB", faults=("peer 0 1 uncopied",)),),
    needs=Needs(gpus=2),
)
