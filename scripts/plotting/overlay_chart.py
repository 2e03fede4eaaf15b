# tocuda, Apache-2.0.
"""Chart of several runs over one another, one panel for each mechanism, to show what a GPU or a driver changed."""

import dataclasses

from matplotlib.ticker import FuncFormatter, NullFormatter

import caption
import style
from curve import labels_of
from point_table import facts_of
from quantity import Quantity, size_axis, value_axis
from sheet import Sheet
from units import digits

COLUMNS, MOST_PANELS = 2, 6


@dataclasses.dataclass(frozen=True)
class Shared:
    """One mechanism in several sources."""

    key: tuple
    curves: tuple  # (source, curve)

    @property
    def family(self):
        return self.curves[0][1].family


def shared_curves(sources):
    """The mechanisms that at least two sources measured by the same clock."""
    gathered = {}
    for source in sources:
        for curve in source.curves:
            if curve.sound and any(point.bytes for point in curve.sound):
                gathered.setdefault((curve.benchmark, curve.parameters, curve.clock), []).append((source, curve))
    return [Shared(key, tuple(curves)) for key, curves in gathered.items() if len(curves) > 1]


def names_of(sources):
    """Names that tell the sources apart: GPU, driver, and the run if these are equal."""
    gpus, drivers = {source.gpu for source in sources}, {source.driver for source in sources}
    names = {}
    for source in sources:
        words = ([source.gpu] if len(gpus) > 1 else []) + (
            [f"driver {source.driver}"] if len(drivers) > 1 or len(gpus) == 1 else []
        )
        alike = [other for other in sources if (other.gpu, other.driver) == (source.gpu, source.driver)]
        names[id(source)] = ", ".join(words + ([f"run {source.short_run}"] if len(alike) > 1 else []))
    return names


def relative(curve, base):
    """(bytes, rate relative to the first run's, ends of its interval or None)"""
    found = []
    for point in curve.sound:
        other = base.at(point.bytes)
        if point.bytes and other and other.sound:
            ends = tuple(sorted(other.median / seconds for seconds in point.interval)) if point.interval else None
            found.append((point.bytes, other.median / point.median, ends))
    return found


def absolute(curve, quantity):
    found = []
    for point in curve.sound:
        if point.bytes:
            ends = tuple(sorted(quantity.of(point, seconds) for seconds in point.interval)) if point.interval else None
            found.append((point.bytes, quantity.of(point, point.median), ends))
    return found


def draw(axes, values, look, label):
    sure = [(size, value, *ends) for size, value, ends in values if ends]
    if sure:
        axes.errorbar(
            [size for size, *_ in sure],
            [value for _, value, *_ in sure],
            fmt="none",
            ecolor=look.colour,
            yerr=[
                [max(value - low, 0) for _, value, low, _ in sure],
                [max(high - value, 0) for _, value, _, high in sure],
            ],
        )
    return axes.plot([size for size, *_ in values], [value for _, value, _ in values], label=label, **look.drawing)[0]


def base_band(axes, base, label):
    """Draws the first run's own interval, so that differences within it are not mistaken for changes."""
    sure = [
        (point.bytes, point.median / point.interval[1], point.median / point.interval[0])
        for point in base.sound
        if point.bytes and point.interval
    ]
    if sure:
        axes.fill_between(
            [size for size, _, _ in sure],
            [low for _, low, _ in sure],
            [high for _, _, high in sure],
            color="#cccccc",
            zorder=0,
        )
    return axes.axhline(1, color=style.BLACK, linewidth=1.2, label=label)


def relative_axis(axes):
    low, high = axes.get_ylim()
    axes.set_ylim(min(low, 0.98), max(high, 1.02))
    axes.yaxis.set_major_formatter(
        FuncFormatter(lambda value, _: f"{'+' if value > 1.0000001 else ''}{digits(100 * (value - 1))} %")
    )
    axes.yaxis.set_minor_formatter(NullFormatter())


def draw_panel(axes, shared, sources, names, label, quantity, against):
    shown = {}
    drawn = list(shared.curves)
    for source, curve in drawn:
        look = style.look(next(number for number, one in enumerate(sources) if one is source), curve.clock == "host")
        if against:
            if curve is drawn[0][1]:
                shown[id(source)] = base_band(axes, curve, f"{names[id(source)]} (the first)")
                continue
            values = relative(curve, drawn[0][1])
        else:
            values = absolute(curve, quantity)
        if values:
            shown[id(source)] = draw(axes, values, look, names[id(source)])
    size_axis(axes, [point.bytes for _, curve in drawn for point in curve.sound if point.bytes], 5)
    if against:
        relative_axis(axes)
    else:
        value_axis(axes, quantity)
    axes.set_ylabel("")
    axes.set_xlabel("")
    axes.set_title(f"{label}{' (host clock)' if drawn[0][1].clock == 'host' else ''}", fontsize=style.TEXT)
    return shown


def said_below(sources, page, quantity, against, names):
    points = [point for shared in page for _, curve in shared.curves for point in curve.points]
    first = names[id(sources[0])]
    what = (
        f"Speed relative to the first run that measured it ({first}); above the line is faster. Grey: that run's own "
        "interval. `tocuda compare` tells whether a difference is significant."
        if against
        else f"Drawn: {quantity.label}."
    )
    return [
        *(source.facts() for source in sources),
        what,
        caption.of_intervals(points),
        caption.of_clocks([curve for shared in page for _, curve in shared.curves]),
        caption.UNITS if quantity.is_rate else caption.SIZE_UNITS,
    ]


def sheet(sources, page, name, title, against):
    quantity = Quantity([curve for shared in page for _, curve in shared.curves])
    labels = labels_of([shared.curves[0][1] for shared in page])
    names = names_of(sources)
    rows = -(-len(page) // COLUMNS)
    made = Sheet(
        name,
        title,
        said_below(sources, page, quantity, against, names),
        sources[0].simulated,
        height=2.5 * rows,
        panels=(rows, min(COLUMNS, len(page))),
    )
    shown = {}
    for axes, shared in zip(made.panels, page):
        shown |= draw_panel(axes, shared, sources, names, labels[shared.curves[0][1].key], quantity, against)
    for axes in made.panels[len(page) :]:
        axes.set_axis_off()
    legend = [shown[id(source)] for source in sources if id(source) in shown]
    made.legend(made.panels[COLUMNS * (rows - 1)], legend)
    made.table = [
        facts_of(source, curve, point) for shared in page for source, curve in shared.curves for point in curve.points
    ]
    return made
