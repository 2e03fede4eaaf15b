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
    text = [line for line in of_run(source, curves, every) if not line.startswith("Device clock")] + [
        "Device clock: read by the kernel itself. Each load waits for the one before, on at most 8,191 lines of 128 "
        "bytes at random places of the working set. Sets up to the reported size of the L2 cache are visited before, "
        "above it that cache is emptied: the step there is made so and is no evidence of its size. Steps up to 1 MiB "
        "are levels that no longer hold the set; what rises with the largest sets is the address translation.",
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
