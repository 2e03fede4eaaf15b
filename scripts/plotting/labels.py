# tocuda, Apache-2.0.
"""What rows are called beside one another, and in which order they stand."""

from units import size_text

# Parameters that only tune a mechanism: of its settings the fastest is drawn.
TUNING = {
    "blocks", "blocks_each", "cache", "chunk", "element_bytes", "hint", "in_flight", "l2", "order", "ring", "stages",
    "streams", "threads", "tile_bytes", "tiles", "wait",
}  # fmt: skip

PLACES = {
    "arithmetic": "arithmetic, in registers and on memory (roofline)",
    "atomics": "atomic operations",
    "copy/host_to_device": "to the GPU",
    "copy/device_to_host": "to the host",
    "copy/both_ways": "both ways at once",
    "copy/device_to_device": "copy in the GPU",
    "copy/host_to_host": "in the host",
    "convert/host_to_device": "converting, to the GPU",
    "convert/device": "converting, in the GPU",
    "framework": "LibTorch",
    "host": "by the host's processors",
    "load": "loading",
    "save": "saving",
    "pairs": "several GPUs at once",
    "pairs/managed": "managed memory",
    "pairs/rows": "rows with gaps",
}


def tuning_of(benchmark):
    """Those of one benchmark. Calls and searches are about their settings; in `load/` and `save/`, `cache` and `order`
    are those of a file, in `framework/`, `cache` is the allocator's; of `pairs/` the slowest GPUs are drawn."""
    if benchmark.startswith(("calls/", "tune/")):
        return set()
    if benchmark.startswith(("load/", "save/", "framework/")):
        return TUNING - {"cache", "order"}
    return TUNING | {"from", "to"} if benchmark.startswith("pairs/") else TUNING


# The mechanisms that come first where not all fit.
KNOWN = ("pinned", "pageable", "staged", "zero_copy", "managed", "write_combined", "registered", "registering")


def rank(curve, known=KNOWN):
    """A sort key: those that are known come first."""
    name = curve.benchmark.rsplit("/", 1)[-1]
    return known.index(name) if name in known else len(known), name


def by_value(curve):
    """A sort key: numbers by value."""
    values = sorted(curve.parameters.items())
    return [(name, *((0, one, "") if isinstance(one, (int, float)) else (1, 0, str(one)))) for name, one in values]


def where(benchmark):
    """The folder of a benchmark in words, or the benchmark."""
    return PLACES.get(benchmark) or PLACES.get(benchmark.rsplit("/", 1)[0], benchmark.split("/")[0])


def value_text(name, value):
    return size_text(value) if name in ("block", "chunk") and isinstance(value, int) else value


def settings_of(curve):
    tuning = tuning_of(curve.benchmark) & TUNING  # without GPUs
    return ", ".join(f"{name} {value}" for name, value in curve.parameters.items() if name in tuning)


def labels_of(curves, settings=True, without=()):
    """The label of each curve beside the others: its mechanism and the parameters in which like ones differ, but not
    those named `without`, nor, if not `settings`, those that only tune it."""
    labels = {}
    for curve in curves:
        alike = [other.parameters for other in curves if other.benchmark == curve.benchmark]
        hidden = {*without, *(() if settings else tuning_of(curve.benchmark))}
        named = [name for name in curve.parameters if name not in hidden]
        varying = [name for name in named if len({str(one.get(name)) for one in alike}) > 1]
        said = [f"{name} {value_text(name, curve.parameters[name])}".replace("_", " ") for name in varying]
        if curve.peer and len({other.peer for other in curves if other.benchmark == curve.benchmark}) > 1:
            said.append(f"peer {curve.peer[:12]}")
        labels[curve.key] = ", ".join([curve.benchmark.rsplit("/", 1)[-1].replace("_", " "), *said])
    return labels
