# tocuda, Apache-2.0.
"""What the text beside a picture says: where its figures come from, how bytes were counted, and what was not drawn."""

from labels import labels_of, role_of, settings_of, where
from source import MOST_RAW
from units import rate_text, size_text

ENOUGH_PROCESSES = 6
UNITS = "GB/s = 10⁹ bytes per second; KiB, MiB, GiB = 1024, 1024², 1024³ bytes."
COUNTED = {"one_way": "payload bytes", "touched": "bytes read + written"}
CLOCKS = (
    "Filled: device clock (between two events on a stream). Hollow: host clock (from the call until everything "
    "it started has ended). Times of different clocks are not to be compared."
)
DEVICE_CLOCK = "Device clock: between two events on a stream, or the GPU's own."


def medians(points):
    counts = sorted({point.processes for point in points if point.sound}) or [0]
    said = f"{counts[0]}" if counts[0] == counts[-1] else f"{counts[0]} to {counts[-1]}"
    return f"medians of {said} process{'' if counts[-1] == 1 else 'es'}"


def short_intervals(points):
    """For the caption in the picture."""
    enough = any(point.processes >= ENOUGH_PROCESSES for point in points if point.sound)
    return medians(points) + (", bars: 95 % interval" if enough else ", no intervals")


def intervals(points):
    need = f"below {ENOUGH_PROCESSES} processes there are none"
    return f"Bars are 95 % confidence intervals of the median, from the ordered process medians; {need}."


def other_convention(points, convention):
    """How to read the axis in the other convention of bytes."""
    other = "touched" if convention == "one_way" else "one_way"
    factors = {
        point.row[f"bytes_{other}"] / point.row[f"bytes_{convention}"]
        for point in points
        if point.sound and point.row[f"bytes_{convention}"]
    }
    if len(factors) == 1:
        return f"{COUNTED[other]}: {factors.pop():g} x the figures of the axis.".capitalize()
    return f"Bytes counted as {COUNTED[other]} differ by mechanism: the table (--csv) has both." if factors else ""


def peaks(points):
    found = {point.row["peak_bytes_per_second"]: point.row.get("peak_source") or "unknown source" for point in points
             if point.row.get("peak_bytes_per_second")}  # fmt: skip
    return " ".join(f"Peak {rate_text(rate)}: {found[rate].rstrip('.')}." for rate in sorted(found))


def listed(places, most=6):
    sizes = {}
    for label, size in places:
        sizes.setdefault(label, [])
        if size is not None and size_text(size) not in sizes[label]:
            sizes[label].append(size_text(size))
    said = [f"{label} {', '.join(every)}".strip() for label, every in sizes.items()]
    return "; ".join(said[:most]) + (f"; and {len(said) - most} more" if len(said) > most else "")


def of_curves(curves):
    """Lines about processes that do not count and about flags."""
    left_out, flagged, labels = {}, {}, labels_of(curves)
    for curve in curves:
        for point in curve.points:
            place = f"{where(curve.benchmark)}: {labels[curve.key]}", point.bytes
            for one in point.left_out:
                left_out.setdefault((one["status"], one.get("because", "")), []).append(place)
            for flag in point.row["flags"] if point.sound else ():
                flagged.setdefault(flag.replace("_", " "), []).append(place)
    for (status, because), places in left_out.items():
        why = f" ({because if len(because) <= 90 else because[:86] + ' ...'})" if because else ""
        yield f"{status}, not counted{why}: {listed(places)}."
    for flag, places in flagged.items():
        yield f"{flag}: {listed(places)}."


def raw_points(points):
    few = any(point.raw("seconds") for point in points)
    return f"Small points: the median of each process, where there are at most {MOST_RAW}." if few else ""


def of_run(source, curves, every, convention=None, bars=True, raw=False):
    """`curves` are drawn, with `bars` and `raw` points or without; of `every` curve it says what does not count."""
    points = [point for curve in curves for point in curve.points]
    return [
        source.facts(whole=True, curves=curves) + ".",
        f"{short_intervals(points).capitalize()}. {intervals(points)}" if bars else f"{medians(points).capitalize()}.",
        CLOCKS if any(curve.hosted for curve in curves) else DEVICE_CLOCK,
        f"Bandwidth: {COUNTED[convention]}. {other_convention(points, convention)}" if convention else "",
        raw_points(points) if raw else "",
        peaks(points) if convention else "",
        UNITS,
        *of_curves(every),
    ]


def facts(source, curves):
    """The caption in the picture of one run."""
    return f"{source.facts(curves=curves)} · {short_intervals([point for curve in curves for point in curve.points])}"


def settings(curves, labels):
    """Which settings are drawn."""
    said = [f"{labels[curve.key]}: {settings_of(curve)}" for curve in curves if settings_of(curve)]
    text = f"Of each mechanism the fastest measured setting is drawn. {'; '.join(said)}." if said else ""
    between = any(role_of(curve.benchmark).get("slowest") for curve in curves)
    return text + " Of several GPUs, or pairs of them, the slowest is drawn." if between else text


def left(labels, most):
    return f"Not drawn for lack of room: {'; '.join(labels[most:])}." if len(labels) > most else ""
