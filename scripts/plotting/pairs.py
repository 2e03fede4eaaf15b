# tocuda, Apache-2.0.
"""The pictures of all pairs of GPUs, and of NUMA nodes: a heat map with numbers for each way of copying, and one of the
latency."""

import collections.abc
import dataclasses
import math
import textwrap

import matplotlib.patches

import style
from notes import of_run
from sheet import WIDTH, Sheet
from source import common_size, pictured
from units import digits, size_text

CELL, MOST = 0.42, 16  # the side of a cell in inches; the GPUs for which the numbers are legible
SHADES = "#deebf7", "#9ecae1", "#4292c6", "#08519c"  # from little to much; numbers are white on the last two
NANOSECONDS = ", ns"
LATENCIES = {"load": "a load", "bulk": "a bulk load"}
KERNELS = {name: number for number, name in enumerate(("read", "copy", "scale", "add", "triad"))}


def title_of_pair(one):
    given = one.parameters
    if "flags" in given:
        return f"latency of a flag, flags={given['flags']}" + NANOSECONDS
    if given.get("by") in LATENCIES:
        return f"latency of {LATENCIES[given['by']]}" + NANOSECONDS
    managed = "managed memory, " + given["how"] if "how" in given else ""
    both = ", both ways" if given.get("ways") == "both" else ""
    without = ", no access" if given.get("access") == "off" else ""
    return (managed or given.get("by", "").replace("_", " ")) + both + without + ", GB/s"


def title_of_nodes(one):
    given = one.parameters
    if "kernel" not in given:
        return f"a load, {given['pages']} pages" + NANOSECONDS
    return f"{given['kernel']}, {given['stores']} stores, to node {given['to']}, GB/s"


def order_of(one):
    """Copies one way, then both ways, then without access; managed memory; latencies."""
    given = one.parameters
    latency = "flags" in given or "pages" in given or given.get("by") in LATENCIES
    kind = 2 if latency else 1 if "how" in given else 0
    how = given.get("kernel") or given.get("by") or given.get("how") or ""
    return kind, given.get("access") == "off", given.get("ways") == "both", KERNELS.get(how, 0), how


@dataclasses.dataclass
class Grid:
    """A question that heat maps answer, one for each title."""

    name: str
    question: str
    title_of: collections.abc.Callable
    down: tuple  # the parameter and its label
    across: tuple
    convention: str
    read: str
    without_size: str = ""  # the question where nothing is moved

    def __call__(self, source, wanted):
        every = [one for one in source.curves if pictured(one, self.name)]
        panels = self.panels(every, wanted)
        things = sorted({thing for cells in panels.values() for place in cells for thing in place})
        if len(things) < 2 or len(things) > MOST:
            return None
        source.show(found for cells in panels.values() for found in cells.values())
        return self.sheet(source, every, panels, things)

    def panels(self, curves, wanted):
        """The title of each heat map, with its cells: {(down, across): the fastest curve there and its point}."""
        titles, found = {}, {}
        for one in sorted(curves, key=order_of):
            titles.setdefault(self.title_of(one), []).append(one)
        for title, alike in titles.items():
            size = (wanted or common_size(alike)) if any(one.sized for one in alike) else None
            here = [(one, point) for one in alike for point in one.points if point.bytes == size]
            for one, point in here:
                if point.row["status"] == "skipped":
                    continue
                cells = found.setdefault(title, {})
                place = one.parameters[self.down[0]], one.parameters[self.across[0]]
                before = cells.get(place, (one, point))
                cells[place] = min(before, (one, point), key=lambda each: each[1].seconds or math.inf)
        sound = {title: any(point.sound for _, point in cells.values()) for title, cells in found.items()}
        return {title: cells for title, cells in found.items() if len(cells) > 1 and sound[title]}

    def value(self, title, point):
        if not point.sound:
            return None
        return point.seconds * 1e9 if title.endswith(NANOSECONDS) else point.rate(self.convention) / 1e9

    def sheet(self, source, every, panels, things):
        side, gap = CELL * max(4, len(things)), 0.75
        across = max(1, int((WIDTH - 0.2) / (side + gap)))
        rows = -(-len(panels) // across)
        text = of_run(source, every, every, self.convention, bars=False) + [self.read]
        if any("no access" in title for title in panels):
            text += ["No access: with peer access switched off, so that copies go through the host."]
        about = f"{source.facts(curves=every)} · medians over processes"
        sizes = {point.bytes for cells in panels.values() for _, point in cells.values() if point.bytes}
        question = self.question.format(" or ".join(map(size_text, sorted(sizes)))) if sizes else self.without_size
        sheet = Sheet(self.name, question, about, text, source.simulated, rows * (side + 1.1))
        for number, (title, found) in enumerate(panels.items()):
            left = gap + number % across * (side + gap)
            bottom = (rows - 1 - number // across) * (side + 1.1) + 0.5
            cells = {place: self.value(title, point) for place, (_, point) in found.items()}
            axes = sheet.panel(left, bottom, side, side, "\n".join(textwrap.wrap(title, int(10 * (side + gap)))))
            draw_cells(axes, cells, things)
            axes.set_xlabel(self.across[1])
            axes.set_ylabel(self.down[1])
            for (one, other), value in sorted(cells.items()):
                sheet.table.append((title, f"{one} to {other}", found[one, other][1].bytes or "", value or "", "", ""))
        return sheet


def draw_cells(axes, cells, things):
    most = max((value for value in cells.values() if value is not None), default=0)
    for (down, across), value in cells.items():
        # From zero, so that noise does not look like a difference.
        shade = min(len(SHADES) - 1, int(len(SHADES) * value / most)) if value else 0
        place = things.index(across), things.index(down)
        colour = SHADES[shade] if value is not None else "#ffffff"
        corner = place[0] - 0.5, place[1] - 0.5
        axes.add_patch(matplotlib.patches.Rectangle(corner, 1, 1, facecolor=colour, edgecolor="white"))
        ink = "white" if value is not None and shade > 1 else "black"
        look = {"size": style.SMALL - 1.5, "color": ink}
        if value is None:
            look = {"size": 2 * style.SMALL, "color": style.VERMILLION, "weight": "bold"}
        axes.text(*place, digits(value) if value is not None else "✗", ha="center", va="center", **look)
    axes.set_xlim(-0.5, len(things) - 0.5)
    axes.set_ylim(len(things) - 0.5, -0.5)
    axes.grid(False)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    axes.set_xticks(range(len(things)), things)
    axes.set_yticks(range(len(things)), things)


pairs = Grid(
    "pairs-of-gpus",
    "How fast does each GPU reach each other one, {} at a time?",
    title_of_pair,
    ("from", "from GPU"),
    ("to", "to GPU"),
    "one_way",
    "A load by GPU `to` is one of the memory of GPU `from`; a flag goes one way. Both ways: the sum of both. "
    "✗: no valid value.",
    "How fast does each GPU reach each other one?",
)
nodes = Grid(
    "nodes-of-the-host",
    "How fast does each NUMA node of the host reach each other one, with {}?",
    title_of_nodes,
    ("from", "from the memory of node"),
    ("on", "processors of node"),
    "touched",
    "Each kernel reads from one node and writes `to` another. ✗: no valid value.",
)
