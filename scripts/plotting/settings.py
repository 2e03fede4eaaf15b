# tocuda, Apache-2.0.
"""The picture of a document of `replay`: what the allocator reserves over time, by its settings, and where it fails."""

from collections import defaultdict

import style
from sheet import WIDTH, Sheet

NAME, QUESTION = "memory-by-setting", "How much does the allocator reserve, by its settings?"
MIB, GIB = 1 << 20, 1 << 30
ALLOCATED, CAPACITY = "allocated by the program", "a capacity; X: that setting runs out of it"


def label_of(row, document):
    if row["torch"] != document["torch"]:
        return f"torch {row['torch']}"
    return row["settings"] or "default"


def courses_of(document):
    """The rows that reserve the same at each moment share a line."""
    alike = defaultdict(list)
    for row in document["what_if"]:
        if course := row.get("course"):
            alike[tuple(course["events"]), tuple(course["reserved_bytes"])].append(row)
    return list(alike.values())


def failures_of(document):
    """(event, capacity, rows) of the replays that ran out of a memory that was asked for."""
    failed = defaultdict(list)
    for row in document["what_if"]:
        if "capacity_bytes" in row and "oom" in row:
            failed[row["oom"]["event"], row["capacity_bytes"]].append(label_of(row, document))
    return sorted((*key, labels) for key, labels in failed.items())


def settings_sheet(document):
    groups = courses_of(document)
    if not groups:
        return None
    shown = groups[: len(style.COLOURS)]
    first = shown[0][0]["course"]
    most = max(max(rows[0]["course"]["reserved_bytes"]) for rows in shown)
    unit, word = (GIB, "GiB") if most > 10 * GIB else (MIB, "MiB")
    labels = [", ".join(label_of(row, document) for row in rows) for rows in shown]
    same = document["same"]
    facts = f"{document['source']['events']} events by the allocator of LibTorch {document['torch']}: the recording is "
    facts += "reproduced" if same["reproduced"] else "NOT reproduced, so nothing here is exact"
    failures = failures_of(document)
    notes = ["A line is what the allocator has from the driver, where memory is more than enough: the most of each "
             "part of the time. Lines of equal settings are one.",
             "The area is what the program had allocated, in blocks as the allocator rounds them.",
             *(f"X: out of memory at event {at} with {size / unit:.4g} {word}: {', '.join(rows)}"
               for at, size, rows in failures),
             f"Not drawn: {len(groups) - len(shown)} more settings." if len(groups) > len(shown) else ""]  # fmt: skip
    sheet = Sheet(NAME, QUESTION, facts, notes, True, 3.6, [*labels, ALLOCATED, *([CAPACITY] if failures else [])])
    axes = sheet.panel(0.75, 0.5, WIDTH - 0.95, 3.0)
    allocated = [size / unit for size in first["allocated_bytes"]]
    handles = [axes.fill_between(first["events"], allocated, color=style.GREY, alpha=0.35, lw=0, label=ALLOCATED)]
    for rows, label, colour in zip(shown, labels, style.COLOURS):
        course = rows[0]["course"]
        sizes = [size / unit for size in course["reserved_bytes"]]
        handles += axes.plot(course["events"], sizes, color=colour, linewidth=1.4, label=label)
        sheet.table += [("", label, at, size, "", "") for at, size in zip(course["events"], sizes, strict=True)]
    colour_of = {label_of(row, document): colour for rows, colour in zip(shown, style.COLOURS) for row in rows}
    for at, size, rows in failures:
        capacity = axes.axhline(size / unit, color=style.GREY, linewidth=0.7, linestyle=":", label=CAPACITY)
        for each in rows:
            axes.plot([at], [size / unit], "X", color=colour_of.get(each, style.BLACK), markersize=8)
    handles += [capacity] if failures else []
    axes.set(xlabel="event of the allocator", ylabel=word, ylim=(0, None), xlim=(0, max(first["events"][-1], 1)))
    sheet.legend([*handles[1:], handles[0]])
    return sheet
