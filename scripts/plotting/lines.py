# tocuda, Apache-2.0.
"""Draws values against size: curves with intervals, bands and ceilings."""

import dataclasses

from matplotlib.ticker import LogLocator, NullFormatter, NullLocator

import style
from sheet import WIDTH, Sheet
from units import size_text


@dataclasses.dataclass
class Line:
    label: str
    points: list  # (size, value, the ends of its interval or None)
    hosted: bool = False
    missing: list = ()  # sizes without a valid value
    band: list = dataclasses.field(default_factory=list)  # (size, low, high)
    raw: list = ()  # (size, value) of single processes


def sizes_of(lines):
    return sorted({size for line in lines for size in [*(size for size, *_ in line.points), *line.missing]})


def extent_of(lines):
    ends = [end for line in lines for _, value, ends in line.points for end in (value, *(ends or ()))]
    ends += [value for line in lines for _, value in line.raw]
    return ends + [end for line in lines for _, low, high in line.band for end in (low, high)]


def draw_lines(sheet, axes, lines, first=0):
    """Draws the lines, or two points alone, and a cross at the bottom for a size without a value. Returns handles."""
    handles, panel = [], axes.get_title("left")
    for line in lines:
        ends = {size: (low, high) for size, low, high in line.band}
        sheet.table += [
            (panel, line.label, size, value, *(both or ends.get(size, ("", "")))) for size, value, both in line.points
        ]
    for number, line in enumerate(lines, first):
        look = style.look(number, line.hosted)
        if line.band:
            sizes, lows, highs = zip(*line.band)
            axes.fill_between(sizes, lows, highs, color=look["color"], alpha=0.22, linewidth=0)
        if line.raw:
            axes.scatter(*zip(*line.raw), color=look["color"], **style.RAW)
        sure = [(size, value, ends) for size, value, ends in line.points if ends]
        if sure:
            sizes, values, ends = zip(*sure)
            reach = [[max(value - low, 0) for value, (low, _) in zip(values, ends)],
                     [max(high - value, 0) for value, (_, high) in zip(values, ends)]]  # fmt: skip
            axes.errorbar(sizes, values, yerr=reach, fmt="none", ecolor=look["color"], elinewidth=1.2)
        sizes, values = [size for size, *_ in line.points], [value for _, value, _ in line.points]
        handles += axes.plot(sizes, values, label=line.label, **(look if len(sizes) > 2 else look | {"linestyle": ""}))
        if not line.missing:
            continue
        cross = {"marker": "x", "linestyle": "", "color": look["color"], "markeredgewidth": 2, "clip_on": False}
        axes.plot(line.missing, [0.02] * len(line.missing), transform=axes.get_xaxis_transform(), **cross)
    return handles


def size_axis(axes, sizes, most, text=size_text):
    """An axis of sizes with at most so many ticks at powers of four."""
    axes.set_xscale("log", base=2)
    low, high = sizes[0], sizes[-1]
    first, last = low.bit_length() - 1, high.bit_length()
    step = 2 * max(1, -(-(last - first) // (2 * most)))
    axes.set_xticks([2**power for power in range(first, last + 1, step)])
    axes.set_xlim(low / 2, high * 2)
    axes.xaxis.set_major_formatter(lambda value, _: text(int(value)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel("size")


def value_axis(axes, values, text):
    """A logarithmic axis over at least one decade, so that small differences do not look large."""
    low, high = min(values), max(values)
    more = max(1.6, (10 * low / high) ** 0.5)
    low, high = low / more, high * more
    axes.set_yscale("log")
    axes.set_ylim(low, high)
    axes.yaxis.set_major_locator(LogLocator(base=10, subs=(1,) if high / low > 1000 else (1, 2, 5)))
    axes.yaxis.set_major_formatter(lambda value, _: text(value))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_minor_formatter(NullFormatter())


def draw_ceiling(axes, value, label, above):
    """A horizontal line with its label at the left end, above or below it."""
    look = {"color": style.BLACK, "linestyle": "-" if above else (0, (1, 1.5)), "linewidth": 1.1, "zorder": 1}
    axes.axhline(value, **look)
    place = {"xytext": (3, 2 if above else -2), "textcoords": "offset points", "va": "bottom" if above else "top"}
    axes.annotate(label, (0, value), xycoords=axes.get_yaxis_transform(), size=style.SMALL - 0.5, **place)


def line_sheet(name, words, lines, text, place_text=size_text, kept=()):
    """A picture of these lines. `words`: the sheet's other words, `kept`: values that the vertical axis shows too."""
    sheet = Sheet(name, *words, 4.1, [line.label for line in lines[: style.MOST]])
    axes = sheet.panel(1.0, 0.55, WIDTH - 1.2, 3.45)
    sheet.legend(draw_lines(sheet, axes, lines[: style.MOST]))
    size_axis(axes, sizes_of(lines), 10, place_text)
    value_axis(axes, [*kept, *extent_of(lines[: style.MOST])], text)
    return sheet, axes
