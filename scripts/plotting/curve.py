# tocuda, Apache-2.0.
"""The picture of bandwidth against the working set: a fall for each level of memory that no longer holds it."""

from labels import rank
from lines import Line, draw_lines, extent_of, size_axis, sizes_of, value_axis
from notes import facts, left, of_run
from sheet import WIDTH, Sheet
from source import pictured
from style import MOST
from units import rate_text

KNOWN = "read", "write", "copy", "shared"
NAME = "bandwidth-by-working-set"
PANELS = {"gpu": "the whole GPU", "one": "one multiprocessor"}


def name_of(curve):
    cold = curve.parameters.get("state") == "cold"
    return curve.benchmark.split("/")[1].replace("shared", "shared memory, read") + (", cold" if cold else "")


def line_of(curve):
    points = [(point.bytes, point.rate("touched"), point.rate_ends("touched")) for point in curve.sized]
    raw = [(point.bytes, rate) for point in curve.sized for rate in point.raw("touched")]
    return Line(name_of(curve), points, raw=raw)


def curve(source, wanted):
    """How fast are reading, writing and copying, by how much memory is in use?"""
    every = [one for one in source.curves if pictured(one, NAME)]
    curves = sorted(
        (one for one in every if one.sized), key=lambda one: (name_of(one).endswith("cold"), rank(one, KNOWN))
    )
    names = list(dict.fromkeys(map(name_of, curves)))
    drawn = [one for one in curves if name_of(one) in names[:MOST]]
    lines = {one.key: line_of(one) for one in drawn}
    present = [on for on in PANELS if any(one.parameters["on"] == on for one in drawn)]
    if len(sizes_of(lines.values())) < 2:
        return None
    source.show((one, point) for one in drawn for point in one.sized)
    text = of_run(source, drawn, every, "touched", raw=True)
    text += [
        "A working set is gone through again and again within one launch; all bytes read and written count. Cold: one "
        "pass after the L2 cache was emptied, with the start of a kernel.",
        left(names, MOST),
    ]
    question = "How fast is memory, by how much of it is in use?"
    sheet = Sheet(NAME, question, facts(source, drawn), text, source.simulated, 4.2, names[:MOST])
    width = (WIDTH - 1.2 - 0.95 * (len(present) - 1)) / len(present)
    handles = {}
    for number, on in enumerate(present):
        axes = sheet.panel(1.05 + number * (width + 0.95), 0.55, width, 3.3, PANELS[on])
        here = [one for one in drawn if one.parameters["on"] == on]
        for one in here:
            place = names.index(name_of(one))
            handles[place] = draw_lines(sheet, axes, [lines[one.key]], place)[0]
        size_axis(axes, sizes_of(lines.values()), 6 if len(present) > 1 else 10)
        value_axis(axes, extent_of([lines[one.key] for one in here]), rate_text)
        axes.set_xlabel("working set")
        axes.set_ylabel("" if number else "bandwidth in bytes read and written")
    sheet.legend([handles[place] for place in sorted(handles)])
    return sheet
