# tocuda, Apache-2.0.
"""Starts a few kernels by hand, without tocuda, under tools that inspect them.

These tools serialise launches, so that the gate would never open: the worker is told not to use one."""

import json
import os
import shutil

import roles
from campaigning import building
from campaigning.child import last_line, output_of
from campaigning.outcome import Absent, Cut, Failed, Limit

KERNELS = tuple(roles.with_role("inspected"))
PROTOCOL = {"kind": "protocol", "launches_min": 1, "launches_max": 1, "launch_budget_s": 0.001, "gate": False}
FOUND_SOMETHING = 86  # exit code of a sanitizer
NO_PERMISSION = "ERR_NVGPUCTRPERM"
SANITIZERS = ("memcheck", "racecheck", "synccheck", "initcheck")
# Clocks are left alone, because a locked clock would outlast the campaign. Only the kernel itself is looked at, once,
# and not what fills, checks and empties the cache.
NCU = (
    "ncu --clock-control none --target-processes all --section SpeedOfLight --section LaunchStats --section Occupancy "
    "--kernel-name-base demangled --kernel-name regex:.*on_device<tocuda::kernels::.* --launch-count 1 --log-file {log}"
)


def described(campaign, size):
    """name -> the parameter set to measure: `size` bytes, and the first value of every other parameter."""
    file = building.program(campaign).with_name("tocuda-cuda.describe.jsonl")
    if not file.is_file():
        raise Absent("tocuda-cuda is not built")
    lines = map(json.loads, file.read_text().splitlines())
    found = {line["name"]: line["parameters"] for line in lines if line.get("name") in KERNELS}
    if not found:
        raise Failed(f"{file.name} lists none of {', '.join(KERNELS)}")
    first = {name: {key: values[0] for key, values in of.items() if values} for name, of in found.items()}
    return {name: {**chosen, "bytes": size} for name, chosen in first.items()}


def worker(campaign, folder):
    """The program and its environment."""
    build = building.program(campaign).parent
    if not campaign.asked.simulate:
        return build / "tocuda-cuda", dict(os.environ)
    simulation = folder / "simulation"
    simulation.write_text(output_of(build / "tocuda", "__simulation", campaign.asked.simulate).stdout)
    stand_in = next(iter(sorted(build.rglob("libcudart.so.13"))), build)
    places = {"LD_PRELOAD": str(stand_in), "LD_LIBRARY_PATH": str(stand_in.parent)}
    return build / "tocuda-cuda-simulated", {**os.environ, **places, "TOCUDA_SIMULATION": str(simulation)}


def one(campaign, folder, name, chosen, tool, seconds):
    """Runs one kernel under a tool. Returns a line about what went wrong; empty if nothing did."""
    stem = name.replace("/", "_")
    given, said, report = (folder / f"{stem}.{kind}" for kind in ("asked", "jsonl", "tool.txt"))
    given.write_text("".join(json.dumps(line) + "\n" for line in (PROTOCOL, chosen)))
    program, environment = worker(campaign, folder)
    before = [word.replace("{log}", str(report)) for word in tool.split()]
    script = 'given=$1; said=$2; shift 2; exec "$@" <"$given" 3>"$said"'
    words = [*before, "sh", "-c", script, "sh", given, said, program, "measure", name]
    log = f"{folder.name}/{stem}.log"
    code = campaign.command(words, log, seconds, env=environment)
    logs = [file for file in (campaign.log(log), report) if file.is_file()]
    if any(NO_PERMISSION in file.read_text(errors="replace") for file in logs):
        return f"{name}: {NO_PERMISSION}: only administrators may read performance counters on this machine"
    if code == FOUND_SOMETHING:
        return f"{name}: the tool reported an error"
    lines = [json.loads(line) for line in said.read_text().splitlines()] if said.is_file() else []
    bad = [line for line in lines if line.get("status") not in ("ok", "skipped", "invalid")]
    if bad:
        return f"{name}: {bad[0].get('status')}: {bad[0].get('check', '')}"
    if code != 0 or not lines:
        last = next((line for line in (last_line(file, "") for file in reversed(logs)) if line), "")
        return f"{name}: exit code {code}: {last}"
    return ""


def each(campaign, seconds, runs):
    """`runs` is (folder, tool, size) of each tool. Kernels that were done before are not repeated."""
    wrong, left = [], campaign.seconds_from_now(seconds)
    for name_of_folder, tool, size in runs:
        done = campaign.log(f"{name_of_folder}/kernels.txt")
        before = dict(line.split("\t") for line in done.read_text().splitlines()) if done.is_file() else {}
        for name, chosen in described(campaign, size).items():
            if name not in before:
                if left() < 1:
                    raise Limit(f"stopped before {name} under {name_of_folder}")
                problem = one(campaign, done.parent, name, chosen, tool, left())
                before[name] = problem.replace("\t", " ")
                with done.open("a") as out:
                    out.write(f"{name}\t{before[name]}\n")
            wrong += [f"{name_of_folder}: {before[name]}"] if before[name] else []
    if wrong:
        raise Failed(f"{len(wrong)} failed: {'; '.join(wrong)}")
    return f"{len(KERNELS)} kernels under {len(runs)} tool{'s' if len(runs) > 1 else ''}"


def found(tool):
    if not shutil.which(tool):
        raise Absent(f"{tool} not found on PATH")


def sanitized(campaign, seconds):
    found("compute-sanitizer")
    words = f"compute-sanitizer --error-exitcode {FOUND_SOMETHING} --target-processes all --log-file {{log}} --tool "
    try:
        return each(campaign, seconds, [(f"sanitizer-{tool}", words + tool, 1 << 20) for tool in SANITIZERS])
    except Limit as limit:
        raise Cut(str(limit)) from None


def profiled(campaign, seconds):
    found("ncu")
    return each(campaign, seconds, [("ncu", NCU, 16 << 20 if campaign.asked.simulate else 1 << 30)])
