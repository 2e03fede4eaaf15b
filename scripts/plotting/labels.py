# tocuda, Apache-2.0.
"""What rows are called beside one another, and in which order they stand."""

import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
from roles import descriptions, described, place_of, role_of  # noqa: E402, F401
from units import size_text  # noqa: E402

# Parameters that only tune a mechanism: of its settings the fastest is drawn.
TUNING = {
    "blocks", "blocks_each", "cache", "chunk", "element_bytes", "hint", "in_flight", "l2", "order", "ring", "stages",
    "streams", "threads", "tile_bytes", "tiles", "wait",
}  # fmt: skip


def tuning_of(benchmark):
    """Those of one benchmark: without what it says that pictures compare, with the GPUs if the slowest are drawn."""
    role = role_of(benchmark)
    compared = role.get("compared", ())
    return set() if "*" in compared else (TUNING | ({"from", "to"} if role.get("slowest") else set())) - {*compared}


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
    """The heading of a benchmark, or its first folder."""
    return role_of(benchmark).get("heading") or benchmark.split("/")[0]


def value_text(name, value):
    return size_text(value) if name in ("block", "chunk") and isinstance(value, int) else value


def settings_of(curve):
    tuning = tuning_of(curve.benchmark) & TUNING  # without GPUs
    return ", ".join(f"{name} {value}" for name, value in curve.parameters.items() if name in tuning)


AT_ONCE = "at_once"  # how many processes shared what a row measures


def labels_of(curves, settings=True, without=()):
    """The label of each curve beside the others: its mechanism and the parameters in which like ones differ, but not
    those named `without`, nor, if not `settings`, those that only tune it."""
    labels = {}
    for curve in curves:
        alike = [other.parameters for other in curves if other.benchmark == curve.benchmark]
        hidden = {*without, *(() if settings else tuning_of(curve.benchmark))}
        named = [name for name in curve.parameters if name not in hidden]
        varying = [name for name in named if name != AT_ONCE and len({str(one.get(name)) for one in alike}) > 1]
        said = [f"{name} {value_text(name, curve.parameters[name])}".replace("_", " ") for name in varying]
        if AT_ONCE in curve.parameters:
            said.append(f"one of {curve.parameters[AT_ONCE]} at once")
        if curve.peer and len({other.peer for other in curves if other.benchmark == curve.benchmark}) > 1:
            said.append(f"peer {curve.peer[:12]}")
        labels[curve.key] = ", ".join([curve.benchmark.rsplit("/", 1)[-1].replace("_", " "), *said])
    return labels
