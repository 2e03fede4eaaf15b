# tocuda, Apache-2.0.
"""The picture of latency against the working set: a step for each level of memory that no longer holds it."""

from lines import Line, draw_lines, extent_of, size_axis, sizes_of, value_axis
from notes import facts, left, of_run
from sheet import WIDTH, Sheet
from source import begins, labels_of, rank
from style import MOST
from units import time_text

WAITING = ("latency/",)
KNOWN = "device", "managed", "peer", "host"


def latency(source, wanted):
    """How long does one load take, by where the memory is and how much is in use?"""
    every = [one for one in source.curves if begins(one, *WAITING)]
    curves = sorted((one for one in every if one.sized), key=lambda one: (rank(one, KNOWN), one.key))
    labels = labels_of(curves)
    lines = [Line(labels[one.key], [(p.bytes, p.seconds, p.interval) for p in one.sized]) for one in curves]
    names, sizes = [line.label for line in lines], sizes_of(lines)
    if len(sizes) < 2:
        return None
    text = of_run(source, curves, every) + [
        "Each load waits for the one before, at random in the working set, whose visited lines are 128 bytes. Above "
        "the L2 cache's size that cache is emptied first.",
        left(names, MOST),
    ]
    words = "How long does one load take, by the memory in use?", facts(source, curves), text, source.simulated
    sheet = Sheet("latency-by-working-set", *words, 4.1, names[:MOST])
    axes = sheet.panel(1.0, 0.55, WIDTH - 1.2, 3.45)
    sheet.legend(draw_lines(sheet, axes, lines[:MOST]))
    size_axis(axes, sizes, 10)
    value_axis(axes, extent_of(lines[:MOST]), time_text)
    axes.set_xlabel("working set")
    axes.set_ylabel("time of one load")
    return sheet
