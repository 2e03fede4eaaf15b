# tocuda, Apache-2.0.
"""Chart of the mechanisms of a family at one size, the fastest of each clock first."""

from matplotlib.ticker import FuncFormatter, MaxNLocator

import caption
import style
from curve import labels_of, wrapped
from point_table import facts_of
from quantity import Quantity
from sheet import WIDTH, Sheet
from units import digits

CLOCK_LOOKS = {"device": (style.SKY, ""), "host": (style.ORANGE, "////")}
FAR_APART = 40  # times that differ by a larger factor are points on a logarithmic axis, where bars mean nothing


def common_size(curves, wanted):
    """The size that most curves have, the largest if there are several. If `wanted` is given: that size, or None if no
    curve has it."""
    counts = {}
    for curve in curves:
        for point in curve.sound:
            counts[point.bytes] = counts.get(point.bytes, 0) + 1
    if wanted is not None:
        return wanted if wanted in counts else None
    return max(counts, key=lambda size: (counts[size], -1 if size is None else size), default=None)


def ordered(curves, size, quantity):
    """(curve, point) by clock, fastest first; points without a value come last."""

    def rank(pair):
        curve, point = pair
        if not point or not point.sound:
            return curve.clock, 1, 0
        value = quantity.of(point, point.median)
        return curve.clock, 0, -value if quantity.is_rate else value

    return sorted(((curve, curve.at(size)) for curve in curves), key=rank)


def value_text(point, quantity, usual):
    said = quantity.text(quantity.of(point, point.median))
    share = quantity.share(point)
    return (
        said
        + (f", {digits(100 * share)} % of peak" if share else "")
        + (" ○" if set(point.flags) - usual else "")
        + (" ×" if point.unsound else "")
    )


def why_not(point):
    return "not measured at this size" if not point else "× " + ", ".join(point.unsound)


def draw_row(axes, place, curve, point, quantity, logarithmic, usual):
    """Draws a point's value or the reason why it has none. Returns how far to the right it reaches."""
    if not point or not point.sound:
        axes.annotate(
            why_not(point),
            (0, place),
            (6, 0),
            xycoords=axes.get_yaxis_transform(),
            textcoords="offset points",
            va="center",
            size=style.SMALL,
            color=style.GREY,
        )
        return 0
    colour, hatch = CLOCK_LOOKS[curve.clock]
    value, ends = quantity.of(point, point.median), quantity.interval(point)
    if logarithmic:
        axes.plot([value], [place], marker="o", markersize=9, linestyle="", color=style.BLACK, markerfacecolor=colour)
    else:
        axes.barh(place, value, height=0.66, color=colour, hatch=hatch, edgecolor=style.BLACK, linewidth=0.8)
    if ends:
        axes.errorbar(
            [value], [place], xerr=[[ends[0]], [ends[1]]], fmt="none", ecolor=style.BLACK, elinewidth=1.4, capsize=4
        )
    right = value + (ends[1] if ends else 0)
    axes.annotate(
        value_text(point, quantity, usual),
        (right, place),
        (8, 0),
        textcoords="offset points",
        va="center",
        size=style.SMALL,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.5},
    )
    return right


def places_of(pairs):
    """The rows' positions from the top down, with a gap and a heading above each clock's rows."""
    places, headings, at, clock = [], [], 0.0, None
    for curve, _ in pairs:
        if curve.clock != clock:
            clock = curve.clock
            at -= 0.95
            headings.append((at + 0.85, f"{clock} clock"))
        places.append(at)
        at -= 1
    return places, headings


def draw(axes, pairs, sides, quantity, peaks, room):
    """`sides` holds the label to the left of each row. The axis is `room` times as long as the longest bar, so that the
    text beside it fits."""
    places, headings = places_of(pairs)
    usual = caption.usual_flags([point for _, point in pairs if point])
    values = [quantity.of(point, point.median) for _, point in pairs if point and point.sound]
    logarithmic = not quantity.is_rate and max(values) / min(values) > FAR_APART
    if logarithmic:
        axes.set_xscale("log")
    right = max(
        draw_row(axes, place, curve, point, quantity, logarithmic, usual)
        for place, (curve, point) in zip(places, pairs)
    )
    for place, text in headings:
        axes.annotate(
            text,
            (0, place),
            (4, 0),
            xycoords=axes.get_yaxis_transform(),
            textcoords="offset points",
            va="center",
            style="italic",
            size=style.SMALL,
        )
    for peak in peaks:
        axes.axvline(peak, color=style.BLACK, linewidth=1.4, linestyle=(0, (6, 2)), zorder=0.5)
    axes.set_yticks(places, sides)
    axes.set_ylim(places[-1] - 0.7, 0.35)
    axes.tick_params(axis="y", length=0)
    axes.grid(False, axis="y")
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: quantity.text(value) if value else "0"))
    axes.set_xlabel(quantity.label)
    if logarithmic:
        axes.set_xlim(min(values) / 2, right * 12)
    else:
        axes.xaxis.set_major_locator(MaxNLocator(6))
        axes.set_xlim(0, max([right * room, *[peak * 1.02 for peak in peaks]]))


def sheet(source, curves, size, name, title):
    quantity, labels = Quantity(curves), labels_of(curves)
    pairs = ordered(curves, size, quantity)
    found = [(curve, point) for curve, point in pairs if point]
    peaks = caption.of_peaks_at([point for _, point in found]) if quantity.is_rate else {}
    marks = caption.of_marks([(labels[curve.key], point) for curve, point in found])
    dashes = f"Dashed: {caption.peak_line(peaks)[0].lower()}{caption.peak_line(peaks)[1:]}" if peaks else ""
    text = [
        source.facts(),
        caption.of_intervals([point for _, point in found]),
        caption.of_clocks(curves, "plain bars", "hatched bars"),
        dashes,
        *marks,
        caption.UNITS if quantity.is_rate else caption.SIZE_UNITS if size else "",
    ]
    sides = [wrapped(labels[curve.key], 40) for curve, _ in pairs]
    pitch = max(0.34, 0.1 + 0.19 * max(side.count("\n") + 1 for side in sides))
    page = Sheet(
        name,
        title,
        text,
        source.simulated,
        height=1.1 + pitch * (len(pairs) + 0.95 * len({curve.clock for curve in curves})),
    )
    width = WIDTH - 0.4 - 0.083 * max(len(line) for side in sides for line in side.split("\n"))
    draw(page.panels[0], pairs, sides, quantity, peaks, 1 / (1 - 1.95 / width))
    page.table = [facts_of(source, curve, point) for curve, point in found]
    return page
