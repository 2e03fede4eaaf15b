# tocuda, Apache-2.0.
"""The pictures of several runs: drivers over one another, and changes with their intervals. Medians over runs and
changes are those of `tocuda compare`."""

import textwrap

from matplotlib.ticker import MaxNLocator

from dots import MOST_ROWS, Dot, around_zero, dot_sheet, percent_text
from labels import labels_of, role_of, where
from lines import Line, draw_lines, extent_of, size_axis
from notes import UNITS, left
from sheet import WIDTH, Sheet
from source import Curve
from style import BLUE, GREY, MOST, VERMILLION
from units import rate_text, size_text

MOST_PANELS = 6
FIRST = "to_gpu", "to_host", "pageable", "other_copy", "read", "copy"  # the headlines of benchmarks

READ = (
    "Line: the median over the runs, as `tocuda compare` has it; of one run, its own. Band: all runs with their 95 % "
    "intervals. Bandwidth: payload bytes, one way."
)


def measuring(sources):
    return [source for source in sources if any(curve.sound for curve in source.curves)]


def alike(sources):
    """Measuring sources on one kind of GPU: real ones if there are any."""
    measured = [source for source in measuring(sources) if source.device != "none"]
    real = [source for source in measured if not source.simulated]
    return real or measured


def medians_of(comparisons, driver):
    """The median over its runs of each row, as `compare` says it: {(row's id, GPU): seconds}."""
    return {
        (row["id"], row.get("gpu", "")): row[side]["seconds"]
        for one in comparisons
        for side, name in zip(("old", "new"), one.get("names", ()))
        if name.split(" ")[0] == driver
        for row in one["rows"]
    }


def line_of(label, sources, key, medians):
    """The line of one driver's medians, or of its only run, in the band of all its runs with their intervals."""
    sizes = {}
    for source in sources:
        for point in next((one.sized for one in source.curves if one.key == key), []):
            sizes.setdefault(point.bytes, []).append((source, point))
    line = Line(label, [])
    for size, found in sorted(sizes.items()):
        source, point = found[-1]
        seconds = medians.get((point.row["id"], source.uuid)) if len(found) > 1 else point.seconds
        value = point.rate("one_way", seconds) if point.row["bytes_one_way"] else None
        ends = [end for _, one in found for end in (one.rate("one_way"), *(one.rate_ends("one_way") or ()))]
        if value and seconds:
            line.points.append((size, value, None))
        line.band.append((size, min(ends), max(ends)))
    return line


def in_several(groups):
    """The curves that several groups of runs have, the best known first."""
    found = {}
    for name, sources in groups.items():
        for curve in (curve for source in sources for curve in source.curves):
            if len(curve.sized) > 1 and curve.sized[0].rate("one_way"):
                found.setdefault(curve.key, {})[name] = curve
    several = [min(one.values(), key=lambda curve: -len(curve.sized)) for one in found.values() if len(one) > 1]

    def order(curve):
        name = role_of(curve.benchmark).get("headline")
        return FIRST.index(name) if name in FIRST else len(FIRST), -len(curve.sized), curve.key

    return sorted(several, key=order)


def draw_drivers(sheet, axes, lines):
    handles = draw_lines(sheet, axes, lines)
    axes.set_ylim(0, 1.08 * max(extent_of(lines)))
    axes.yaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 2.5, 5, 10]))
    axes.yaxis.set_major_formatter(lambda value, _: rate_text(value) if value else "0")
    return handles


def drivers(sources, comparisons):
    """Is bandwidth the same with every driver?"""
    uuids = [source.uuid for source in sources]
    here = [source for source in sources if source.uuid == max(dict.fromkeys(uuids), key=uuids.count)]
    names = list(dict.fromkeys(source.driver for source in here))[-MOST:]
    groups = {name: [source for source in here if source.driver == name] for name in names}
    curves = in_several(groups)
    chosen, labels = curves[:MOST_PANELS], labels_of(curves)
    if not chosen:
        return None
    titles = [f"{where(curve.benchmark)}: {labels[curve.key]}" for curve in curves]
    text = [*(source.facts(whole=True) + "." for source in here), READ, UNITS, left(titles, MOST_PANELS)]
    about = f"{here[0].gpu} · {len(here)} runs · line: median over runs; band: all runs with their 95 % intervals"
    shown = [f"driver {name} ({len(some)} run{'s' * (len(some) > 1)})" for name, some in groups.items()]
    across = min(3, len(chosen))
    down = -(-len(chosen) // across)
    width = (WIDTH - 0.1) / across
    titles = ["\n".join(textwrap.wrap(title, int(10.6 * (width - 0.9)))) for title in titles]
    question = "Is bandwidth, one way, the same with every driver?"
    sheet = Sheet("runs-by-driver", question, about, text, here[0].simulated, 2.75 * down, shown)
    medians = [medians_of(comparisons, name) for name in names]
    each = list(zip(shown, groups.values(), medians))
    drawn = [[line_of(label, some, curve.key, found) for label, some, found in each] for curve in chosen]
    sizes = sorted({size for some in drawn for line in some for size, *_ in line.band})
    for number, lines in enumerate(drawn):
        column, row = number % across, number // across
        place = 0.85 + column * width, 2.75 * (down - 1 - row) + 0.55
        handles = draw_drivers(sheet, axes := sheet.panel(*place, width - 0.95, 1.75, titles[number]), lines)
        size_axis(axes, sizes, 4 if across > 2 else 8)
    sheet.legend(handles)
    return sheet


LOOKS = {
    "slower": {"color": VERMILLION, "filled": True},
    "faster": {"color": BLUE, "filled": True},
    "likely slower": {"color": VERMILLION, "filled": False},
    "likely faster": {"color": BLUE, "filled": False},
    "same": {"color": GREY, "filled": True},
    "undecided": {"color": GREY, "filled": False},
}


def named(rows):
    """The label of each row: its mechanism and size."""
    curves = []
    for row in rows:
        kept = {name: value for name, value in row["parameters"].items() if name != "bytes"}
        curves.append(Curve(row["benchmark"], kept, row.get("peer", ""), row["clock"], [], None))
    labels = labels_of(curves)
    for row, curve in zip(rows, curves):
        size = row["parameters"].get("bytes")
        end = f", {size_text(size)}" if isinstance(size, int) else ""
        yield f"{where(curve.benchmark)}: {labels[curve.key]}{end}"


def change_dot(label, row):
    text = f"{percent_text(row['change'])} {row['verdict']}"
    return Dot(label, row["change"], row["change_interval"], text, LOOKS[row["verdict"]])


def sides(one):
    """Both sides of a comparison in words."""
    if one.get("names"):
        drivers = [name.split(" (")[0] for name in one["names"]]
        return [f"driver {name}" for name in (drivers if len(set(drivers)) > 1 else one["names"])]
    return [f"run {one['about'][side][0]['run'][:8]}" if one["about"][side] else side for side in ("old", "new")]


def changes(device, comparisons):
    """What became slower or faster, and how surely?"""
    usable = []
    for one in comparisons:
        rows = [row for row in one["rows"] if row["verdict"] in LOOKS and row["change"] is not None]
        usable.append((one, [row for row in rows if row["device"] == device]))
    usable = [(one, rows) for one, rows in usable if rows]
    if not usable:
        return None
    one, rows = usable[-1]
    names = list(LOOKS)
    rows.sort(key=lambda row: (names.index(row["verdict"]), -abs(row["change"]), row["benchmark"]))
    labels = list(named(rows))
    dots = list(map(change_dot, labels, rows))
    counts = ", ".join(f"{n} {word}" for word in names if (n := sum(row["verdict"] == word for row in rows)))
    old, new = sides(one)
    level = next((row["interval_level"] for row in rows if row["interval_level"]), None)
    bars = f"bars: {100 * level:.4g} % intervals" if level else "no intervals: too few sessions on each side"
    text = [
        f"{counts}. Filled: sure; hollow: likely or undecided. A change counts from {100 * rows[0]['margin']:g} % on.",
        f"Attribution: {one['attribution']['text']}.",
        *(f"{label}: {dot.text}: {row['because']}." for label, dot, row in zip(labels, dots, rows)),
        left(labels, MOST_ROWS),
        *one["warnings"],
    ]
    about = f"{counts} of {len(rows)} rows · {bars}"
    words = f"What changed from {old} to {new}, and how surely?", about, text, device == "simulated"
    return dot_sheet("changes", words, dots[:MOST_ROWS], around_zero, "change of time: + is slower", 1.55)[0]
