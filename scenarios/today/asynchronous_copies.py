# tocuda, Apache-2.0.
"""What non_blocking=True promises: a copy to the CPU has not arrived when the call returns, a copy from pinned memory
reads its source later, but a pinned source that is dropped is not given to somebody else before it was read.

The stream is held, so that the answers do not depend on how fast a copy is, and count only if it was still busy
afterwards. A simulated GPU makes a held copy after about a millisecond all the same: there a copy that was seen to be
late decides, and one that was not decides nothing."""

from worker_python.evidence import Undecided
from worker_python.judging import judge_each
from worker_python.scenario import REFUTED, REPRODUCED, Needs, Scenario, Variant

ELEMENTS = 1 << 16
CYCLES = 400_000_000  # about a quarter of a second on a GPU
TRIES = 8  # the first also load what the others need
OLD, NEW = 1.0, 2.0


def hold(torch):
    torch.cuda.synchronize()
    torch.cuda._sleep(CYCLES)


def is_busy(torch):
    return not torch.cuda.current_stream().query()


def until_late(once):
    """Repeats until the stream was still busy, and the copy late where that is what is looked for."""
    for _ in range(TRIES):
        seen = once()
        if seen["busy"] and seen.get("late", True):
            return seen
    return seen


def read_at_once(torch, source):
    hold(torch)
    arrived = source.to("cpu", non_blocking=True)
    early = arrived[-1].item()
    busy = is_busy(torch)
    torch.cuda.synchronize()
    after = arrived[-1].item()
    arrived.fill_(OLD)  # the next try gets the same memory, and must not find the new value there
    return {"busy": busy, "late": early != NEW, "pinned": arrived.is_pinned(), "after": after}


def change_source(torch, pinned):
    source = torch.full((ELEMENTS,), OLD)
    source = source.pin_memory() if pinned else source
    hold(torch)
    target = source.to("cuda", non_blocking=True)
    source[-1] = NEW
    busy = is_busy(torch)
    torch.cuda.synchronize()
    arrived = target.cpu()[-1].item()
    return {"busy": busy, "late": arrived == NEW, "pinned": source.is_pinned(), "arrived": arrived}


def is_given_away(torch, address):
    """Asks for more blocks than the allocator can have in store, and writes to all of them."""
    others = [torch.full((ELEMENTS,), NEW, pin_memory=True) for _ in range(2 * TRIES)]
    return any(other.data_ptr() == address for other in others)


def drop_source(torch):
    source = torch.full((ELEMENTS,), OLD).pin_memory()
    address = source.data_ptr()
    hold(torch)
    target = source.to("cuda", non_blocking=True)
    del source
    reused = is_given_away(torch, address)
    busy = is_busy(torch)
    torch.cuda.synchronize()
    return {"busy": busy, "reused": reused, "arrived": target.cpu()[-1].item()}


def is_reused_when_idle(torch):
    """The control: memory that no copy needs is given to the next who asks."""
    torch.cuda.synchronize()
    source = torch.empty(ELEMENTS, pin_memory=True)
    address = source.data_ptr()
    del source
    return is_given_away(torch, address)


def observe(see, variant):
    import torch

    source = torch.full((ELEMENTS,), NEW).to("cuda")
    rounds = {
        "read": lambda: read_at_once(torch, source),
        "changed": lambda: change_source(torch, pinned=True),
        "pageable": lambda: change_source(torch, pinned=False),
        "dropped": lambda: drop_source(torch),
    }
    for name, once in rounds.items():
        for key, value in (once() if name == "pageable" else until_late(once)).items():
            see(f"{name}.{key}", value)
    see("idle.reused", is_reused_when_idle(torch))


def require_held(evidence, name):
    """Returns whether the copy was late."""
    if not evidence.flag(f"{name}.busy"):
        raise Undecided("the stream was not held long enough to see what happens before the copy")
    late = evidence.flag(f"{name}.late")
    if not late and evidence.device == "simulated":
        raise Undecided("the simulated copy was made before its time")
    return late


def judge_reading(evidence):
    late = require_held(evidence, "read")
    if evidence.number("read.after") != NEW:
        raise Undecided("the copy did not arrive at all")
    if not late:
        return REFUTED, "the values are there before the stream has passed"
    if not evidence.flag("read.pinned"):
        raise Undecided("the result is not in pinned memory")
    return REPRODUCED, "read at once: the old value; after synchronize() the right one"


def judge_changing(evidence):
    late = require_held(evidence, "changed")
    if not evidence.flag("changed.pinned") or evidence.number("pageable.arrived") != OLD:
        raise Undecided("the sources are not as they should be, or the pageable one is copied wrong")
    if evidence.number("changed.arrived") != (NEW if late else OLD):
        raise Undecided("something else arrived")
    if not late:
        return REFUTED, "a pinned source changed after the call arrives as it was before"
    return REPRODUCED, "a pinned source changed after the call arrives changed, a pageable one not"


def judge_dropping(evidence):
    if not evidence.flag("dropped.busy"):
        raise Undecided("the stream was not held long enough to see what happens before the copy")
    if evidence.flag("dropped.reused"):
        return REPRODUCED, "a dropped pinned source is given away before it was copied"
    if evidence.number("dropped.arrived") != OLD or not evidence.flag("idle.reused"):
        raise Undecided("something else arrived, or memory is never given away")
    return REFUTED, "a dropped pinned source is given away only after the copy has read it"


def judge(evidence, say):
    judge_each(say, evidence, {"T-04": judge_reading, "T-05": judge_changing, "T-06": judge_dropping})


SCENARIO = Scenario(
    summary="non_blocking=True: read, change or drop pin_memory() tensors before a copy has run",
    observed="values read before and after the stream has passed, and who gets a dropped pinned source's memory",
    decisive="an old value read, or a new one copied, while the stream was still busy shows that copies are late",
    claims={
        "T-04": "to(cpu, non_blocking) is not waited for",
        "T-05": "changing a pinned source corrupts data",
        "T-06": "a dropped pinned source: use after free",
    },
    variants=(Variant("default", {"T-04": REPRODUCED, "T-05": REPRODUCED, "T-06": REFUTED}),),
    needs=Needs(gpus=1),
)
