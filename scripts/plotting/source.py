# tocuda, Apache-2.0.
"""The rows of a document of `judge` by run and GPU, and by curve: rows that differ only in `bytes`."""

import dataclasses
import json

from labels import described, role_of, tuning_of


MOST_RAW = 12  # processes of which each is drawn


class Point:
    """One size: the row whose times count, and the rows of processes that never reached the GPU."""

    def __init__(self, rows):
        self.row = next((row for row in rows if row["status"] == "ok"), rows[0])
        size = self.row["parameters"].get("bytes")
        self.bytes = size if isinstance(size, int) and size >= 0 else None
        self.sound = self.row["status"] == "ok" and self.row["median_seconds"] is not None
        self.seconds = self.row["median_seconds"] if self.sound else None
        self.interval = self.row["interval_seconds"] if self.sound else None
        self.processes = self.row["processes"] if self.sound else 0
        self.left_out = [one for row in rows for one in row["left_out"]]

    def rate(self, convention, seconds=None):
        """Bytes per second as the document has them, or those of one end of the interval."""
        if seconds is None:
            return self.row[f"bytes_per_second_{convention}"]
        return self.row[f"bytes_{convention}"] / seconds

    def rate_ends(self, convention):
        return sorted(self.rate(convention, end) for end in self.interval) if self.interval else None

    def value(self, quantity):
        """`seconds`, `items` (operations a second), or the rate of a convention of bytes."""
        others = {"seconds": self.seconds, "items": self.row.get("items_per_second")}
        return others[quantity] if quantity in others else self.rate(quantity)

    def ends(self, quantity):
        """Those of the value's interval."""
        if quantity == "items" and self.interval:
            return sorted(self.row["items"] / end for end in self.interval)
        return self.rate_ends(quantity) if quantity in ("one_way", "touched") else self.interval

    def raw(self, quantity):
        """The values of its processes, each the median of its samples, where they differ and are few."""
        found = [one["median_seconds"] for one in self.row["process_medians"]] if self.sound else []
        if len(found) > MOST_RAW or len(set(found)) < 2:
            return []
        if quantity == "seconds":
            return found
        if quantity == "items":
            return [self.row["items"] / seconds for seconds in found]
        return [self.rate(quantity, seconds) for seconds in found]

    @property
    def peak(self):
        return self.row.get("peak_bytes_per_second") or 0

    @property
    def share(self):
        percent = self.row.get("percent_of_peak") if self.sound else None
        return percent if percent else None


@dataclasses.dataclass
class Curve:
    benchmark: str
    parameters: dict
    peer: str
    clock: str
    points: list  # sorted by size
    fit: dict | None

    @property
    def sound(self):
        return [point for point in self.points if point.sound]

    @property
    def sized(self):
        """The points that a logarithmic axis of sizes can show."""
        return [point for point in self.sound if point.bytes]

    @property
    def key(self):
        return self.benchmark, json.dumps(self.parameters, sort_keys=True), self.peer, self.clock

    @property
    def mechanism(self):
        """What remains of the key without the parameters that only tune it."""
        kept = {name: value for name, value in self.parameters.items() if name not in tuning_of(self.benchmark)}
        return self.benchmark, json.dumps(kept, sort_keys=True), self.peer, self.clock

    @property
    def hosted(self):
        return self.clock == "host"

    def at(self, size):
        return next((point for point in self.sound if point.bytes == size), None)


@dataclasses.dataclass
class Source:
    """What one run measured on one GPU, or judged."""

    run: str
    device: str
    about: dict
    uuid: str
    files: list
    whole: bool
    curves: list
    taxes: list
    scenarios: list
    claims: list
    shown: set = dataclasses.field(default_factory=set)  # mechanisms and sizes that have a picture

    def show(self, points):
        """Remembers what a picture shows: pairs of a curve and its point."""
        self.shown |= {(curve.mechanism, point.bytes) for curve, point in points}

    @property
    def simulated(self):
        return self.device == "simulated"

    @property
    def driver(self):
        driver = self.about["driver"]
        name = driver.get("kernel_module") or driver.get("cuda") or "none"
        return f"{name} with libcuda {driver['libcuda']}" if "libcuda" in driver else name

    @property
    def libtorch(self):
        return self.about.get("libtorch", {}).get("version", "")

    @property
    def gpu(self):
        """The name of its GPU with the index if there are several; of a run of scenarios, all names."""
        return self.named(together=not self.uuid)

    def named(self, together):
        """The name of its GPU, or of all GPUs of the run."""
        gpus = self.about["gpus"]
        ours = gpus if together else [gpu for gpu in gpus if gpu.get("uuid") == self.uuid]
        names = [gpu.get("name", "unnamed GPU") for gpu in ours]
        if self.device == "none" and self.curves:
            return self.about.get("machine", {}).get("cpu") or "the host"
        if not names:
            return f"GPU {self.uuid[:12]}" if self.uuid else "no GPU"
        text = ", ".join(
            f"{names.count(name)} x {name}" if names.count(name) > 1 else name for name in dict(zip(names, names))
        )
        return f"{text} (GPU {ours[0].get('index')})" if not together and len(gpus) > 1 else text

    @property
    def place(self):
        return f"{self.about.get('machine', {}).get('host', '?')} {self.gpu}"

    @property
    def order(self):
        """Real before simulated, old drivers before new ones."""
        driver = [int(part) if part.isdigit() else -1 for part in self.driver.split(".")]
        return self.simulated, driver, self.about["time"], self.run, self.gpu

    def facts(self, whole=False, curves=()):
        """The start of the caption of a picture of these curves; `whole`: everything about the run, for the text beside
        it."""
        between = any(described(curve.benchmark, "needs").get("gpus", 0) > 1 for curve in curves)
        said = [
            self.named(together=between or not self.uuid),
            f"driver {self.driver}" if self.device != "none" or not self.curves else "",
            f"LibTorch {self.libtorch}" if self.libtorch else "",
            f"run {self.run if whole else self.run[:8]}" + ("" if self.whole else " (PARTIAL)"),
        ]
        if whole:
            said += [
                f"of {self.about['time']}",
                f"tocuda {self.about['suite']['version']}",
                f"{self.about.get('protocol', {}).get('name', '')} protocol".strip(),
                ", ".join(file.rsplit("/", 1)[-1] for file in self.files),
            ]
        return " · ".join(part for part in said if part)


def curves_of(rows, fits):
    gathered, fitted = {}, {}
    for row in rows:
        kept = {name: value for name, value in row["parameters"].items() if name != "bytes"}
        curve = Curve(row["benchmark"], kept, row.get("peer", ""), row["clock"], [], None)
        size = row["parameters"].get("bytes")
        gathered.setdefault(curve.key, (curve, {}))[1].setdefault(str(size), []).append(row)
    for fit in fits:
        fitted[(fit["benchmark"], json.dumps(fit["parameters"], sort_keys=True), fit.get("peer", ""), fit["clock"])] = (
            fit
        )
    for key, (curve, sizes) in gathered.items():
        curve.points = sorted(map(Point, sizes.values()), key=lambda point: -1 if point.bytes is None else point.bytes)
        fit = fitted.get(key)
        curve.fit = fit if fit and fit["t0_seconds"] is not None else None
    return [curve for curve, _ in gathered.values()]


def place_of(row, about):
    """The device and GPU that a row belongs to. A row that never reached a GPU belongs to the run's first one."""
    device = about["device"] if row["device"] == "none" and row.get("status", "ok") != "ok" else row["device"]
    return device, row.get("gpu") or next((gpu.get("uuid", "") for gpu in about["gpus"]), "")


def sources_of_run(document, run):
    about = run["about"]
    whole = run["status"] == "complete"
    rows, fits, taxes, scenarios = (
        [one for one in document.get(part, []) if one["run"] == run["run"]]
        for part in ("rows", "fits", "taxes", "scenarios")
    )
    for place in dict.fromkeys(place_of(row, about) for row in rows):
        here, fit, tax = ([one for one in some if place_of(one, about) == place] for some in (rows, fits, taxes))
        device, uuid = place
        yield Source(run["run"], device, about, uuid, run["files"], whole, curves_of(here, fit), tax, [], [])
    if scenarios:
        yield Source(run["run"], run["device"], about, "", run["files"], whole, [], [], scenarios, run["claims"])


def sources_of(documents):
    """The sources of all documents. A run that appears in two documents counts once."""
    sources = {}
    for document in documents:
        for run in document["runs"]:
            if run["run"] not in sources:
                sources[run["run"]] = list(sources_of_run(document, run))
    return sorted((one for of_run in sources.values() for one in of_run), key=lambda source: source.order)


def pictured(curve, picture):
    return picture in role_of(curve.benchmark).get("pictures", ())


def fastest_settings(curves):
    """Of each mechanism the setting that is fastest at the largest size that it was measured at."""
    best = {}
    for curve in curves:
        if curve.sound:
            point = curve.sound[-1]
            rank = (point.bytes or 0, -point.seconds)
            if curve.mechanism not in best or rank > best[curve.mechanism][0]:
                best[curve.mechanism] = rank, curve
    return [curve for _, curve in best.values()]


def common_size(curves):
    """The size that most curves have; the largest of several."""
    sizes = [point.bytes for curve in curves for point in curve.sized]
    return max(sizes, key=lambda size: (sizes.count(size), size), default=None)
