# tocuda, Apache-2.0.
"""Writes docs/published.md: the numbers of results/published/numbers.json with their sources."""

import json
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
NUMBERS = ROOT / "results/published/numbers.json"
PAGE = ROOT / "docs/published.md"
HEAD = """<!-- Written by scripts/document from results/published/numbers.json. Do not edit. -->
# Numbers that others published

`compare NEW` and `report` hold rows of a real GPU against these ([how](normal.md#what-others-published)). {numbers}
numbers from {sources} sources by {publishers} publishers, each read twice against its source. `-` is what a source
does not say. A limit fails somebody's acceptance test, a complaint is what somebody found too low, a best case is the
highest of many tries: none of these is ever in a band. GB, MB and TB are powers of ten.

`once` counts a copy's bytes once, `both` all bytes read or written; of collectives these are nccl-tests' algorithm and
bus rate. BabelStream gives the fastest of its runs, nvbandwidth the median, as tocuda does.
"""
TABLE = "| GPU | what | size | GPUs | rate | counts | kind | driver | source |\n|---|---|---|---|---|---|---|---|---|"
COUNTS = {"payload": "once", "touched": "both", "operations": "operations"}


def size_text(count):
    if count is None:
        return "-"
    for unit, name in ((2**30, "GiB"), (2**20, "MiB")):
        if count % unit == 0:
            return f"{count // unit} {name}"
    return f"{count:,} B"


def row_of(place, number):
    set_of = " ".join(f"{name}={value}" for name, value in number["parameters"].items())
    what = f"`{number['benchmark']}`" + (f" {set_of}" if set_of else "")
    cells = [
        number["gpu"] or "-",
        what,
        size_text(number["bytes"]),
        number["gpus"],
        f"{number['value']:g} {number['unit']}" if number["value"] < 1e5 else f"{number['value']:.0f} {number['unit']}",
        COUNTS[number["counts"]],
        number["kind"].replace("_", " "),
        number["driver"] or "-",
        f"[{place}](#sources)",
    ]
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def page_of(published):
    sources = published["sources"]
    rows = [(place, number) for place, source in enumerate(sources, 1) for number in source["numbers"]]
    rows.sort(key=lambda row: (row[1]["benchmark"], row[1]["gpu"] or "", row[1]["bytes"] or 0, row[0]))
    publishers = len({source["by"] for source in sources})
    lines = [HEAD.format(numbers=len(rows), sources=len(sources), publishers=publishers), TABLE]
    lines += [row_of(place, number) for place, number in rows]
    lines += ["", "## Sources", ""]
    for place, source in enumerate(sources, 1):
        lines.append(f"{place}. {source['by']}, {source['date'] or 'undated'}: <{source['address']}>")
        lines += [f"   - {note}" for note in dict.fromkeys(number["note"] for number in source["numbers"])]
    return "\n".join(lines) + "\n"


def page():
    return page_of(json.loads(NUMBERS.read_text()))


def write():
    PAGE.write_text(page())
