# tocuda, Apache-2.0.
"""The picture of the time of a load against what others read from the same memory meanwhile."""

from matplotlib.ticker import MaxNLocator

import style
from lines import Line, draw_lines
from notes import facts, of_run
from sheet import WIDTH, Sheet
from source import pictured
from units import rate_text, time_text

NAME = "latency-against-bandwidth"


def at_each_load(curves):
    """load -> its row of the latency and, unless nothing is read, that of the bandwidth."""
    found = {}
    for one in curves:
        if one.sound:
            found.setdefault(one.parameters["load"], {})[one.parameters["what"]] = one, one.sound[-1]
    return {
        load: rows for load, rows in sorted(found.items()) if "latency" in rows and ("bandwidth" in rows or load == 0)
    }


def under_load(source, wanted):
    """How long does a load take while others read, by how fast they do?"""
    every = [one for one in source.curves if pictured(one, NAME)]
    loads = at_each_load(every)
    if len(loads) < 3:
        return None
    read = {load: rows["bandwidth"][1].rate("touched") if "bandwidth" in rows else 0 for load, rows in loads.items()}
    drawn = [row for rows in loads.values() for row in rows.values()]
    source.show(drawn)
    points = [(read[load], rows["latency"][1].seconds, rows["latency"][1].interval) for load, rows in loads.items()]
    text = of_run(source, [one for one, _ in drawn], every, "touched") + [
        "A point for each load that was asked for: what the other multiprocessors read, by their own count and clock, "
        "and the time of one load beside them.",
    ]
    question = "How long does a load from memory take, by how much others read?"
    sheet = Sheet(NAME, question, facts(source, [one for one, _ in drawn]), text, source.simulated, 3.9)
    axes = sheet.panel(1.0, 0.55, WIDTH - 1.2, 3.2)
    draw_lines(sheet, axes, [Line("one load", points)])
    for load, rows in loads.items():
        if "bandwidth" in rows:
            ends = rows["bandwidth"][1].rate_ends("touched") or ("", "")
            sheet.table.append(("read beside it", f"load {load}", load, read[load], *ends))
    draw_axes(axes, points, max(point.peak for _, point in drawn))
    return sheet


def draw_axes(axes, points, peak):
    """Both from zero, so that a small change does not look large; the peak is a line where it is known."""
    if peak:
        axes.axvline(peak, color=style.BLACK, linewidth=1.1, zorder=1)
        place = {"xytext": (-3, -3), "textcoords": "offset points", "va": "top", "ha": "right"}
        axes.annotate(f"peak {rate_text(peak)}", (peak, 1), xycoords=axes.get_xaxis_transform(), size=9, **place)
    axes.set_xlim(0, 1.05 * max(peak, *(rate for rate, *_ in points)))
    axes.set_ylim(0, 1.15 * max(seconds for _, seconds, _ in points))
    axes.xaxis.set_major_formatter(lambda value, _: rate_text(value))
    axes.yaxis.set_major_formatter(lambda value, _: time_text(value))
    axes.xaxis.set_major_locator(MaxNLocator(6))
    axes.yaxis.set_major_locator(MaxNLocator(5))
    axes.set_xlabel("bandwidth in bytes read by others")
    axes.set_ylabel("time of one load")
