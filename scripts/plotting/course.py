# tocuda, Apache-2.0.
"""The picture of a minute of copies: the speed in each second and, below it, what the GPU reported meanwhile."""

from matplotlib.ticker import MaxNLocator

from labels import labels_of
from lines import Line, draw_lines
from notes import facts, left, of_run
from sheet import WIDTH, Sheet
from source import pictured
from style import MOST
from units import rate_text

NAME = "course-of-a-minute"
PANEL = 1.15
# Each panel: its label, and what it shows of a second and its row.
PANELS = (
    ("speed, %", lambda first, second: 100 * first["seconds"] / second["seconds"]),
    ("SM clock, MHz", lambda _, second: second["sm_clock_mhz"]),
    ("power, W", lambda _, second: second["power_w"]),
    ("°C", lambda _, second: second["temperature_c"]),
)


def lines_of(points, labels, shown):
    """A line for each row with this reading. The n-th sample ends after n seconds."""
    lines = []
    for label, point in zip(labels, points):
        course = point.row["course"]
        values = [shown(course[0], second) for second in course]
        there = [(number, value, None) for number, value in enumerate(values, 1) if value is not None]
        lines.append(Line(label, there))
    return lines


def course(source, wanted):
    """Does the speed hold for a minute?"""
    every = [one for one in source.curves if pictured(one, NAME)]
    curves = [one for one in every if any(point.row.get("course") for point in one.sound)]
    if not curves:
        return None
    points = [next(point for point in reversed(one.sound) if point.row.get("course")) for one in curves]
    source.show(list(zip(curves, points))[:MOST])
    named = [labels_of(curves)[one.key] for one in curves]
    labels = [f"{name}, {rate_text(point.rate('one_way'))}" for name, point in zip(named, points)]
    panels = [(name, lines_of(points[:MOST], labels, shown)) for name, shown in PANELS]
    panels = [(name, lines) for name, lines in panels if any(line.points for line in lines)]
    text = of_run(source, curves, every, "one_way") + [
        "Copies back to back in one process: a point is the mean of all copies within one second of the GPU's clock, "
        "as a part of the first second's; the rate beside each name is that of the median second. SM clock, power and "
        "temperature are read at its end, while the next ones run.",
        left(labels, MOST),
    ]
    words = "Does the speed of copies hold for a minute?", facts(source, curves), text, source.simulated
    sheet = Sheet(NAME, *words, 0.6 + (PANEL + 0.2) * len(panels), labels[:MOST])
    handles, below = [], None
    for number, (name, lines) in enumerate(reversed(panels)):
        place = 1.0, 0.55 + number * (PANEL + 0.2), WIDTH - 1.2, PANEL
        axes = sheet.panel(*place, **({"sharex": below} if below else {}))
        handles = draw(sheet, axes, name, lines)
        if below:
            axes.tick_params(labelbottom=False)
        else:
            axes.set_xlabel("seconds")
        below = below or axes
    sheet.legend(handles)
    return sheet


def draw(sheet, axes, name, lines):
    """One panel, from zero, so that a small change does not look large."""
    first = len(sheet.table)
    handles = draw_lines(sheet, axes, [line for line in lines if line.points])
    sheet.table[first:] = [(name, *row[1:]) for row in sheet.table[first:]]
    for handle in handles:
        handle.set_markersize(3)
    axes.set_ylim(0, 1.15 * max(value for line in lines for _, value, _ in line.points))
    axes.set_ylabel(name)
    axes.yaxis.set_major_locator(MaxNLocator(3))
    return handles
