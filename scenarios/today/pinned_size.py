# tocuda, Apache-2.0.
"""PyTorch's allocator of pinned memory takes a power of two, up to twice what is asked."""

from worker_python.evidence import Undecided
from worker_python.judging import judge_each
from worker_python.scenario import REFUTED, REPRODUCED, Needs, Scenario, Variant

MIB = 1 << 20
SIZES = (32, 33)  # MiB: a power of two, and one that is none


def taken(torch, size):
    before = torch.cuda.host_memory_stats().get("allocated_bytes.current", 0)
    kept = torch.empty(size * MIB, dtype=torch.uint8, pin_memory=True)
    return kept, torch.cuda.host_memory_stats()["allocated_bytes.current"] - before


def observe(see, variant):
    import torch

    torch.zeros(2).to("cuda")
    kept = []
    for size in SIZES:
        tensor, amount = taken(torch, size)
        kept.append(tensor)
        see(f"{size}.pinned", tensor.is_pinned())
        see(f"{size}.taken", amount)


def judge_size(evidence):
    whole, odd = SIZES
    if not evidence.flag(f"{whole}.pinned") or not evidence.flag(f"{odd}.pinned"):
        raise Undecided("no memory was pinned")
    if evidence.integer(f"{whole}.taken") != whole * MIB:
        raise Undecided("even a power of two does not take what was asked")
    amount = evidence.integer(f"{odd}.taken")
    said = f"{odd} MiB of pinned memory take {amount // MIB} MiB, {whole} MiB take {whole}"
    if amount == odd * MIB:
        return REFUTED, said
    if amount != 2 * whole * MIB:
        raise Undecided(f"{odd} MiB take {amount} bytes")
    return REPRODUCED, said


def judge(evidence, say):
    judge_each(say, evidence, {"T-07": judge_size})


SCENARIO = Scenario(
    summary="pin_memory of 32 and of 33 MiB: what the host pays",
    observed="by how much the pinned memory of PyTorch's allocator grows with a tensor of 32 and one of 33 MiB",
    decisive="64 MiB for a tensor of 33 MiB",
    claims={"T-07": "pinned blocks round up to a power of two"},
    variants=(Variant("default", {"T-07": REPRODUCED}),),
    needs=Needs(gpus=1),
)
