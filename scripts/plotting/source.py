# tocuda, Apache-2.0.
"""Where figures come from: one run on one GPU, whatever the number of sections that it was continued in."""
import dataclasses
import pathlib

from curve import curves_of
from measurement import measurement
from result_file import Unreadable


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
    whole: bool = True
    curves: list = dataclasses.field(default_factory=list)
    scenarios: list = dataclasses.field(default_factory=list)

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
        """The line that every picture carries."""
        said = [f"{self.gpu}{' (simulated)' if self.simulated and 'imulated' not in self.gpu else ''}",
                f"driver {self.driver}", f"CUDA {self.cuda}" if self.cuda else "", f"tocuda {self.suite}",
                f"{self.protocol} protocol" if self.protocol else "", f"run {self.short_run} of {self.time}",
                ", ".join(sorted({path.name for path in self.paths}))]
        return "\u00a0· ".join(part.replace(" ", "\u00a0") for part in said if part) + ("" if self.whole else "\u00a0· PARTIAL")


def driver_order(text):
    return [int(part) if part.isdigit() else -1 for part in text.split(".")], text


def object_in(parent, name):
    value = parent.get(name)
    return value if isinstance(value, dict) else {}


def text_in(parent, name, default=""):
    value = parent.get(name, default)
    return value if isinstance(value, str) else default


def gpus_of(run):
    gpus = run.get("gpus")
    return [gpu for gpu in gpus if isinstance(gpu, dict)] if isinstance(gpus, list) else []


def name_of_gpu(run, uuid):
    """A run of scenarios names every GPU that it saw, a measurement one."""
    gpus = gpus_of(run)
    matching = [gpu for gpu in gpus if gpu.get("uuid") == uuid] if uuid else gpus
    names = [text_in(gpu, "name", "a GPU with no name") for gpu in matching]
    if not names:
        return (f"GPU {uuid[:12]}" if uuid else "no GPU"), None
    counted = [f"{names.count(name)} x {name}" if names.count(name) > 1 else name for name in dict.fromkeys(names)]
    return ", ".join(counted), (matching[0].get("index") if len(matching) == 1 else None)


def link_of(run, uuid):
    return next((object_in(gpu, "pcie") for gpu in gpus_of(run) if uuid and gpu.get("uuid") == uuid), {})


def source_of(section, device, uuid):
    run = section.run
    gpu, index = name_of_gpu(run, uuid)
    same = [one for one in gpus_of(run) if one.get("name") == gpu]
    if uuid and len(same) > 1 and index is not None:
        gpu = f"{gpu} (GPU {index})"
    driver = text_in(object_in(run, "driver"), "kernel_module") or text_in(object_in(run, "driver"), "cuda") or "none"
    cuda = object_in(run, "cuda")
    return Source(run=run["run"], device=device, gpu=gpu, gpu_index=index, driver=driver,
                  cuda=text_in(cuda, "runtime") or text_in(object_in(run, "driver"), "cuda"),
                  suite=text_in(object_in(run, "suite"), "version", "of no known version"),
                  protocol=text_in(object_in(run, "protocol"), "name"), time=text_in(run, "time", "an unknown time"),
                  paths=[pathlib.Path(section.path)])


def gathered(sections):
    """Sections by the run that they continue; one that comes twice (a copy, a merged file) counts once."""
    runs, seen = {}, set()
    for section in sections:
        mark = (section.run["run"], (section.end or {}).get("sha256"))
        if mark[1] and mark in seen:
            continue
        seen.add(mark)
        root = section.run.get("resumes") if section.run.get("resumes") in runs else section.run["run"]
        runs.setdefault(root, []).append(section)
        runs.setdefault(section.run["run"], runs[root])
    return list({id(sections): sections for sections in runs.values()}.values())


def place_of(row, run):
    """The device and GPU that a row belongs to; one that never got to a GPU belongs to the run's first."""
    device = run.get("device") if row.device == "none" and row.status != "ok" else row.device
    first = next((text_in(gpu, "uuid") for gpu in gpus_of(run)), "")
    return device, row.gpu or first


def rows_by_place(together, warn):
    """What a damaged row would have said is not known; what a thousand others say still counts."""
    rows = {}
    for number, section in enumerate(together):
        for line, row in section.rows:
            if row["kind"] == "scenario":
                rows.setdefault((section.run.get("device", "none"), ""), []).append((section, row))
            else:
                try:
                    row = measurement(row, f"{section.path}:{line}", number, link_of(section.run, row.get("gpu")))
                except Unreadable as error:
                    warn(f"{error}; the row is left out")
                    continue
                rows.setdefault(place_of(row, section.run), []).append((section, row))
    return rows


def sources_of(sections, warn):
    sources = []
    for together in gathered(sections):
        for place, rows in rows_by_place(together, warn).items():
            source = source_of(together[0], *place)
            source.paths = list(dict.fromkeys(pathlib.Path(section.path) for section, _ in rows))
            source.curves = curves_of([row for _, row in rows if not isinstance(row, dict)])
            source.scenarios = [row for _, row in rows if isinstance(row, dict)]
            source.whole = together[-1].whole
            sources.append(source)
    return sorted(sources, key=lambda source: source.sort_key)
