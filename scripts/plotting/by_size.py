# tocuda, Apache-2.0.
"""The picture of bandwidth against size: every mechanism, in both directions, with its ceilings."""

from labels import labels_of, place_of, rank, where
from lines import Line, draw_ceiling, draw_lines, extent_of, size_axis, sizes_of, value_axis
from notes import facts, left, of_run, settings
from sheet import WIDTH, Sheet
from source import fastest_settings, pictured
from style import MOST
from units import rate_text

NAME = "bandwidth-by-size"
AXIS = "bandwidth in payload bytes, one way"


def line_of(curve, label):
    points = [(point.bytes, point.rate("one_way"), point.rate_ends("one_way")) for point in curve.sized]
    bad = [point for point in curve.points if point.bytes and not point.sound and point.row["status"] != "skipped"]
    raw = [(point.bytes, rate) for point in curve.sized for rate in point.raw("one_way")]
    return Line(label, points, curve.hosted, [point.bytes for point in bad], raw=raw)


def named(curves):
    """The label of each curve, the same in both directions, in the order of the legend."""
    labels = {}
    for way in dict.fromkeys(where(one.benchmark) for one in curves):
        labels |= labels_of([one for one in curves if where(one.benchmark) == way], settings=False)
    labels = {one.key: labels[one.key] + (" (host clock)" if one.hosted else "") for one in curves}
    order = sorted(curves, key=lambda one: (rank(one), labels[one.key]))
    return labels, list(dict.fromkeys(labels[one.key] for one in order))


def bandwidth(source, wanted):
    """How does bandwidth grow with size, by mechanism, in each direction?"""
    every = [one for one in source.curves if pictured(one, NAME)]
    curves = [one for one in fastest_settings(every) if one.sized]
    labels, names = named(curves)
    drawn = [one for one in curves if labels[one.key] in names[:MOST]]
    lines = {one.key: line_of(one, labels[one.key]) for one in drawn}
    if len(sizes_of(lines.values())) < 2:
        return None
    source.show((one, point) for one in drawn for point in one.sized)
    text = of_run(source, drawn, every, "one_way", raw=True)
    text += ["Attainable: the fastest measured path.", settings(drawn, labels), left(names, MOST)]
    question = "How fast do bytes cross the link, at each size?"
    sheet = Sheet(NAME, question, facts(source, drawn), text, source.simulated, 4.2, names[:MOST])
    peaks = [point.peak for one in drawn for point in one.sized if point.peak]
    present = sorted({where(one.benchmark) for one in drawn}, key=place_of)
    width = (WIDTH - 1.2 - 0.35 * (len(present) - 1)) / len(present)
    handles = {}
    for number, way in enumerate(present):
        axes = sheet.panel(1.05 + number * (width + 0.35), 0.55, width, 3.3, way)
        here = [one for one in drawn if where(one.benchmark) == way]
        for one in here:
            place = names.index(labels[one.key])
            handles[place] = draw_lines(sheet, axes, [lines[one.key]], place)[0]
        size_axis(axes, sizes_of(lines.values()), 6 if len(present) > 1 else 10)
        value_axis(axes, extent_of(lines.values()) + peaks, rate_text)
        best = max(point.rate("one_way") for one in here for point in one.sized)
        draw_ceiling(axes, best, f"attainable {rate_text(best)}", above=False)
        for peak in sorted({point.peak for one in here for point in one.sized if point.peak}):
            draw_ceiling(axes, peak, f"peak {rate_text(peak)}", above=True)
        axes.set_ylabel("" if number else AXIS)
        axes.tick_params(labelleft=number == 0)
    sheet.legend([handles[place] for place in sorted(handles)])
    return sheet
