# tocuda, Apache-2.0.
"""Chart of bandwidth against size for every mechanism of a family, or of time if no bytes are counted."""

from matplotlib.ticker import FuncFormatter, NullFormatter

import caption
import style
from curve import labels_of
from point_table import facts_of
from quantity import CONVENTIONS, Quantity, log_ticks, size_axis, value_axis
from sheet import Sheet
from units import rate_text, size_text


def drawn(curve):
    """The points that a logarithmic axis can show."""
    return [point for point in curve.sound if point.bytes]


def draw_curve(axes, curve, label, look, quantity, usual):
    """Draws a curve. Returns its legend handles."""
    points = drawn(curve)
    sizes, values = [point.bytes for point in points], [quantity.of(point, point.median) for point in points]
    ends = [quantity.interval(point) for point in points]
    sure = [index for index, pair in enumerate(ends) if pair]
    if sure:
        axes.errorbar(
            [sizes[index] for index in sure],
            [values[index] for index in sure],
            fmt="none",
            ecolor=look.colour,
            yerr=list(zip(*[ends[index] for index in sure])),
        )
    flagged = [index for index, point in enumerate(points) if set(point.flags) - usual]
    axes.plot(
        [sizes[index] for index in flagged],
        [values[index] for index in flagged],
        linestyle="",
        marker="o",
        markersize=13,
        markerfacecolor="none",
        markeredgecolor=look.colour,
        markeredgewidth=1.2,
    )
    for point in curve.points:
        mark_unsound(axes, point, look, quantity)
    return axes.plot(sizes, values, label=label if points else f"{label}: no valid time", **look.drawing)


def mark_unsound(axes, point, look, quantity):
    """Draws a cross at each time that does not count, or at the bottom if no time was taken."""
    if not point.bytes:
        return
    for seconds in point.crossed:
        cross = {
            "marker": "x",
            "color": look.colour,
            "markersize": 9,
            "markeredgewidth": 2.2,
            "linestyle": "",
            "clip_on": False,
            "zorder": 6,
        }
        if seconds:
            axes.plot([point.bytes], [quantity.of(point, seconds)], **cross)
        else:
            axes.plot([point.bytes], [0.015], transform=axes.get_xaxis_transform(), **cross)


def draw_ceilings(axes, curves, labels, quantity, peaks):
    """Draws the fastest measured path of each clock, and the peaks. Returns their legend handles."""
    lines = []
    for clock, dots in (("device", (0, (1, 1))), ("host", (0, (1, 3)))):
        best = max(
            (
                (quantity.of(point, point.median), curve, point)
                for curve in curves
                if curve.clock == clock
                for point in drawn(curve)
            ),
            key=lambda one: one[0],
            default=None,
        )
        if best:
            lines.append(
                axes.axhline(
                    best[0],
                    color=style.GREY,
                    linestyle=dots,
                    linewidth=1.6,
                    zorder=1,
                    label=(
                        f"attainable, {clock} clock: {rate_text(best[0])}\n"
                        f"({labels[best[1].key]}, {size_text(best[2].bytes)})"
                    ),
                )
            )
    for peak in peaks:
        lines.append(
            axes.axhline(
                peak, color=style.BLACK, linestyle="-", linewidth=1.1, zorder=1, label=f"peak: {rate_text(peak)}"
            )
        )
    return lines


def factors_of(curves):
    """The ratios of bytes touched to bytes one way."""
    return {
        point.touched / point.one_way
        for curve in curves
        for point in curve.sound
        if point.one_way > 0 and point.touched > 0
    }


def other_convention(axes, quantity, factor):
    """Adds a second axis in the other byte convention; possible because `factor` is the same for everything drawn."""
    if quantity.convention == "touched":
        factor = 1 / factor
    right = axes.secondary_yaxis("right", functions=(lambda rate: rate * factor, lambda rate: rate / factor))
    log_ticks(right.yaxis, *axes.get_ylim())
    right.yaxis.set_major_formatter(FuncFormatter(lambda value, _: rate_text(value)))
    right.yaxis.set_minor_formatter(NullFormatter())
    right.set_ylabel(CONVENTIONS[quantity.other])


def said_below(source, curves, labels, quantity, peaks):
    points = [point for curve in curves for point in curve.points]
    last = [caption.UNITS if quantity.is_rate else caption.SIZE_UNITS]
    if quantity.is_rate and len(factors_of(curves)) > 1:
        last.append("Bytes touched per byte one way differ between these mechanisms: the table (--csv) has both.")
    if any(point.bytes == 0 for point in points):
        last.append("0 B cannot be shown on a logarithmic axis: see the table (--csv).")
    return [
        source.facts(),
        caption.of_intervals(points),
        caption.of_clocks(curves),
        caption.peak_line(peaks),
        *caption.of_marks([(labels[curve.key], point) for curve in curves for point in curve.points]),
        " ".join(last),
    ]


def sheet(source, curves, name, title):
    quantity, labels = Quantity(curves), labels_of(curves)
    peaks = caption.of_peaks(curves) if quantity.is_rate else {}
    page = Sheet(name, title, said_below(source, curves, labels, quantity, peaks), source.simulated, height=4.6)
    axes = page.panels[0]
    usual = caption.usual_flags([point for curve in curves for point in curve.points])
    shown = []
    for number, curve in enumerate(curves):
        shown += draw_curve(
            axes,
            curve,
            f"{labels[curve.key]}{' (host clock)' if curve.clock == 'host' else ''}",
            style.look(number, curve.clock == "host"),
            quantity,
            usual,
        )
    size_axis(
        axes,
        [
            point.bytes
            for curve in curves
            for point in curve.points
            if point.bytes and set(point.unsound) != {"skipped"}
        ],
    )
    if quantity.is_rate:
        shown += draw_ceilings(axes, curves, labels, quantity, peaks)
    value_axis(axes, quantity)
    if quantity.is_rate:
        if len(factors_of(curves)) == 1:
            other_convention(axes, quantity, *factors_of(curves))
    page.legend(axes, shown)
    page.table = [facts_of(source, curve, point) for curve in curves for point in curve.points]
    return page
