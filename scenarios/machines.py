# tocuda, Apache-2.0.
"""Machines on which scenarios and benchmarks have to be right although they are not a big GPU that is free: profiles of
simulated GPUs, made from the built-in ones, that are planned for as real ones are."""

import fnmatch
import json
import pathlib
import re

PROFILES = pathlib.Path(__file__).resolve().parents[1] / "simulator/profiles"
GIB = 1 << 30


def gpu(profile, name=None, figures=None, **conditions):
    """Returns the profile of a GPU: a built-in one, with other figures, and what is done to it."""
    known = json.loads((PROFILES / f"{profile}.json").read_text())
    return {
        "name": name or known["name"],
        "compute_capability": known["compute_capability"],
        "figures": {**known["figures"], **(figures or {})},
        "attributes": known.get("attributes", {}),
        **conditions,
    }


MACHINES = {
    "laptop": [
        gpu("RTX3090", "Laptop", {"memory_bytes": 4 * GIB, "multiprocessors": 16}, occupied_bytes=int(1.2 * GIB))
    ],
    "t4": [gpu("T4")],
    "v100": [gpu("V100")],
    "unequal": [gpu("RTX5090"), gpu("RTX3090", "RTX 3060", {"memory_bytes": 12 * GIB, "multiprocessors": 28})],
    "mig": [
        gpu(
            "H100",
            "H100 MIG 1g.10gb",
            {
                "memory_bytes": 10 * GIB,
                "multiprocessors": 16,
                "memory_bus_bits": 640,
                "memory_bytes_per_second": 419040000000,
            },
            mig=1,
        )
    ],
    "vgpu": [gpu("A100-40", "A100-10C", {"memory_bytes": 10 * GIB, "virtual_memory": 0, "managed_memory": 0})],
    "wsl2": [gpu("RTX4090", occupied_bytes=GIB, spill_bytes=16 * GIB, host_alloc_error=1)],
    "gh200": [gpu("GH200", reclaimable_bytes=60 * GIB)],
    "eight_h200": [gpu("H200")] * 8,
    "exclusive": [gpu("A100-40", figures={"compute_mode": 3})] * 2,
    "mps": [gpu("A100-40", memory_limit_bytes=10 * GIB)],
}

# The scenarios that such a machine has made fail, or could: what the suite runs there. Each of the others runs on most
# machines alike; `machines_test.py NAME all` runs them all.
CONCERNED = {
    "laptop": ["capacity/", "fragmentation/interleaved", "fragmentation/training_workload"],
    "t4": ["dtype/bfloat16_move", "dtype/double_move", "capacity/large_factory", "fragmentation/training_workload"],
    "v100": [
        "capacity/batch_size",
        "capacity/large_factory",
        "capacity/where_it_points",
        "dtype/",
        "environment/available_and_unusable",
        "environment/what_is_needed",
        "environment/without_cudnn",
        "transfer/",
        "unmoved/mixed_devices",
        "unmoved/operand_table",
        "unmoved/ways_to_the_gpu",
    ],
    "unequal": ["selection/"],
    "mig": ["capacity/oversize", "selection/visible_devices", "transfer/matmul_time"],
    "vgpu": ["fragmentation/", "today/allocator_settings"],
    "wsl2": ["capacity/ask_before_moving", "capacity/less_explicit", "capacity/oversize", "selection/busy_and_failing"],
    "gh200": ["capacity/ask_before_moving", "capacity/large_factory", "capacity/oversize", "transfer/pinned_source"],
    "eight_h200": ["capacity/large_factory", "python/unset_name", "selection/"],
    "exclusive": ["environment/available_and_unusable", "python/fork_after_init", "selection/"],
    "mps": ["capacity/", "fragmentation/interleaved"],
}

# What each row of a measurement says of the machine.
FLAGS = {"mig": {"mig_instance"}}

# Why verdicts may be open on every machine, because its GPUs are simulated: scenario, pattern of the reason.
SIMULATED = [
    ("*", "^needs a real GPU, because it compares speeds"),
    ("fragmentation/*", "^the driver's own pool decides this, and no real driver was used"),
    ("today/device_order", "^simulated GPUs have one order"),
    ("today/device_map", "^the Python package accelerate is not installed"),
    ("python/tensorflow_operation", "^the Python package tensorflow is not installed"),
    ("capacity/memory_levels", "^a simulated GPU has the levels that its profile says"),
    ("dtype/float8", "^these GPUs are of one generation"),
]
# The same on one machine, because of what is special about it.
LITTLE_FREE = ("*", "^the GPU('s memory did not suffice to begin| had only )")
GRANTS_MORE = [
    ("capacity/ask_before_moving", "^the driver grants more than it says is free"),
    ("selection/busy_and_failing", "^the driver found room on the full GPU"),
]
NO_KERNELS = [
    ("*", "no kernels for (this GPU|compute capability 7.0)"),
    ("environment/what_is_needed", "compute capability 7.0 is none of this build"),
    ("*", "AcceleratorError 209"),
]
# LibTorch asks its own allocator for cuBLAS's workspace, and a simulated cuBLAS asks for nothing more.
ALLOCATOR_FIRST = ("capacity/less_explicit", "^LibTorch's own allocator failed before cuBLAS did")
SPECIAL = {
    "laptop": [LITTLE_FREE],
    "v100": NO_KERNELS,
    "vgpu": [
        ALLOCATOR_FIRST,
        ("fragmentation/*", "^this GPU or its driver does not support it"),
        ("today/allocator_settings", "^this GPU or its driver does not support expandable segments"),
    ],
    "wsl2": GRANTS_MORE,
    "gh200": [LITTLE_FREE, *GRANTS_MORE],
    "exclusive": [("*", "^the GPU accepts no further process")],
    "mig": [ALLOCATOR_FIRST],
    "eight_h200": [ALLOCATOR_FIRST],
    "mps": [LITTLE_FREE, ALLOCATOR_FIRST],
}


def spec(name, folder):
    """Writes the machine's profiles into the folder; returns what --simulate takes."""
    parts = []
    for index, profile in enumerate(MACHINES[name]):
        file = pathlib.Path(folder) / f"{name}-{index}.json"
        file.write_text(json.dumps({**profile, "machine": {"planned_as_real": True}}))
        parts.append(f"1x{file}")
    return ",".join(parts)


def is_lacking(name, because):
    """Whether the machine lacks what a skipped variant says that it needs."""
    gpus = MACHINES[name]
    first = gpus[0]
    has = {
        r"^needs (\d+) GPUs?; ": len(gpus),
        r"^needs ([\d.]+) GiB ": first["figures"]["memory_bytes"] / GIB,
        r"^needs compute capability ([\d.]+);": float(first["compute_capability"]),
    }
    if below := re.match(r"needs compute capability below ([\d.]+);", because):
        return float(first["compute_capability"]) >= float(below[1])
    memories = [gpu["figures"]["memory_bytes"] for gpu in gpus]
    if because == "the first GPU is the largest":
        return memories[0] == max(memories)
    found = ((re.match(need, because), amount) for need, amount in has.items())
    return any(need and float(need[1]) > amount for need, amount in found)


def may_be_open(name, scenario, because):
    """Whether a verdict that is not the expected one may be open here, for this reason."""
    return is_lacking(name, because) or any(
        fnmatch.fnmatch(scenario, pattern) and re.search(reason, because)
        for pattern, reason in SIMULATED + SPECIAL.get(name, [])
    )
