# tocuda, Apache-2.0.
"""One mechanism over its sizes: the rows of a benchmark that differ only in `bytes`, and the fit through them."""

import dataclasses
import json
import textwrap

ENOUGH_PROCESSES = 6


def size_of(row):
    size = row["parameters"].get("bytes")
    return size if isinstance(size, int) and size >= 0 else None


@dataclasses.dataclass(frozen=True)
class Point:
    """One size: the row whose times count, and rows of processes that never reached the GPU."""

    rows: tuple

    @property
    def row(self):
        return next((row for row in self.rows if row["status"] == "ok"), self.rows[0])

    @property
    def bytes(self):
        return size_of(self.row)

    @property
    def sound(self):
        """True if its time is drawn as a value."""
        return self.row["status"] == "ok" and self.row["median_seconds"] is not None

    @property
    def processes(self):
        return self.row["processes"] if self.sound else 0

    @property
    def median(self):
        return self.row["median_seconds"] if self.sound else None

    @property
    def interval(self):
        return tuple(self.row["interval_seconds"]) if self.sound and self.row["interval_seconds"] else None

    @property
    def peak(self):
        return self.row.get("peak_bytes_per_second", 0)

    @property
    def left_out(self):
        """The processes that do not count."""
        return [one for row in self.rows for one in row["left_out"]]

    @property
    def unsound(self):
        """The number of processes that do not count, by status."""
        statuses = [one["status"] for one in self.left_out]
        return {status: statuses.count(status) for status in statuses}

    @property
    def crossed(self):
        """The time, or None, of each process that is drawn as a cross: all that ran but are not drawn as a value."""
        counted = [] if self.sound else [one["median_seconds"] for row in self.rows for one in row["process_medians"]]
        return counted + [one["median_seconds"] for one in self.left_out if one["status"] != "skipped"]

    @property
    def flags(self):
        return self.row["flags"] if self.sound else []

    def rate(self, seconds, convention):
        return self.row["bytes_touched" if convention == "touched" else "bytes_one_way"] / seconds

    @property
    def columns(self):
        """Its columns in the tables that --csv writes."""
        low, high = self.interval or ("", "")
        rates = ("bytes_per_second_one_way", "bytes_per_second_touched")
        return {
            "bytes": self.bytes,
            "processes": self.processes,
            "median_seconds": self.median,
            "interval_low_seconds": low,
            "interval_high_seconds": high,
            "bytes_one_way": self.row["bytes_one_way"],
            "bytes_touched": self.row["bytes_touched"],
            **{name: self.row[name] if self.sound and self.row[name] else "" for name in rates},
            "peak_bytes_per_second": self.peak or "",
            "not_counted": " ".join(f"{word}:{n}" for word, n in self.unsound.items()),
            "flags": " ".join(self.flags),
        }


@dataclasses.dataclass(frozen=True)
class Curve:
    benchmark: str
    parameters: tuple
    peer: str
    clock: str
    points: tuple  # sorted by bytes
    fit: dict  # as in the document; without figures if there is no fit

    @property
    def key(self):
        return self.benchmark, self.parameters, self.peer, self.clock

    @property
    def family(self):
        parts = self.benchmark.split("/")
        return "/".join(parts[:2]) if len(parts) > 2 else parts[0]

    @property
    def short_name(self):
        return self.benchmark[len(self.family) + 1 :] or self.benchmark

    @property
    def sound(self):
        return [point for point in self.points if point.sound]

    @property
    def convention(self):
        """The byte convention, from a row with a peak; small rows, which fit in a cache, have no peak."""
        rows = [row for point in self.points for row in point.rows]
        row = next((row for row in rows if row.get("peak_bytes_per_second")), rows[0])
        return row["peak_counted"].replace("_", " ")

    @property
    def has_bytes(self):
        return any(point.row["bytes_one_way"] > 0 for point in self.points)

    def at(self, size):
        return next((point for point in self.points if point.bytes == size), None)


def natural(key):
    """A sort key by which 4 streams come before 16."""
    benchmark, parameters, peer, clock = key
    values = [
        (name, (0, float(value), "") if value.replace(".", "", 1).isdecimal() else (1, 0.0, value))
        for name, value in parameters
    ]
    return benchmark, values, peer, clock


def word(value):
    return value if isinstance(value, str) else json.dumps(value)


def key_of(one):
    """What all sizes of a curve have in common, taken from a row or a fit."""
    parameters = tuple(sorted((name, word(value)) for name, value in one["parameters"].items() if name != "bytes"))
    return one["benchmark"], parameters, one.get("peer", ""), one["clock"]


def fit_of(points, fits):
    row = next((point.row for point in points if point.sound), points[0].row)
    here = [fit for fit in fits if (fit["device"], fit.get("gpu")) == (row["device"], row.get("gpu"))]
    return here[0] if here else {"t0_seconds": None, "because": "it has no sizes"}


def curves_of(rows, fits):
    gathered, fitted = {}, {}
    for row in rows:
        gathered.setdefault(key_of(row), {}).setdefault(size_of(row), []).append(row)
    for fit in fits:
        fitted.setdefault(key_of(fit), []).append(fit)
    curves = []
    for key, sizes in sorted(gathered.items(), key=lambda one: natural(one[0])):
        in_order = sorted(sizes, key=lambda size: -1 if size is None else size)
        points = tuple(Point(tuple(sizes[size])) for size in in_order)
        curves.append(Curve(*key, points, fit_of(points, fitted.get(key, []))))
    return curves


def labels_of(curves):
    """The label of each curve in its picture: the mechanism, unless there is only one, and the parameters that vary."""
    varying = set()
    for benchmark in {curve.benchmark for curve in curves}:
        sets = [dict(curve.parameters) for curve in curves if curve.benchmark == benchmark]
        for name in {name for one in sets for name in one}:
            if len({one.get(name) for one in sets}) > 1:
                varying.add((benchmark, name))
    labels = {}
    for curve in curves:
        said = [f"{name} {value}" for name, value in curve.parameters if (curve.benchmark, name) in varying]
        others = {other.peer for other in curves if other.benchmark == curve.benchmark}
        if curve.peer and len(others) > 1:
            said.append(f"peer {curve.peer[:12]}")
        alone = said and len({other.benchmark for other in curves}) == 1
        labels[curve.key] = ", ".join(said if alone else [curve.short_name, *said])
    return labels


def heading_of(curves):
    """The heading of a picture: the mechanism if the curves share one, otherwise their family."""
    benchmarks = {curve.benchmark for curve in curves}
    return benchmarks.pop() if len(benchmarks) == 1 else curves[0].family


def wrapped(label, width):
    """Wraps a label at the side of a picture, between its parameters where possible."""
    parts = label.replace(" ", "\u00a0").replace(",\u00a0", ", ")
    return "\n".join(textwrap.wrap(parts, width, break_on_hyphens=False))
