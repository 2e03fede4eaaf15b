# tocuda, Apache-2.0.
"""Other programs that measure the same machine, run once after our own measurements, and a table of their numbers
beside ours: all of 1 GiB, each with what it is, because some print their best and some the median."""

import json
import os
import re
import shutil
import statistics
from pathlib import Path

import roles
from campaigning import building, measuring
from campaigning.child import last_line
from campaigning.outcome import Absent, Failed, Limit

HERE = Path(__file__).parent
NAMES = ("nvbandwidth", "babelstream")
GIB = 1 << 30
STATISTIC = {"nvbandwidth": "median of 3", "babelstream": "best of 100"}
CONVENTION = {"nvbandwidth": "one way", "babelstream": "touched"}  # the bytes that it counts


def carried(campaign):
    return [name for name in NAMES if (campaign.folder / "peers" / name / "tree").is_dir()]


def measure(campaign, seconds):
    """Builds and runs each peer that was carried. Their output is kept unchanged; one that fails spoils no other."""
    if campaign.asked.simulate:
        raise Absent("a rehearsal has no GPU for other programs")
    if not carried(campaign):
        raise Absent("none was prepared")
    compiler = nvcc(campaign)
    if not compiler:
        raise Absent("no CUDA compiler found")
    left, wrong = campaign.seconds_from_now(seconds), []
    (campaign.recorded / "peers").mkdir(exist_ok=True)
    for name in carried(campaign):
        try:
            run(campaign, name, compiler, left)
        except (Failed, Limit) as why:
            wrong.append(f"{name}: {why}")
    (campaign.recorded / "peers.txt").write_text("\n".join(lines(campaign.recorded)) + "\n")
    if wrong:
        raise Failed("; ".join(wrong))
    return ", ".join(carried(campaign))


def nvcc(campaign):
    """The compiler of the build; peers can do with an older one."""
    cache = building.program(campaign).with_name("CMakeCache.txt")
    said = re.search(r"(?m)^CMAKE_CUDA_COMPILER:\w+=(/.*)", cache.read_text() if cache.is_file() else "")
    return (
        said[1]
        if said
        else os.environ.get("CUDACXX") or shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
    )


def run(campaign, name, compiler, left):
    file, log = campaign.recorded / "peers" / f"{name}.txt", campaign.log(f"{name}.log")
    built = campaign.repository / "build/peers" / name
    built.mkdir(parents=True, exist_ok=True)
    words = ["sh", HERE / "peers.sh", name]
    given = {**os.environ, "NVCC": str(compiler)}
    campaign.must([*words, "build", campaign.folder / "peers" / name], log.name, left(), cwd=built, env=given)
    with file.open("wb") as out, log.open("ab") as errors:
        code = campaign.children.run([*words, "run"], out, left(), stderr=errors, cwd=built)
    if code != 0:
        raise Failed(f"exit code {code}: {last_line(file, '') or last_line(log, '')}")


def nvbandwidth(text):
    """name -> GB/s, summed over all GPUs."""
    document = json.loads(text[text.index("{") :])
    return {case["name"]: float(case["sum"]) for case in document["nvbandwidth"]["testcases"] if "sum" in case}


def babelstream(text):
    """name -> GB/s. The peer prints lines about the run, then a table in MB/s."""
    rows = [line.split(",") for line in text.splitlines()]
    return {cells[0]: float(cells[4]) / 1e3 for cells in rows if len(cells) >= 5 and cells[1].isdigit()}


READERS = {"nvbandwidth": nvbandwidth, "babelstream": babelstream}


def said(recorded, name):
    file = recorded / "peers" / f"{name}.txt"
    try:
        return READERS[name](file.read_text(errors="replace")) if file.is_file() else {}
    except (ValueError, KeyError, TypeError, IndexError):
        return {}


def ours(recorded):
    """(benchmark, which bytes) -> GB/s at 1 GiB of the best variant: the median over processes, and its best sample."""
    rows = {}
    for file in sorted((recorded / "results").glob("*/*.jsonl")):
        for row in measuring.rows_of(file):
            if row.get("status") == "ok" and row.get("bytes_one_way") == GIB and row.get("samples"):
                rows.setdefault((row["benchmark"], row["id"], row["bytes_touched"]), []).append(row["samples"])
    found = {}
    for (name, _, touched), samples in rows.items():
        median = statistics.median(statistics.median(one) for one in samples)
        for convention, count in (("one way", GIB), ("touched", touched)):
            rates = (count / median / 1e9, count / min(map(min, samples)) / 1e9)
            found[name, convention] = max(found.get((name, convention), (0, 0)), rates)
    return found


def lines(recorded):
    """The lines of the table; empty if there are no results of peers."""
    own, table = ours(recorded), []
    alike = {name: one for one, names in roles.with_role("peers").items() for name in names}
    for peer, convention in CONVENTION.items():
        for called, rate in said(recorded, peer).items():
            name, figure = f"{peer} {called}", f"{rate:.1f}"
            if benchmark := alike.get(name):
                median, best = (f"{rate:.1f}" for rate in own.get((benchmark, convention), (0, 0)))
                row = f"{name:<36} {figure:>8} {STATISTIC[peer]:<12} {median:>8} {best:>8}  {benchmark}, {convention}"
                table.append(row.replace("     0.0", "       -"))
    head = f"{'GB/s at 1 GiB':<36} {'peer':>8} {'which is':<12} {'median':>8} {'best':>8}  of ours, which bytes count"
    return [head, *table] if table else []
