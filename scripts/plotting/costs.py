# tocuda, Apache-2.0.
"""The pictures of times: what precedes the first byte, and LibTorch's tax."""

from labels import by_value, labels_of, rank, where
import notes
from dots import MOST_ROWS, Dot, dot_sheet, from_zero, logarithmic, look_of
from lines import Line, line_sheet, sizes_of
from notes import facts, left
from source import common_size, pictured
from style import BLACK, MOST
from units import digits, size_text, time_text

BEFORE, TAXED, CALLS = "before-the-first-byte", "libtorch-tax", "calls"
# The operations that come first where not all fit.
KNOWN = ("to", "cpu", "pinned_to", "copy_to_gpu", "copy_to_host", "pin_memory_to", "full", "allocate")
FREQUENT = (
    "launch",
    "launch_rate",
    "synchronise",
    "event",
    "copy_one_byte",
    "pointer_attributes",
    "function_attribute",
)
RATIO = "time / the runtime's (above 1: slower)"


def before(source, wanted):
    """What must be paid before the first byte moves?"""
    every = [one for one in source.curves if pictured(one, BEFORE)]
    size = wanted or common_size(every)
    found = [(one, one.at(None) or one.at(size)) for one in every]
    found = sorted(((one, point) for one, point in found if point), key=lambda one: (one[0].benchmark, one[1].seconds))
    found.sort(key=lambda one: where(one[0].benchmark), reverse=True)
    sized = {where(one.benchmark) for one, point in found if point.bytes}

    def group_of(one):
        return f"to {where(one.benchmark)}" + (f" {size_text(size)}" if where(one.benchmark) in sized else "")

    question = "How long does it take before the first byte can move?"
    return times(source, every, found, BEFORE, question, group_of)


def calls(source, wanted):
    """What does a call of the runtime cost?"""
    every = [one for one in source.curves if pictured(one, CALLS)]
    found = [(one, one.sound[-1]) for one in every if one.sound]
    found.sort(key=lambda one: (rank(one[0], FREQUENT), one[1].seconds))
    return times(source, every, found, CALLS, "What does a call of the CUDA runtime cost?", lambda one: "")


def times(source, every, found, name, question, group_of):
    """The picture of `found` curves with a point of each."""
    if not found:
        return None
    source.show(found[:MOST_ROWS])
    curves = [curve for curve, _ in found]
    labels = labels_of(curves)
    dots = [
        Dot(
            labels[one.key],
            point.seconds,
            point.interval,
            time_text(point.seconds),
            look_of(one),
            group_of(one),
            point.raw("seconds"),
        )
        for one, point in found
    ]
    text = notes.of_run(source, curves, every, raw=True) + [left([dot.label for dot in dots], MOST_ROWS)]
    words = question, facts(source, curves), text, source.simulated
    return dot_sheet(name, words, dots[:MOST_ROWS], logarithmic(time_text, most=7), "time")[0]


def taxed(source):
    """The line of each operation through LibTorch: the ratio of the times by size."""
    said = {(one["id"], one.get("peer", "")): one for one in source.taxes}
    curves = sorted(
        (one for one in source.curves if pictured(one, TAXED)), key=lambda one: (rank(one, KNOWN), by_value(one))
    )
    points = {one.key: [(point.bytes, said.get((point.row["id"], one.peer))) for point in one.sized] for one in curves}
    curves = [one for one in curves if any(tax for _, tax in points[one.key])]
    labels = labels_of(curves)
    lines = []
    for one in curves:
        there = [(size, tax["ratio"], tax["ratio_interval"]) for size, tax in points[one.key] if tax]
        lines.append(Line(labels[one.key], there, one.hosted))
    return curves, lines


def tax(source, wanted):
    """What does LibTorch cost over the runtime alone?"""
    curves, lines = taxed(source)
    if not lines:
        return None
    names, sizes = [line.label for line in lines], sizes_of(lines)
    text = notes.of_run(source, curves, curves) + [
        "Ratio of the times through LibTorch and through the CUDA runtime alone, paired by process; intervals need "
        f"{notes.ENOUGH_PROCESSES} processes that measured both. Above 1: LibTorch is slower.",
        left(names, MOST),
    ]
    question = "What does LibTorch cost over the CUDA runtime alone"
    if len(sizes) == 1:
        words = f"{question}, at {size_text(sizes[0])}?", facts(source, curves), text, source.simulated
        dots = [Dot(line.label, ratio, ends, ratio_text(ratio)) for line in lines for _, ratio, ends in line.points]
        sheet, axes = dot_sheet(TAXED, words, dots[:MOST_ROWS], from_zero(ratio_text, 1.2), RATIO)
        axes.axvline(1, color=BLACK, linewidth=1.1)
        return sheet
    words = f"{question}?", facts(source, curves), text, source.simulated
    sheet, axes = line_sheet(TAXED, words, lines, ratio_text, kept=[1])
    axes.axhline(1, color=BLACK, linewidth=1.2)
    axes.set_ylabel(RATIO)
    return sheet


def ratio_text(value):
    return f"{digits(value)} ×"
