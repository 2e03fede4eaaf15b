# tocuda, Apache-2.0.
"""The picture of operations a second and, beside it, of the time of one that waits for the one before."""

from dots import Dot, Rows, draw_dots, logarithmic, look_of
from labels import by_value, labels_of, rank, where
from notes import facts, left, of_run
from sheet import WIDTH, Sheet
from source import pictured
from units import operations_text, time_text

NAME = "operations-a-second"
KNOWN = "fma", "divide", "square_root", "add", "max", "cas"
MOST = 40
PANELS = (
    ("items", operations_text, "operations a second"),
    ("seconds", time_text, "time of one in a chain"),
)


def panels_of(curves, labels):
    """What each panel shows: {its quantity: {(group, label): dot}}."""
    found = {}
    for one in curves:
        point = one.sound[-1]
        quantity, text, _ = PANELS[0 if point.row.get("items") else 1]
        place, value = (where(one.benchmark), labels[one.key]), point.value(quantity)
        dot = Dot(place[1], value, point.ends(quantity), text(value), look_of(one), place[0], point.raw(quantity))
        found.setdefault(quantity, {})[place] = dot
    return found


def operations(source, wanted):
    """How many operations does the GPU do in a second?"""
    every = sorted(
        (one for one in source.curves if pictured(one, NAME)), key=lambda one: (rank(one, KNOWN), by_value(one))
    )
    curves = [one for one in every if one.sound]
    if not curves:
        return None
    labels = labels_of(curves, without=("what",))
    shown = panels_of(curves, labels)
    places = list(dict.fromkeys((where(one.benchmark), labels[one.key]) for one in curves))
    source.show((one, one.sound[-1]) for one in curves if (where(one.benchmark), labels[one.key]) in places[:MOST])
    rows = Rows([Dot(label, 0, None, "", group=group) for group, label in places[:MOST]])
    text = of_run(source, curves, every, raw=True) + [
        "A multiplication and an addition in one instruction count as two operations. A chain waits for each step.",
        left([label for _, label in places], MOST),
    ]
    words = "How many operations does the GPU do in a second?", facts(source, curves), text, source.simulated
    sheet = Sheet(NAME, *words, rows.height + 0.65)
    panels = [panel for panel in PANELS if panel[0] in shown]
    width = (WIDTH - rows.label_width) / len(panels)
    for number, (quantity, said, label) in enumerate(panels):
        axes = sheet.panel(rows.label_width + number * width, 0.55, width - 1.2, rows.height)
        dots = [shown[quantity].get(place) for place in places[:MOST]]
        draw_dots(sheet, axes, rows, dots, logarithmic(said, most=7, between=(3,)), label, labelled=number == 0)
    return sheet
