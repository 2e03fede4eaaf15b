# tocuda, Apache-2.0.
"""Captions: where the figures of a picture come from, how bytes were counted, and what its marks mean."""

import textwrap

from curve import ENOUGH_PROCESSES
from units import rate_text, size_text

SIZE_UNITS = "KiB, MiB, GiB = 1024, 1024², 1024³ bytes."
UNITS = f"GB/s = 10⁹ bytes per second; {SIZE_UNITS}"


def units_of(quantity):
    return UNITS if quantity.is_rate else SIZE_UNITS


def of_intervals(points):
    counts = sorted({point.processes for point in points if point.sound})
    if not counts:
        return "No valid measurements."
    said = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    processes = f"{said} process{'' if counts[-1] == 1 else 'es'} per point"
    if counts[-1] < ENOUGH_PROCESSES:
        return f"Medians of {processes}; no intervals, which need {ENOUGH_PROCESSES} processes."
    some = f" (with at least {ENOUGH_PROCESSES} processes)" if counts[0] < ENOUGH_PROCESSES else ""
    bars = "95 % confidence intervals of the median, from the ordered process medians"
    return f"Medians of {processes}; bars: {bars}{some}."


def of_clocks(curves, device="filled", host="hollow"):
    clocks = {curve.clock for curve in curves}
    if clocks == {"device", "host"}:
        return (
            f"Two clocks, not to be compared with each other: {device} = device (between two events on a stream), "
            f"{host} = host (from the call until the stream is synchronised)."
        )
    if clocks == {"host"}:
        return "Host clock: from the call until the stream is synchronised."
    return "Device clock: between two events on a stream."


def usual_flags(points):
    """The flags that every point has: stated once instead of marked."""
    flags = [set(point.flags) for point in points if point.sound]
    return set.intersection(*flags) if len(flags) > 1 else set()


def of_marks(named):
    """Lines about points that are not drawn as a value or carry a mark. `named` holds (label, point)."""
    unsound, flagged = {}, {}
    for label, point in named:
        for one in point.left_out:
            unsound.setdefault(one["status"], []).append((label, point.bytes, one["because"]))
        for flag in point.flags:
            flagged.setdefault(flag, []).append((label, point.bytes, ""))
    lines = [
        f"{'' if status == 'skipped' else '× '}{status}, not counted{reason_of(places)}: {listed(places)}."
        for status, places in unsound.items()
    ]
    usual = usual_flags([point for _, point in named])
    for flag, places in flagged.items():
        words = flag.replace("_", " ")
        lines.append(f"Everywhere: {words}." if flag in usual else f"○ {words}: {listed(places)}.")
    return lines


def reason_of(places):
    """The reason if all share one; otherwise the first as an example."""
    reasons = list(dict.fromkeys(because for _, _, because in places if because))
    if not reasons:
        return ""
    return f" ({'for example ' if len(reasons) > 1 else ''}{textwrap.shorten(reasons[0], 70, placeholder=' ...')})"


def listed(places, most=4):
    sizes = {}
    for label, size, _ in places:
        text = "" if size is None else size_text(size).replace(" ", "\u00a0")
        if text not in sizes.setdefault(label, []):
            sizes[label].append(text)
    said = [
        f"{label} {', '.join(all_sizes[:3])}{f' and {len(all_sizes) - 3} more' if len(all_sizes) > 3 else ''}".strip()
        for label, all_sizes in sizes.items()
    ]
    return "; ".join(said[:most]) + (f"; and {len(said) - most} more" if len(said) > most else "")


def peaks_of(points):
    """Each known peak once, with its source."""
    peaks = {}
    for point in points:
        if point.peak > 0:
            peaks.setdefault(point.peak, point.row["peak_source"] or "unknown source")
    return dict(sorted(peaks.items()))


def peak_line(peaks):
    return " ".join(f"Peak {rate_text(rate)}: {source.rstrip('.')}." for rate, source in peaks.items())
