# tocuda, Apache-2.0.
"""Chart of the mechanisms of a family at one size, the fastest of each clock first."""

from matplotlib.ticker import MaxNLocator

import caption
import style
from curve import labels_of, wrapped
from quantity import Quantity, reach, write_beside
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
        return curve.clock, 0, -quantity.value(point) if quantity.is_rate else quantity.value(point)

    return sorted(((curve, curve.at(size)) for curve in curves), key=rank)


def value_text(point, quantity, usual):
    share = quantity.share(point)
    return (
        quantity.text(quantity.value(point))
        + (f", {digits(100 * share)} % of peak" if share else "")
        + (" ○" if set(point.flags) - usual else "")
        + (" ×" if point.unsound else "")
    )


def draw_row(axes, place, curve, point, quantity, logarithmic, usual):
    """Draws a point's value or the reason why it has none. Returns how far to the right it reaches."""
    if not point or not point.sound:
        why_not = "× " + ", ".join(point.unsound) if point else "not measured at this size"
        write_beside(axes, why_not, (0, place), 6, xycoords=axes.get_yaxis_transform(), color=style.GREY)
        return 0
    colour, hatch = CLOCK_LOOKS[curve.clock]
    value, ends = quantity.value(point), quantity.ends(point)
    if logarithmic:
        axes.plot([value], [place], marker="o", markersize=9, linestyle="", color=style.BLACK, markerfacecolor=colour)
    else:
        axes.barh(place, value, height=0.66, color=colour, hatch=hatch, edgecolor=style.BLACK, linewidth=0.8)
    if ends:
        bars = [[end] for end in reach(value, ends)]
        axes.errorbar([value], [place], xerr=bars, fmt="none", ecolor=style.BLACK, elinewidth=1.4, capsize=4)
    right = max(value, ends[1]) if ends else value
    frame = {"facecolor": "white", "edgecolor": "none", "pad": 1.5}
    write_beside(axes, value_text(point, quantity, usual), (right, place), 8, bbox=frame)
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
    values = [quantity.value(point) for _, point in pairs if point and point.sound]
    logarithmic = not quantity.is_rate and max(values) / min(values) > FAR_APART
    if logarithmic:
        axes.set_xscale("log")
    right = max(draw_row(axes, place, *pair, quantity, logarithmic, usual) for place, pair in zip(places, pairs))
    for place, text in headings:
        write_beside(axes, text, (0, place), 4, xycoords=axes.get_yaxis_transform(), style="italic")
    for peak in peaks:
        axes.axvline(peak, color=style.BLACK, linewidth=1.4, linestyle=(0, (6, 2)), zorder=0.5)
    axes.set_yticks(places, sides)
    axes.set_ylim(places[-1] - 0.7, 0.35)
    axes.tick_params(axis="y", length=0)
    axes.grid(False, axis="y")
    axes.xaxis.set_major_formatter(lambda value, _: quantity.text(value) if value else "0")
    axes.set_xlabel(quantity.label)
    if logarithmic:
        axes.set_xlim(min(values) / 2, right * 12)
    else:
        axes.xaxis.set_major_locator(MaxNLocator(6))
        axes.set_xlim(0, max([right * room, *[peak * 1.02 for peak in peaks]]))


def sheet(source, curves, size, name, title):
    quantity, labels = Quantity(curves), labels_of(curves)
    pairs = ordered(curves, size, quantity)
    points = [point for _, point in pairs if point]
    peaks = caption.peaks_of(points) if quantity.is_rate else {}
    dashed = caption.peak_line(peaks)
    text = [
        source.facts(),
        caption.of_intervals(points),
        caption.of_clocks(curves, "plain bars", "hatched bars"),
        f"Dashed: {dashed[0].lower()}{dashed[1:]}" if dashed else "",
        *caption.of_marks([(labels[curve.key], point) for curve, point in pairs if point]),
        caption.units_of(quantity) if quantity.is_rate or size else "",
    ]
    sides = [wrapped(labels[curve.key], 40) for curve, _ in pairs]
    pitch = max(0.34, 0.1 + 0.19 * max(side.count("\n") + 1 for side in sides))
    height = 1.1 + pitch * (len(pairs) + 0.95 * len({curve.clock for curve in curves}))
    page = Sheet(name, title, text, source.simulated, height)
    width = WIDTH - 0.4 - 0.083 * max(len(line) for side in sides for line in side.split("\n"))
    draw(page.panels[0], pairs, sides, quantity, peaks, 1 / (1 - 1.95 / width))
    page.table = [{**source.columns(curve), **point.columns} for curve, point in pairs if point]
    return page
