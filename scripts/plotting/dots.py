# tocuda, Apache-2.0.
"""Draws one value a row: its label, a dot with its interval, and the value in words."""

import dataclasses
import math
import textwrap

from matplotlib.ticker import MaxNLocator, NullLocator

import style
from sheet import LETTER, WIDTH, Sheet

MOST_ROWS = 26
LABEL = 46  # letters of a label's line
BLUE = {"color": style.BLUE, "filled": True}


@dataclasses.dataclass
class Dot:
    label: str
    value: float
    ends: list | None
    text: str
    look: dict = dataclasses.field(default_factory=lambda: BLUE)
    group: str = ""
    raw: list = ()  # what single processes measured


def look_of(curve):
    return {"color": style.BLUE, "filled": not curve.hosted}


def wrapped(label):
    return "\n".join(textwrap.wrap(label, LABEL, break_on_hyphens=False))


class Rows:
    """The places of rows, top down. A group begins with a line for its heading."""

    def __init__(self, dots):
        self.labels, self.places, self.headings = [wrapped(dot.label) for dot in dots], [], []
        self.row = 0.11 + 0.13 * max(label.count("\n") + 1 for label in self.labels)
        at, before = 0, ""
        for dot in dots:
            if dot.group != before:
                self.headings.append((at + 0.15, dot.group))
                at, before = at + 1, dot.group
            self.places.append(at)
            at += 1
        self.count = at

    @property
    def height(self):
        return self.row * self.count + 0.1

    @property
    def label_width(self):
        """Inches for the labels."""
        lines = [line for label in self.labels for line in label.split("\n")] + [name for _, name in self.headings]
        return max(map(len, lines)) * LETTER + 0.2

    def set_up(self, axes, labelled):
        axes.set_ylim(self.count - 0.4, -0.6)
        axes.set_yticks(self.places, self.labels if labelled else [""] * len(self.places))
        axes.tick_params(axis="y", length=0)
        for place, name in self.headings if labelled else ():
            how = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points", "annotation_clip": False}
            axes.annotate(name, (0, place), (-4, 0), ha="right", va="center", weight="bold", size=style.SMALL, **how)


def draw_dots(sheet, axes, rows, dots, axis, label, labelled=True):
    """Draws the dots that are not None at the places of the rows."""
    sheet.table += [(dot.group, dot.label, label, dot.value, *(dot.ends or ("", ""))) for dot in dots if dot]
    axes.set_xlabel(label)
    rows.set_up(axes, labelled)
    for place, dot in zip(rows.places, dots):
        if dot is None:
            continue
        colour = dot.look["color"]
        if dot.ends:
            reach = [[max(dot.value - dot.ends[0], 0)], [max(dot.ends[1] - dot.value, 0)]]
            axes.errorbar([dot.value], [place], xerr=reach, fmt="none", ecolor=colour, elinewidth=1.6)
        if dot.raw:
            axes.scatter(dot.raw, [place] * len(dot.raw), color=colour, **style.RAW)
        filling = colour if dot.look["filled"] else "white"
        axes.plot([dot.value], [place], "o", color=colour, markerfacecolor=filling, markeredgewidth=1.4, clip_on=False)
        how = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points", "va": "center"}
        axes.annotate(dot.text, (1, place), (7, 0), size=style.SMALL, annotation_clip=False, **how)
    values = [end for dot in dots if dot for end in (dot.value, *(dot.ends or ()), *dot.raw)]
    axis(axes, values)


def dot_sheet(name, words, dots, axis, label, right=1.1):
    """A picture of one panel of dots, with room for the values on its right. `words`: the sheet's other words."""
    rows = Rows(dots)
    sheet = Sheet(name, *words, rows.height + 0.65)
    axes = sheet.panel(rows.label_width, 0.55, WIDTH - rows.label_width - right, rows.height)
    draw_dots(sheet, axes, rows, dots, axis, label)
    return sheet, axes


def from_zero(text, least=0.0):
    """A linear axis from zero to at least `least`."""

    def apply(axes, values):
        high = max([least, *values])
        axes.set_xlim(0, high * 1.04)
        axes.xaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 2.5, 5, 10]))
        axes.xaxis.set_major_formatter(lambda value, _: text(value) if value else "0")

    return apply


def logarithmic(text, base=10, most=4, between=(2, 5)):
    def apply(axes, values):
        low, high = min(values), max(values)
        more = 1.5 if high / low > 10 else (10 * low / high) ** 0.5 * 1.05
        axes.set_xscale("log", base=base)
        axes.set_xlim(low / more, high * more)
        first, last = math.ceil(math.log(low / more, base)), math.floor(math.log(high * more, base))
        step = max(1, -(-(last - first + 1) // most))
        for parts in ((1, *between), (1, 3), (1,)) if base == 10 and most > 2 * (last - first + 2) else ((1,),):
            powers = range(first - (len(parts) > 1), last + 1, step)
            ticks = [part * base**power for power in powers for part in parts]
            ticks = [tick for tick in ticks if low / more <= tick <= high * more]
            if len(ticks) <= 5:  # more labels would overlap
                break
        axes.set_xticks(ticks)
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_major_formatter(lambda value, _: text(value))

    return apply


def percent_text(change):
    return f"{100 * change:+.1f} %".replace("-", "−") if abs(change) >= 5e-4 else "0 %"


def around_zero(axes, values):
    """A linear axis of changes, zero in its middle."""
    reach = 1.1 * max([0.01, *map(abs, values)])
    axes.set_xlim(-reach, reach)
    axes.axvline(0, color=style.BLACK, linewidth=1)
    axes.xaxis.set_major_locator(MaxNLocator(5))
    axes.xaxis.set_major_formatter(lambda value, _: percent_text(value))
