# tocuda, Apache-2.0.
"""Chart of bandwidth against size for every mechanism of a family, or of time if no bytes are counted."""

import caption
import style
from curve import labels_of
from quantity import CONVENTIONS, Quantity, draw_curve, log_ticks, size_axis, value_axis
from sheet import Sheet
from units import rate_text, size_text


def sizes_of(curves):
    """The sizes that a logarithmic axis can show, unless they were skipped."""
    points = [point for curve in curves for point in curve.points]
    return [point.bytes for point in points if point.bytes and set(point.unsound) != {"skipped"}]


def drawn(curve):
    """The points that a logarithmic axis can show."""
    return [point for point in curve.sound if point.bytes]


def draw_points(axes, curve, label, look, quantity, usual):
    """Draws a curve, a circle around points with unusual flags, and a cross at each time that does not count, or at the
    bottom if no time was taken. Returns the legend handle."""
    flagged = [point for point in drawn(curve) if set(point.flags) - usual]
    circle = {"linestyle": "", "marker": "o", "markersize": 13, "markerfacecolor": "none", "markeredgewidth": 1.2}
    sizes, values = [point.bytes for point in flagged], [quantity.value(point) for point in flagged]
    axes.plot(sizes, values, markeredgecolor=look["color"], **circle)
    cross = {"marker": "x", "color": look["color"], "markersize": 9, "markeredgewidth": 2.2, "clip_on": False}
    for point in curve.points:
        for seconds in point.crossed if point.bytes else ():
            value, where = (
                (quantity.of(point, seconds), axes.transData) if seconds else (0.015, axes.get_xaxis_transform())
            )
            axes.plot([point.bytes], [value], transform=where, linestyle="", zorder=6, **cross)
    values = [(point.bytes, quantity.value(point), quantity.ends(point)) for point in drawn(curve)]
    return draw_curve(axes, values, look, label if values else f"{label}: no valid time")


def draw_ceilings(axes, curves, labels, quantity, peaks):
    """Draws the fastest measured path of each clock, and the peaks. Returns their legend handles."""
    lines = []
    for clock, dots in (("device", (0, (1, 1))), ("host", (0, (1, 3)))):
        found = [(curve, point) for curve in curves if curve.clock == clock for point in drawn(curve)]
        if found:
            curve, point = max(found, key=lambda one: quantity.value(one[1]))
            rate = quantity.value(point)
            label = f"attainable, {clock} clock: {rate_text(rate)}\n({labels[curve.key]}, {size_text(point.bytes)})"
            lines.append(axes.axhline(rate, color=style.GREY, linestyle=dots, linewidth=1.6, zorder=1, label=label))
    for peak in peaks:
        label = f"peak: {rate_text(peak)}"
        lines.append(axes.axhline(peak, color=style.BLACK, linestyle="-", linewidth=1.1, zorder=1, label=label))
    return lines


def factors_of(curves):
    """The ratios of bytes touched to bytes one way."""
    bytes_of = [(point.row["bytes_touched"], point.row["bytes_one_way"]) for curve in curves for point in curve.sound]
    return {touched / one_way for touched, one_way in bytes_of if one_way > 0 and touched > 0}


def other_convention(axes, quantity, factor):
    """Adds a second axis in the other byte convention; possible because `factor` is the same for everything drawn."""
    if quantity.convention == "touched":
        factor = 1 / factor
    right = axes.secondary_yaxis("right", functions=(lambda rate: rate * factor, lambda rate: rate / factor))
    log_ticks(right.yaxis, *axes.get_ylim(), rate_text)
    right.set_ylabel(CONVENTIONS[quantity.other])


def said_below(source, curves, labels, quantity, peaks):
    named = [(labels[curve.key], point) for curve in curves for point in curve.points]
    points = [point for _, point in named]
    last = [caption.units_of(quantity)]
    if quantity.is_rate and len(factors_of(curves)) > 1:
        last.append("Bytes touched per byte one way differ between these mechanisms: the table (--csv) has both.")
    if any(point.bytes == 0 for point in points):
        last.append("0 B cannot be shown on a logarithmic axis: see the table (--csv).")
    return [
        source.facts(),
        caption.of_intervals(points),
        caption.of_clocks(curves),
        caption.peak_line(peaks),
        *caption.of_marks(named),
        " ".join(last),
    ]


def sheet(source, curves, name, title):
    quantity, labels = Quantity(curves), labels_of(curves)
    points = [point for curve in curves for point in curve.points]
    peaks = caption.peaks_of(points) if quantity.is_rate else {}
    page = Sheet(name, title, said_below(source, curves, labels, quantity, peaks), source.simulated)
    axes, shown = page.panels[0], []
    for number, curve in enumerate(curves):
        hosted = curve.clock == "host"
        label = f"{labels[curve.key]}{' (host clock)' if hosted else ''}"
        look = style.look(number, hosted)
        shown.append(draw_points(axes, curve, label, look, quantity, caption.usual_flags(points)))
    size_axis(axes, sizes_of(curves))
    if quantity.is_rate:
        shown += draw_ceilings(axes, curves, labels, quantity, peaks)
    value_axis(axes, quantity)
    if quantity.is_rate and len(factors_of(curves)) == 1:
        other_convention(axes, quantity, *factors_of(curves))
    page.legend(axes, shown)
    page.table = [row for curve in curves for row in source.table_of(curve)]
    return page
