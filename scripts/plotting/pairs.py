# tocuda, Apache-2.0.
"""The picture of all pairs of GPUs: a heat map with numbers for each way of copying, and one of the latency."""

import matplotlib.patches

import style
from notes import of_run
from sheet import WIDTH, Sheet
from source import begins, common_size
from units import digits, size_text

PAIRS = "pairs/copy", "pairs/latency"
CELL, MOST = 0.42, 16  # the side of a cell in inches; the GPUs for which the numbers are legible
SHADES = "#deebf7", "#9ecae1", "#4292c6", "#08519c"  # from little to much; numbers are white on the last two


def panels_of(curves, size):
    """The title of each heat map, with its cells: {(from, to): point}."""
    found = {}
    for curve in curves:
        name, given = curve.benchmark.split("/")[1], curve.parameters
        point = next((point for point in curve.points if point.bytes == size), None)
        if point and given.get("ways", "one") == "one":
            without = ", no access" if given.get("access") == "off" else ""
            way = given.get("by", "").replace("_", " ") + without
            title = "latency of a load, ns" if name == "latency" else f"{way}, GB/s"
            found.setdefault(title, {})[given["from"], given["to"]] = point
    return {
        title: cells
        for title, cells in sorted(found.items())
        if len(cells) > 1 and any(point.sound for point in cells.values())
    }


def value_of(title, point):
    if not point.sound:
        return None
    return point.seconds * 1e9 if title.endswith("ns") else point.rate("one_way") / 1e9


def draw_pairs(axes, title, cells, gpus):
    values = {place: value_of(title, point) for place, point in cells.items()}
    most = max((value for value in values.values() if value is not None), default=0)
    for (sender, receiver), value in values.items():
        # From zero, so that noise does not look like a difference.
        shade = min(len(SHADES) - 1, int(len(SHADES) * value / most)) if value else 0
        place = gpus.index(receiver), gpus.index(sender)
        colour = SHADES[shade] if value is not None else "#ffffff"
        corner = place[0] - 0.5, place[1] - 0.5
        axes.add_patch(matplotlib.patches.Rectangle(corner, 1, 1, facecolor=colour, edgecolor="white"))
        ink = "white" if value is not None and shade > 1 else "black"
        said = digits(value) if value is not None else "✗"
        axes.text(*place, said, ha="center", va="center", size=style.SMALL - 1.5, color=ink)
    axes.set_xlim(-0.5, len(gpus) - 0.5)
    axes.set_ylim(len(gpus) - 0.5, -0.5)
    axes.grid(False)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    axes.set_xticks(range(len(gpus)), gpus)
    axes.set_yticks(range(len(gpus)), gpus)
    axes.set_xlabel("to GPU")
    axes.set_ylabel("from GPU")


def pairs(source, wanted):
    """How fast does each GPU reach each other one?"""
    every = [one for one in source.curves if begins(one, *PAIRS)]
    size = wanted or common_size(every)
    panels = panels_of(every, size)
    gpus = sorted({gpu for cells in panels.values() for place in cells for gpu in place})
    if len(gpus) < 2 or len(gpus) > MOST:
        return None
    side, gap = CELL * max(4, len(gpus)), 0.75
    across = max(1, int((WIDTH - 0.2) / (side + gap)))
    down = -(-len(panels) // across)
    text = of_run(source, every, every, "one_way")
    text += ["A load by GPU `to` is one of the memory of GPU `from`. ✗: no valid value."]
    if any("no access" in title for title in panels):
        text += ["No access: with peer access switched off, so that copies go through the host."]
    question = f"How fast does each GPU reach each other one, {size_text(size)} at a time?"
    height = down * (side + 1.0)
    about = f"{source.facts()} · medians over processes"
    sheet = Sheet("pairs-of-gpus", question, about, text, source.simulated, height)
    for number, (title, cells) in enumerate(panels.items()):
        left = gap + number % across * (side + gap)
        bottom = (down - 1 - number // across) * (side + 1.0) + 0.5
        draw_pairs(sheet.panel(left, bottom, side, side, title), title, cells, gpus)
        for (sender, receiver), point in sorted(cells.items()):
            sheet.table.append((title, f"{sender} to {receiver}", size, value_of(title, point) or "", "", ""))
    return sheet
