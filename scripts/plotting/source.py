# tocuda, Apache-2.0.
"""The source of figures: one run on one GPU, in however many sections it was resumed."""

import dataclasses
import json
import pathlib

from curve import curves_of


@dataclasses.dataclass
class Source:
    run: str
    device: str
    gpu: str
    gpu_index: int | None
    driver: str
    cuda: str
    suite: str
    protocol: str
    time: str
    paths: list
    whole: bool
    curves: list
    taxes: list  # as in the document
    scenarios: list
    claims: list

    @property
    def simulated(self):
        return self.device == "simulated"

    @property
    def short_run(self):
        return self.run[:8]

    @property
    def sort_key(self):
        return self.device != "real", self.gpu, driver_order(self.driver), self.time, self.run, self.gpu_index or 0

    def facts(self):
        """The line about the source in every caption."""
        said = [
            f"{self.gpu}{' (simulated)' if self.simulated and 'imulated' not in self.gpu else ''}",
            f"driver {self.driver}",
            f"CUDA {self.cuda}" if self.cuda else "",
            f"tocuda {self.suite}",
            f"{self.protocol} protocol" if self.protocol else "",
            f"run {self.short_run} of {self.time}",
            ", ".join(sorted({path.name for path in self.paths})),
        ]
        return "\u00a0· ".join(part.replace(" ", "\u00a0") for part in said if part) + (
            "" if self.whole else "\u00a0· PARTIAL"
        )

    def columns(self, curve):
        """The first columns of the tables that --csv writes."""
        return {
            "run": self.run,
            "gpu": self.gpu,
            "driver": self.driver,
            "device": self.device,
            "benchmark": curve.benchmark,
            "parameters": json.dumps(dict(curve.parameters)),
            "peer": curve.peer,
            "clock": curve.clock,
        }

    def table_of(self, curve):
        """A row for each point of a curve."""
        return [{**self.columns(curve), **point.columns} for point in curve.points]


def driver_order(text):
    return [int(part) if part.isdigit() else -1 for part in text.split(".")], text


def name_of_gpu(gpus, uuid):
    """Returns (name, index). Scenario runs name every GPU that they saw, measurements one."""
    matching = [gpu for gpu in gpus if gpu.get("uuid") == uuid] if uuid else gpus
    names = [gpu.get("name", "unnamed GPU") for gpu in matching]
    if not names:
        return (f"GPU {uuid[:12]}" if uuid else "no GPU"), None
    counted = [f"{names.count(name)} x {name}" if names.count(name) > 1 else name for name in dict.fromkeys(names)]
    return ", ".join(counted), (matching[0].get("index") if len(matching) == 1 else None)


def source_of(run, device, uuid, **parts):
    about = run["about"]
    gpus, driver = about["gpus"], about["driver"]
    gpu, index = name_of_gpu(gpus, uuid)
    if uuid and index is not None and sum(one.get("name") == gpu for one in gpus) > 1:
        gpu = f"{gpu} (GPU {index})"
    return Source(
        run=run["run"],
        device=device,
        gpu=gpu,
        gpu_index=index,
        driver=driver.get("kernel_module") or driver.get("cuda") or "none",
        cuda=about["cuda"].get("runtime") or driver.get("cuda", ""),
        suite=about["suite"]["version"],
        protocol=about.get("protocol", {}).get("name", ""),
        time=about["time"],
        paths=[pathlib.Path(path) for path in run["files"]],
        whole=run["status"] == "complete",
        **parts,
    )


def place_of(row, about):
    """The device and GPU that a row belongs to. A row that never reached a GPU belongs to the run's first one."""
    device = about["device"] if row["device"] == "none" and row.get("status", "ok") != "ok" else row["device"]
    return device, row.get("gpu") or next((gpu.get("uuid", "") for gpu in about["gpus"]), "")


def by_place(rows, about):
    places = {}
    for row in rows:
        places.setdefault(place_of(row, about), []).append(row)
    return places


def sources_of_run(document, run):
    rows, fits, taxes, scenarios = (
        [one for one in document.get(part, []) if one["run"] == run["run"]]
        for part in ("rows", "fits", "taxes", "scenarios")
    )
    taxed = by_place(taxes, run["about"])
    for place, measured in by_place(rows, run["about"]).items():
        yield source_of(
            run, *place, curves=curves_of(measured, fits), taxes=taxed.get(place, []), scenarios=[], claims=[]
        )
    if scenarios:
        yield source_of(run, run["device"], "", curves=[], taxes=[], scenarios=scenarios, claims=run["claims"])


def sources_of(documents):
    """The sources of all documents. A run that appears in two documents counts once."""
    sources, seen = [], set()
    for document in documents:
        for run in document["runs"]:
            if run["run"] not in seen:
                sources += sources_of_run(document, run)
        seen |= {run["run"] for run in document["runs"]}
    return sorted(sources, key=lambda source: source.sort_key)
