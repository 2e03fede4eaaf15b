# tocuda, Apache-2.0.
"""The peers' numbers beside ours, measured on the same machine in the same hour. GB/s; each line says which bytes it
counts: one way, or all bytes touched."""

import json
import statistics

from campaigning import measuring

# The peer's name of a measurement -> our benchmark, and which bytes the peer counts.
BESIDE = {
    "nvbandwidth": {
        "host_to_device_memcpy_ce": ("copy/host_to_device/pinned", "one way"),
        "device_to_host_memcpy_ce": ("copy/device_to_host/pinned", "one way"),
        "host_to_device_memcpy_sm": ("copy/host_to_device/zero_copy", "one way"),
        "device_to_host_memcpy_sm": ("copy/device_to_host/zero_copy", "one way"),
        "device_local_copy": ("copy/device_to_device/engine", "one way"),
    },
    "babelstream": {
        "Copy": ("copy/device_to_device/best", "touched"),
        "Mul": ("memory/scale", "touched"),
        "Triad": ("memory/triad", "touched"),
        "Dot": ("memory/dot", "touched"),
    },
    "torch_copy": {
        "device_to_device": ("copy/device_to_device/engine", "touched"),
        "host_to_device_pinned": ("copy/host_to_device/pinned", "one way"),
        "device_to_host_pinned": ("copy/device_to_host/pinned", "one way"),
        "host_to_device_pageable": ("copy/host_to_device/pageable", "one way"),
        "device_to_host_pageable": ("copy/device_to_host/pageable", "one way"),
    },
}


def nvbandwidth(text):
    """name -> GB/s, summed over all GPUs."""
    document = json.loads(text[text.index("{") :])
    return {case["name"]: float(case["sum"]) for case in document["nvbandwidth"]["testcases"] if "sum" in case}


def babelstream(text):
    """name -> GB/s. The peer prints lines about the run, then a table in MB/s of its best round."""
    figures = {}
    for line in text.splitlines():
        cells = line.split(",")
        if len(cells) >= 5 and cells[1].isdigit():
            figures[cells[0]] = float(cells[4]) / 1e3
    return figures


def torch_copy(text):
    """name -> GB/s of the largest size. A copy within the GPU counts twice: it reads and writes."""
    figures = {}
    for line in text.splitlines():
        row = json.loads(line)
        if "way" in row:
            times = 2 if row["way"] == "device_to_device" else 1
            figures[row["way"]] = times * row["bytes_one_way"] / row["median_seconds"] / 1e9
    return figures


READERS = {"nvbandwidth": nvbandwidth, "babelstream": babelstream, "torch_copy": torch_copy}


def said(recorded, name, when):
    file = recorded / "peers" / f"{name}-{when}.txt"
    try:
        return READERS[name](file.read_text(errors="replace")) if file.is_file() else {}
    except (ValueError, KeyError, TypeError, IndexError):
        return {}


def ours(recorded):
    """(benchmark, which bytes) -> GB/s of the best variant at the largest size: the median over its processes'
    medians."""
    rows = {}
    for file in sorted((recorded / "results").glob("rounds-*/*.jsonl")):
        for row in measuring.rows_of(file):
            if row.get("kind") == "measurement" and row.get("status") == "ok" and row.get("samples"):
                key = row["benchmark"], row["bytes_one_way"], row["bytes_touched"], row["id"]
                rows.setdefault(key, []).append(statistics.median(row["samples"]))
    best = {}
    for (name, one_way, touched, _), medians in rows.items():
        seconds = statistics.median(medians)
        for convention, count in (("one way", one_way), ("touched", touched)):
            place = best.setdefault((name, convention), (0, 0.0))
            best[name, convention] = max(place, (count, count / seconds / 1e9))
    return {key: rate for key, (_, rate) in best.items()}


def shown(number):
    return "-" if number is None else f"{number:.1f}"


def lines(recorded):
    """The lines of the table; empty if there are no results of peers."""
    own, table = ours(recorded), []
    for peer, known in BESIDE.items():
        before, after = said(recorded, peer, "before"), said(recorded, peer, "after")
        for called, (benchmark, convention) in known.items():
            one, other = before.get(called), after.get(called)
            if one is None and other is None:
                continue
            drift = f"{100 * (other / one - 1):+.1f}" if one and other else "-"
            figures = (shown(one), shown(other), drift, shown(own.get((benchmark, convention))))
            table.append(columns(f"{peer} {called}", *figures) + f"  {benchmark}, {convention}")
    return [columns("GB/s", "before", "after", "drift %", "ours"), *table] if table else []


def columns(name, before, after, drift, own):
    return f"{name:<40} {before:>8} {after:>8} {drift:>7} {own:>8}"
