# tocuda, Apache-2.0.
"""A point's row in the tables that --csv writes."""

import json


def facts_of(source, curve, point):
    """The columns of a point."""
    interval = point.interval or ("", "")
    return {
        "run": source.run,
        "gpu": source.gpu,
        "driver": source.driver,
        "device": source.device,
        "benchmark": curve.benchmark,
        "parameters": json.dumps(dict(curve.parameters)),
        "peer": curve.peer,
        "clock": curve.clock,
        "bytes": point.bytes,
        "processes": point.processes,
        "median_seconds": point.median,
        "interval_low_seconds": interval[0],
        "interval_high_seconds": interval[1],
        "bytes_one_way": point.one_way,
        "bytes_touched": point.touched,
        **{
            name: point.row[name] if point.sound and point.row[name] else ""
            for name in ("bytes_per_second_one_way", "bytes_per_second_touched")
        },
        "peak_bytes_per_second": point.peak or "",
        "not_counted": " ".join(f"{word}:{n}" for word, n in point.unsound.items()),
        "flags": " ".join(point.flags),
    }
