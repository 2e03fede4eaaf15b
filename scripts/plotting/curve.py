# tocuda, Apache-2.0.
"""One mechanism over its sizes: the measurements of one benchmark that differ in `bytes` and in the process alone."""
import dataclasses
import functools
import textwrap

import order_statistics
import validity

ENOUGH_PROCESSES = 6
WORST_FIRST = ("crashed", "timeout", "failed", "invalid", "skipped")


@dataclasses.dataclass(frozen=True)
class Point:
    bytes: int | None
    rows: tuple

    @functools.cached_property
    def left_out(self):
        """(row, status, why) of the rows that do not count."""
        timed = [row for row in self.rows if row.is_timed]
        usual = validity.usual_clock([row.readings for row in timed])
        found = []
        for row in self.rows:
            because = validity.why_invalid(row.readings, usual) if row.is_timed else row.check
            if not row.is_timed or because:
                found.append((row, "invalid" if row.status == "ok" else row.status, because or "no time was taken"))
        return found

    @functools.cached_property
    def status(self):
        """One wrong result spoils all; otherwise what most rows are."""
        statuses = [status for _, status, _ in self.left_out]
        if "wrong" in statuses:
            return "wrong"
        if len(self.rows) > 2 * len(statuses):
            return "ok"
        return max(WORST_FIRST, key=statuses.count)

    @functools.cached_property
    def sound(self):
        """The rows whose times are drawn as values."""
        if self.status != "ok":
            return ()
        spoilt = {id(row) for row, _, _ in self.left_out}
        return tuple(row for row in self.rows if id(row) not in spoilt)

    @functools.cached_property
    def process_medians(self):
        """A process is the replicate: what one measured twice counts once."""
        processes = {}
        for row in self.sound:
            processes.setdefault(row.process, []).extend(row.seconds)
        return [order_statistics.median(seconds) for seconds in processes.values()]

    @property
    def median(self):
        return order_statistics.median(self.process_medians) if self.sound else None

    @property
    def interval(self):
        return order_statistics.median_interval(self.process_medians)

    def first(self, name):
        return max((getattr(row, name) for row in self.sound or self.rows), default=0)

    @property
    def one_way(self):
        return self.first("one_way")

    @property
    def touched(self):
        return self.first("touched")

    @property
    def peak(self):
        return self.first("peak")

    @property
    def in_cache(self):
        return bool(self.first("in_cache"))

    @property
    def unsound(self):
        """Rows that do not count, by their status."""
        counted = {}
        for _, status, _ in self.left_out:
            counted[status] = counted.get(status, 0) + 1
        return counted

    @property
    def crossed(self):
        """Rows that a cross stands for: all that are not drawn, but those that never ran."""
        drawn = {id(row) for row in self.sound}
        skipped = {id(row) for row, status, _ in self.left_out if status == "skipped"}
        return [row for row in self.rows if id(row) not in drawn and id(row) not in skipped]

    @property
    def flags(self):
        return list(dict.fromkeys(flag for row in self.sound for flag in row.flags))

    def rate(self, seconds, convention):
        return (self.touched if convention == "touched" else self.one_way) / seconds


@dataclasses.dataclass(frozen=True)
class Curve:
    benchmark: str
    parameters: tuple
    peer: str
    clock: str
    points: tuple  # sorted by bytes

    @property
    def key(self):
        return self.benchmark, self.parameters, self.peer, self.clock

    @property
    def family(self):
        parts = self.benchmark.split("/")
        return "/".join(parts[:2]) if len(parts) > 2 else parts[0]

    @property
    def short_name(self):
        return self.benchmark[len(self.family) + 1:] or self.benchmark

    @property
    def sound(self):
        return [point for point in self.points if point.sound]

    @property
    def convention(self):
        """As the rows say that have a peak; small ones, which fit in a cache, have none."""
        rows = [row for point in self.points for row in point.rows]
        return next((row for row in rows if row.counted), rows[0]).convention

    @property
    def has_bytes(self):
        return any(point.one_way > 0 for point in self.points)

    def at(self, size):
        return next((point for point in self.points if point.bytes == size), None)


def natural(key):
    """An order in which 4 streams come before 16."""
    benchmark, parameters, peer, clock = key
    values = [(name, (0, float(value), "") if value.replace(".", "", 1).isdecimal() else (1, 0.0, value)) for name, value in parameters]
    return benchmark, values, peer, clock


def curves_of(measurements):
    gathered = {}
    for row in measurements:
        key = row.benchmark, row.parameters, row.peer, row.clock
        gathered.setdefault(key, {}).setdefault(row.bytes, []).append(row)
    curves = []
    for (benchmark, parameters, peer, clock), sizes in sorted(gathered.items(), key=lambda one: natural(one[0])):
        points = tuple(Point(size, tuple(sizes[size])) for size in sorted(sizes, key=lambda size: -1 if size is None else size))
        curves.append(Curve(benchmark, parameters, peer, clock, points))
    return curves


def labels_of(curves):
    """What tells each curve from the others in its picture: the mechanism, unless it is the only one, and the parameters that vary."""
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
    """What a picture of these is of: their family, or the one mechanism that they all are."""
    benchmarks = {curve.benchmark for curve in curves}
    return benchmarks.pop() if len(benchmarks) == 1 else curves[0].family


def wrapped(label, width):
    """A label for the side of a picture: broken between its parameters where it can be."""
    parts = label.replace(" ", "\u00a0").replace(",\u00a0", ", ")
    return "\n".join(textwrap.wrap(parts, width, break_on_hyphens=False))
