# tocuda, Apache-2.0.
"""The pictures of what no other picture shows, by families of benchmarks: over size and, of what has one size or none,
row by row. So each row that counts has a picture; of settings that only tune, the fastest has."""

import functools
import textwrap

from against import TEXTS, fastest, line_of
from dots import Dot, dot_sheet, from_zero, logarithmic, look_of
from labels import by_value, descriptions, labels_of, role_of
from lines import draw_lines, extent_of, size_axis, sizes_of, value_axis
from notes import facts, left, of_run
from one_size import AXES
from sheet import LETTER, WIDTH, Sheet
from style import MOST
from units import size_text

MOST_ROWS, MOST_PANELS = 60, 12
PANEL, LINE = 2.0, 0.18  # the least height of a panel, and that of a line of its legend, in inches
SIDE, GAP = 2.75, 0.4  # the width of legends, and what is between panels
NEAR = 20  # so many times the least value can be drawn from zero
LABELS = {**AXES, "seconds": "time", "items": "operations a second"}
ENDS = {"seconds": "-times", "items": "-operations"}


def family_of(curve):
    return curve.benchmark if role_of(curve.benchmark).get("alone") else curve.benchmark.rsplit("/", 1)[0]


@functools.cache
def roles_in(family):
    within = (role_of(name) for name in descriptions() if name.rsplit("/", 1)[0] == family)
    return [role_of(family)] if role_of(family) else [role for role in within if not role.get("alone")]


def asked_of(family):
    """The question that the family answers with a picture that is no rest; none: empty."""
    return next((role["question"] for role in roles_in(family) if "question" in role), "")


def is_collective(family):
    return bool(roles_in(family)) and all(role.get("collective") for role in roles_in(family))


def name_of(family, quantity, end=""):
    return ("" if asked_of(family) else "rest-of-") + family.replace("/", "-") + ENDS.get(quantity, "") + end


def question_of(family, quantity):
    if asked := asked_of(family):
        return asked
    words = ("How long does", " take") if quantity == "seconds" else ("How fast is", "")
    return f"{words[0]} the rest of {family}/{words[1]}"


def quantity_of(curve):
    point = curve.sound[-1]
    if point.row.get("items"):
        return "items"
    rate = "touched" if role_of(curve.benchmark).get("touched") else "one_way"
    return rate if point.rate(rate) else "seconds"


def convention_of(family, quantity):
    """How bytes are counted; those of a collective are what its bus rate counts."""
    return quantity if quantity in AXES and not is_collective(family) else None


def axis_of(family, quantity):
    return "bus rate" if quantity == "touched" and is_collective(family) else LABELS[quantity]


def place_of(given):
    return given.get("bytes") or given.get("elements")


def place_text(number, sizes):
    return size_text(number) if sizes else size_text(number).removesuffix("B").rstrip()


def in_family(source, family, quantity):
    """Every curve of the family; those with this quantity, and the label of each."""
    every = [one for one in source.curves if family_of(one) == family]
    curves = [one for one in every if one.sound and quantity_of(one) == quantity]
    curves.sort(key=lambda one: (one.benchmark, by_value(one)))
    labels = {}
    for name in dict.fromkeys(one.benchmark for one in curves):
        labels |= labels_of([one for one in curves if one.benchmark == name], settings=False, without=("elements",))
    return every, curves, labels


def within(label):
    """A label without the benchmark's name, if more follows."""
    return label.split(", ", 1)[-1]


def over_size(curves, labels, quantity):
    """Those lines of `fastest` that have several places."""
    found = {} if role_of(curves[0].benchmark).get("each_row") else fastest(curves, labels, quantity, place_of)
    return {label: line for label, line in found.items() if len(line[1]) > 1}


def packed(lines):
    """The lines of each panel: those of one benchmark together, benchmarks that need no panel of their own side by
    side."""
    panels, room = [], 0
    for benchmark in dict.fromkeys(first.benchmark for _, (first, _) in lines):
        here = [line for line in lines if line[1][0].benchmark == benchmark]
        count = -(-len(here) // MOST)
        size = -(-len(here) // count)
        if len(here) <= room:
            panels[-1] += here
        else:
            panels += [here[start : start + size] for start in range(0, len(here), size)]
        room = MOST - len(panels[-1]) if count == 1 else 0
    return panels


def by_size(source, wanted, family, quantity, shown):
    every, curves, labels = in_family(source, family, quantity)
    found = over_size(curves, labels, quantity) if curves else {}
    lines = [(label, line) for label, line in found.items() if not line_is_shown(line, shown)]
    if not lines:
        return None
    panels = packed(lines)
    drawn = [line for panel in panels[:MOST_PANELS] for line in panel]
    source.show(one for _, (_, at) in drawn for one in at.values())
    curves = list({one.key: one for _, (_, at) in drawn for one, _ in at.values()}.values())
    text = of_run(source, curves, every, convention_of(family, quantity))
    text += ["Of the settings that only tune, the fastest is drawn at each size."]
    text += [left([label for label, _ in lines], len(drawn))]
    words = f"{question_of(family, quantity)}, at each size?", facts(source, curves), text, source.simulated
    name, axis = name_of(family, quantity, "-by-size"), axis_of(family, quantity)
    return draw_panels(name, words, panels[:MOST_PANELS], quantity, axis)


def line_is_shown(line, shown):
    return all((one.mechanism, point.bytes) in shown for one, point in line[1].values())


def draw_panels(name, words, panels, quantity, axis):
    titles = [title_of(panel) for panel in panels]
    clocks = {first.clock for panel in panels for _, (first, _) in panel}
    lines = [
        [line_of(labelled(label, line[0], title, clocks), *line, quantity) for label, line in panel]
        for panel, title in zip(panels, titles)
    ]
    heights = [max(PANEL, LINE * sum(line.label.count("\n") + 1 for line in some) + 0.1) for some in lines]
    every = [line for some in lines for line in some]
    sized = any(point.bytes for panel in panels for _, (_, at) in panel for _, point in at.values())
    top = 0.55 + sum(heights) + GAP * (len(heights) - 1)
    sheet = Sheet(name, *words, top + 0.3)
    sheet.text(0.12, sheet.foot + (0.55 + top) / 2, axis, rotation="vertical", va="center")
    for number, (title, some, height) in enumerate(zip(titles, lines, heights)):
        place, last = (1.0, top - height, WIDTH - SIDE - 1.0, height), number == len(lines) - 1
        axes = sheet.panel(*place, title)
        handles = draw_lines(sheet, axes, some)
        size_axis(axes, sizes_of(every), 8, functools.partial(place_text, sizes=sized))
        value_axis(axes, extent_of(every), TEXTS[quantity])
        axes.set_xlabel(("size" if sized else "numbers in each array") if last else "")
        axes.tick_params(labelbottom=last)
        corner = (WIDTH - SIDE + 0.1) / sheet.width, (sheet.foot + top + 0.05) / sheet.height
        sheet.figure.legend(handles=handles, loc="upper left", bbox_to_anchor=corner, borderpad=0, borderaxespad=0)
        top -= height + GAP
    return sheet


def title_of(panel):
    """The benchmark of a panel's lines if it is one, and has several."""
    names = {label.split(", ")[0] for label, _ in panel}
    return names.pop() if len(names) == 1 < len(panel) else ""


def labelled(label, curve, title, clocks):
    said = (within(label) if title else label) + (" (host clock)" if curve.hosted and len(clocks) > 1 else "")
    return "\n".join(textwrap.wrap(said, int((SIDE - 0.6) / LETTER), break_on_hyphens=False))


def row_by_row(source, wanted, family, quantity, shown):
    every, curves, labels = in_family(source, family, quantity)
    lines = over_size(curves, labels, quantity) if curves else {}
    found = {}
    for one in curves:
        for point in one.sound:
            place = labels[one.key], point.bytes, one.parameters.get("elements")
            if (one.mechanism, point.bytes) not in shown and labels[one.key] not in lines and point.value(quantity):
                found[place] = min(found.get(place, (one, point)), (one, point), key=lambda each: each[1].seconds)
    rows = sorted(found.items(), key=lambda row: order_of(*row))
    if not rows:
        return None
    source.show([one for _, one in rows[:MOST_ROWS]])
    sizes = {size for (_, size, _), _ in rows}
    dots = dots_of(rows, quantity, len(sizes) > 1)
    text = of_run(source, curves, every, convention_of(family, quantity), raw=True)
    text += [left([f"{dot.group} {dot.label}" for dot in dots], MOST_ROWS)]
    size = next(iter(sizes)) if len(sizes) == 1 else None
    question = question_of(family, quantity) + (f", with {size_text(size)}?" if size else "?")
    words = question, facts(source, curves), text, source.simulated
    values = [dot.value for dot in dots[:MOST_ROWS]]
    near = min(values) > 0 and max(values) < NEAR * min(values)
    axis = from_zero(TEXTS[quantity]) if near else logarithmic(TEXTS[quantity], most=7)
    return dot_sheet(name_of(family, quantity), words, dots[:MOST_ROWS], axis, axis_of(family, quantity))[0]


def order_of(place, found):
    """By benchmark, size and parameters; what nothing runs beside comes first, and of a search the fastest."""
    one, point = found
    kept = [pair for pair in by_value(one) if pair[0] != "beside"]
    searched = point.seconds if role_of(one.benchmark).get("tunes") else 0
    beside = one.parameters.get("beside", "")
    return one.benchmark, point.bytes or 0, searched, kept, beside != "nothing", beside


def dots_of(rows, quantity, sized):
    """The benchmark and size are the heading of several rows, or stand before the only row of each."""
    names = {one.benchmark for _, (one, _) in rows}
    dots = []
    for (label, size, _), (one, point) in rows:
        name, *parts = label.split(", ")
        said = [name] * (not role_of(one.benchmark).get("tunes") or not parts) + (
            [size_text(size)] if sized and size else []
        )
        if "beside" in one.parameters:  # like copies stand together
            said += [part for part in parts if not part.startswith("beside ")]
            parts = [part for part in parts if part.startswith("beside ")]
        grouped = len(rows) > len(names) and parts
        heading, parts = (", ".join(said), parts) if grouped else ("", said + parts)
        value = point.value(quantity)
        text = TEXTS[quantity](value)
        dots.append(
            Dot(", ".join(parts), value, point.ends(quantity), text, look_of(one), heading, point.raw(quantity))
        )
    return dots


def rest(runs):
    """A question for each family of what no picture of these runs shows, and which curves are of the family."""
    shown = set().union(*(run.shown for run in runs))
    found = {}
    for run in runs:
        for one in run.curves:
            if any((one.mechanism, point.bytes) not in shown for point in one.sound):
                found[family_of(one), quantity_of(one)] = True
    for family, quantity in found:
        for draw in (by_size, row_by_row):
            question = functools.partial(draw, family=family, quantity=quantity, shown=shown)
            yield question, lambda one, family=family: family_of(one) == family
