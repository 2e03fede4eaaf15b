# tocuda, Apache-2.0.
"""The picture of a recording of memory: what a program held over time, by its own lines, and what LibTorch reserved."""

import pathlib
import sys
from collections import Counter

import style
from document import Unreadable
from sheet import WIDTH, Sheet

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "harness" / "workers"))
from replay.peak import at_start, changes, line_of, peak_of  # noqa: E402
from replay.snapshot import HISTORY, MIB, RefusedError, read  # noqa: E402

NAME, QUESTION = "memory-over-time", "What holds the GPU's memory, and when?"
LINES, MOMENTS = 6, 400
OTHERS = "other lines"
GIB = 1 << 30
SIGNS = {"segment_alloc": 1, "segment_map": 1, "segment_free": -1, "segment_unmap": -1}


def recording_at(path):
    try:
        return read(path)
    except RefusedError as refused:
        raise Unreadable(f"{path}: {refused}") from None


class Course:
    """Bytes by line, and reserved ones, at some of the events; each is the one with most in its part of the time."""

    def __init__(self, recording):
        self.lines = [each["line"] for each in peak_of(recording)["live"][:LINES]]
        self.moments, self.held, self.reserved = [], [], []
        self.recording = recording
        self.step = max(1, len(recording.events) // MOMENTS)
        self.follow()

    def name_of(self, born):
        line = line_of(self.recording, born)
        return line if line in self.lines else OTHERS

    def follow(self):
        blocks = {address: (size, OTHERS) for address, (size, _) in at_start(self.recording).items()}
        held = Counter({OTHERS: sum(size for size, _ in blocks.values())})
        reserved, best = self.recording.start.reserved, (-1, None)
        changed = {at: (address, size) for at, address, size in changes(self.recording)}
        for at, event in enumerate(self.recording.events):
            reserved += SIGNS.get(event["action"], 0) * event["size"]
            if at in changed:
                address, size = changed[at]
                was, line = blocks.pop(address, (0, OTHERS))
                held[line] -= was
                if size is not None:
                    blocks[address] = size, self.name_of(at)
                    held[blocks[address][1]] += size
            best = max(best, (held.total(), (at, dict(held), reserved)), key=lambda each: each[0])
            if (at + 1) % self.step == 0 or at + 1 == len(self.recording.events):
                self.keep(*best[1])
                best = (-1, None)

    def keep(self, at, held, reserved):
        self.moments.append(at)
        self.held.append(held)
        self.reserved.append(reserved)

    def bytes_of(self, line):
        return [held.get(line, 0) for held in self.held]


def events_of(recording, action):
    return [at for at, event in enumerate(recording.events) if event["action"] == action]


def sheet_of(path):
    recording = recording_at(path)
    course, peak = Course(recording), peak_of(recording)
    unit, word = (GIB, "GiB") if max(course.reserved) > 10 * GIB else (MIB, "MiB")
    where = f" at {peak['line']}" if peak["line"] else ""
    most = f"{peak['blocks_bytes'] / unit:.1f} {word}"
    facts = f"{pathlib.Path(path).name}: {len(recording.events)} events, most {most}{where}"
    notes = ["An area is what a line of the program had allocated, in blocks as the allocator rounds them.",
             "The line above is what the allocator had taken from the driver.",
             f"Of each {course.step} events the one with most is drawn." if course.step > 1 else ""]  # fmt: skip
    names = [*course.lines, OTHERS]
    sheet = Sheet(
        NAME, QUESTION, facts, notes, is_history(path), 3.6, [*names, "reserved by LibTorch", "step of the optimizer"]
    )
    axes = sheet.panel(0.75, 0.5, WIDTH - 0.95, 3.0)
    areas = [[size / unit for size in course.bytes_of(name)] for name in names]
    colours = [*style.COLOURS[: len(course.lines)], style.GREY]
    handles = axes.stackplot(course.moments, areas, labels=names, colors=colours, alpha=0.75, linewidth=0)
    reserved = [size / unit for size in course.reserved]
    handles += axes.plot(course.moments, reserved, color=style.BLACK, linewidth=1.2, label="reserved by LibTorch")
    for at in recording.steps[:50]:
        ended = axes.axvline(at, color=style.BLACK, linewidth=0.7, linestyle=":", label="step of the optimizer")
        handles += [ended] if at == recording.steps[0] else []
    for at in events_of(recording, "oom"):
        axes.plot([at], [0.97], "X", color=style.VERMILLION, transform=axes.get_xaxis_transform(), markersize=9)
        sheet.notes.append(f"X: out of memory at event {at}")
    axes.set(xlabel="event of the allocator", ylabel=word, ylim=(0, None), xlim=(0, max(course.moments[-1], 1)))
    sheet.legend(handles)
    for name, sizes in zip(names, areas, strict=True):
        sheet.table += [("", name, at, size, "", "") for at, size in zip(course.moments, sizes, strict=True)]
    return sheet


def is_history(path):
    with open(path, "rb") as file:
        return file.read(len(HISTORY)) == HISTORY
