# tocuda, Apache-2.0.
"""Chart of several runs over one another, one panel for each mechanism, to show what a GPU or a driver changed."""

from matplotlib.ticker import NullFormatter

import caption
import style
from curve import labels_of
from quantity import Quantity, draw_curve, size_axis, value_axis
from sheet import Sheet
from units import digits

COLUMNS, MOST_PANELS = 2, 6


def shared_curves(sources):
    """The mechanisms that at least two sources measured by the same clock: for each a list of (source, curve)."""
    gathered = {}
    for source in sources:
        for curve in source.curves:
            if any(point.bytes for point in curve.sound):
                gathered.setdefault((curve.benchmark, curve.parameters, curve.clock), []).append((source, curve))
    return [curves for curves in gathered.values() if len(curves) > 1]


def names_of(sources):
    """Names that tell the sources apart: GPU, driver, and the run if these are equal."""
    gpus, drivers = {source.gpu for source in sources}, {source.driver for source in sources}
    names = {}
    for source in sources:
        alike = [other for other in sources if (other.gpu, other.driver) == (source.gpu, source.driver)]
        words = (
            source.gpu if len(gpus) > 1 else "",
            f"driver {source.driver}" if len(drivers) > 1 or len(gpus) == 1 else "",
            f"run {source.short_run}" if len(alike) > 1 else "",
        )
        names[id(source)] = ", ".join(word for word in words if word)
    return names


def relative(curve, base):
    """(bytes, rate relative to the first run's, ends of its interval or None)"""
    pairs = [(point, base.at(point.bytes)) for point in curve.sound if point.bytes]
    return [
        (point.bytes, other.median / point.median, point.interval and sorted(other.median / s for s in point.interval))
        for point, other in pairs
        if other and other.sound
    ]


def absolute(curve, quantity):
    return [(point.bytes, quantity.value(point), quantity.ends(point)) for point in curve.sound if point.bytes]


def base_band(axes, base, label):
    """Draws the first run's own interval, so that differences within it are not mistaken for changes."""
    sure = [point for point in base.sound if point.bytes and point.interval]
    if sure:
        lows, highs = ([point.median / point.interval[end] for point in sure] for end in (1, 0))
        axes.fill_between([point.bytes for point in sure], lows, highs, color="#cccccc", zorder=0)
    return axes.axhline(1, color=style.BLACK, linewidth=1.2, label=label)


def relative_axis(axes):
    low, high = axes.get_ylim()
    axes.set_ylim(min(low, 0.98), max(high, 1.02))
    axes.yaxis.set_major_formatter(lambda value, _: f"{'+' if value > 1.0000001 else ''}{digits(100 * (value - 1))} %")
    axes.yaxis.set_minor_formatter(NullFormatter())


def draw_panel(axes, curves, sources, names, label, quantity, against):
    shown, base = {}, curves[0][1]
    hosted = base.clock == "host"
    for source, curve in curves:
        if against and curve is base:
            shown[id(source)] = base_band(axes, curve, f"{names[id(source)]} (the first)")
        elif values := relative(curve, base) if against else absolute(curve, quantity):
            look = style.look(next(number for number, one in enumerate(sources) if one is source), hosted)
            shown[id(source)] = draw_curve(axes, values, look, names[id(source)])
    size_axis(axes, [point.bytes for _, curve in curves for point in curve.sound if point.bytes], 5)
    if against:
        relative_axis(axes)
    else:
        value_axis(axes, quantity)
    axes.set_ylabel("")
    axes.set_xlabel("")
    axes.set_title(f"{label}{' (host clock)' if hosted else ''}", fontsize=style.TEXT)
    return shown


def said_below(sources, all_curves, quantity, against, names):
    what = (
        f"Speed relative to the first run that measured it ({names[id(sources[0])]}); above the line is faster. Grey: "
        "that run's own interval. `tocuda compare` tells whether a difference is significant."
        if against
        else f"Drawn: {quantity.label}."
    )
    return [
        *(source.facts() for source in sources),
        what,
        caption.of_intervals([point for curve in all_curves for point in curve.points]),
        caption.of_clocks(all_curves),
        caption.units_of(quantity),
    ]


def sheet(sources, page, name, title, against):
    all_curves = [curve for curves in page for _, curve in curves]
    quantity, names = Quantity(all_curves), names_of(sources)
    labels = labels_of([curves[0][1] for curves in page])
    text = said_below(sources, all_curves, quantity, against, names)
    rows = -(-len(page) // COLUMNS)
    made = Sheet(name, title, text, sources[0].simulated, 2.5 * rows, (rows, min(COLUMNS, len(page))))
    shown = {}
    for axes, curves in zip(made.panels, page):
        shown |= draw_panel(axes, curves, sources, names, labels[curves[0][1].key], quantity, against)
    for axes in made.panels[len(page) :]:
        axes.set_axis_off()
    legend = [shown[id(source)] for source in sources if id(source) in shown]
    made.legend(made.panels[COLUMNS * (rows - 1)], legend)
    made.table = [row for curves in page for source, curve in curves for row in source.table_of(curve)]
    return made
