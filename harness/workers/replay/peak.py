# tocuda, Apache-2.0.
"""Where a recorded program held most, and which of its lines had allocated that."""

import bisect
from collections import Counter

from replay.snapshot import rounded, user_line

LINES = 10


def peak_of(recording):
    """Of blocks as the allocator rounds them, those included that only wait for another stream."""
    at = largest_after(recording)
    lines = Counter()
    for size, born in live_after(recording, at).values():
        lines[line_of(recording, born)] += size
    most = lines.most_common(LINES)
    known = [{"line": line, "bytes": size} for line, size in most if line]
    before = sum(size for size, born in live_after(recording, at).values() if born is None)
    event = recording.events[at] if at >= 0 else {}
    step = bisect.bisect_right(recording.steps, at) + 1 if recording.steps else None
    return {
        "event": at,
        "step": step,
        "line": user_line(event) or "",
        "blocks_bytes": lines.total(),
        "live": known,
        "before_bytes": before,
        "without_line_bytes": lines[None] - before,
    }


def line_of(recording, born):
    return user_line(recording.events[born]) if born is not None else None


def changes(recording):
    """(event, address, size or None where it was freed)."""
    for at, event in enumerate(recording.events):
        if event["action"] == "alloc":
            yield at, event["addr"], rounded(event["size"], recording.power_of_two)
        elif event["action"] == "free_completed":
            yield at, event["addr"], None


def at_start(recording):
    return {address: (block[0], None) for address, block in recording.start.blocks.items()}


def largest_after(recording):
    """The event after which most is live; -1: none, what was there at the start."""
    sizes = {address: size for address, (size, _) in at_start(recording).items()}
    total = most = sum(sizes.values())
    best = -1
    for at, address, size in changes(recording):
        total += (size or 0) - sizes.pop(address, 0)
        if size is not None:
            sizes[address] = size
        if total > most:
            most, best = total, at
    return best


def live_after(recording, last):
    live = at_start(recording)
    for at, address, size in changes(recording):
        if at > last:
            break
        live.pop(address, None)
        if size is not None:
            live[address] = size, at
    return live
