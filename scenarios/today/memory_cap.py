# tocuda, Apache-2.0.
"""What set_per_process_memory_fraction limits, and what the hint in an out-of-memory error says: the cap is that of
PyTorch's allocator alone, and the hint comes whether or not memory is fragmented."""

import ctypes
import re

from worker_python.attempt import NO_ERROR, attempt, class_of, say_attempt
from worker_python.evidence import Undecided
from worker_python.judging import judge_each
from worker_python.scenario import REFUTED, REPRODUCED, Needs, Scenario, Variant

MIB = 1 << 20
CAP_MIB, TOO_MUCH_MIB = 128, 192
HINT = "to avoid fragmentation"
HELD = re.compile(r"([0-9.]+ \w+) is reserved by PyTorch but unallocated")


def observe_beside(see):
    """The runtime that PyTorch uses, asked directly, as other libraries of a process do."""
    runtime, address = ctypes.CDLL(None), ctypes.c_void_p()
    size = TOO_MUCH_MIB * MIB
    see("beside.error", runtime.cudaMalloc(ctypes.byref(address), ctypes.c_size_t(size)))
    see("beside.released", runtime.cudaFree(address))


def observe(see, variant):
    import torch

    total = torch.cuda.get_device_properties(0).total_memory
    torch.cuda.set_per_process_memory_fraction((CAP_MIB * MIB + 0.5) / total)
    small = torch.empty(MIB, dtype=torch.uint8, device="cuda")
    del small
    torch.cuda.empty_cache()
    see("unused", torch.cuda.memory_reserved() - torch.cuda.memory_allocated())
    tried = attempt(lambda: torch.empty(TOO_MUCH_MIB * MIB, dtype=torch.uint8, device="cuda"))
    say_attempt(see, "capped", tried)
    see("capped.hint", HINT in tried.message)
    see("capped.held", (HELD.findall(tried.message) or ["unknown"])[0])
    observe_beside(see)


def refused(evidence):
    if evidence.text("capped.handled") == NO_ERROR:
        return False
    if class_of(evidence, "capped") != "torch.OutOfMemoryError":
        raise Undecided(f"the request is refused with another error: {class_of(evidence, 'capped')}")
    return True


def judge_cap(evidence):
    if not refused(evidence):
        return REPRODUCED, f"with {CAP_MIB} MiB allowed, a tensor of {TOO_MUCH_MIB} MiB is made"
    if evidence.integer("beside.error") == 0:
        return REPRODUCED, f"{CAP_MIB} MiB allowed: a tensor of {TOO_MUCH_MIB} is refused, cudaMalloc of as much is not"
    if evidence.integer("beside.error") != 2:
        raise Undecided("cudaMalloc fails for another reason than memory")
    return REFUTED, f"{CAP_MIB} MiB allowed: a tensor and a cudaMalloc of {TOO_MUCH_MIB} MiB are refused"


def judge_hint(evidence):
    if not refused(evidence) or evidence.integer("unused") != 0:
        raise Undecided("nothing was refused, or there was memory that could be fragmented")
    if evidence.flag("capped.hint"):
        return REPRODUCED, f'the hint "{HINT}" comes with {evidence.text("capped.held")} unallocated'
    return REFUTED, "without unallocated memory there is no hint of fragmentation"


def judge(evidence, say):
    judge_each(say, evidence, {"T-10": judge_hint, "T-11": judge_cap})


SCENARIO = Scenario(
    summary="cap the memory fraction; read the fragmentation hint of an out-of-memory error",
    observed="a tensor above the cap, its error's hint and amounts, and a cudaMalloc of as much beside PyTorch",
    decisive="memory beyond the cap, and a hint of fragmentation while nothing is reserved and unused",
    claims={
        "T-10": "OOM errors suggest expandable segments",
        "T-11": "the memory fraction is no cap",
    },
    variants=(Variant("default", {"T-10": REPRODUCED, "T-11": REPRODUCED}),),
    needs=Needs(gpus=1, free_gib=1.0),
)
