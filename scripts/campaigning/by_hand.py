# tocuda, Apache-2.0.
"""Starts each kernel in its own process, without tocuda: once only with its check, and under tools that inspect it.

Under tools that serialise launches the gate would never open, so the worker is told not to use one."""

import itertools
import json
import os
import shutil
import subprocess
import time

from campaigning import surroundings
from campaigning.child import last_line
from campaigning.outcome import Absent, Failed, Limit

KERNELS = ("copy/device_to_device/", "memory/", "convert/")
BYTES = 1 << 20
PROTOCOL = {"kind": "protocol", "launches_min": 1, "launches_max": 1, "launch_budget_s": 0.001, "gate": False}
FOUND_SOMETHING = 86  # exit code of a sanitizer
KERNEL_LIMIT_S = 60
NO_PERMISSION = "ERR_NVGPUCTRPERM"


def kernels(campaign):
    """The kernels that the worker describes: name -> parameters."""
    file = surroundings.program(campaign).with_name("tocuda-cuda.describe.jsonl")
    if not file.is_file():
        raise Failed("tocuda-cuda is not built")
    lines = map(json.loads, file.read_text().splitlines())
    named = [line for line in lines if line["kind"] == "benchmark" and line["name"].startswith(KERNELS)]
    found = {line["name"]: line["parameters"] for line in named}
    if not found:
        raise Failed(f"{file.name} lists no kernel")
    return found


def sets_of(parameters):
    values = {**parameters, **({"bytes": [BYTES]} if "bytes" in parameters else {})}
    return [dict(zip(values, each)) for each in itertools.product(*values.values())]


def worker(campaign, folder):
    """The program and its environment."""
    build = surroundings.program(campaign).parent
    if not campaign.asked.simulate:
        return build / "tocuda-cuda", dict(os.environ)
    simulation = folder / "simulation"
    compiled = [surroundings.program(campaign), "__simulation", campaign.asked.simulate]
    simulation.write_bytes(subprocess.run(compiled, capture_output=True, check=True).stdout)
    stand_in = next(iter(sorted(build.rglob("libcudart.so.13"))), build)
    return build / "tocuda-cuda-simulated", {
        **os.environ,
        "LD_PRELOAD": str(stand_in),
        "LD_LIBRARY_PATH": str(stand_in.parent),
        "TOCUDA_SIMULATION": str(simulation),
    }


def one(campaign, folder, name, parameters, before):
    """Runs one kernel. Returns a line about what went wrong; empty if nothing did."""
    stem = name.replace("/", "_")
    given, said = folder / f"{stem}.asked", folder / f"{stem}.jsonl"
    sets = sets_of(parameters)
    given.write_text("".join(json.dumps(line) + "\n" for line in [PROTOCOL, *sets]))
    program, environment = worker(campaign, folder)
    log = f"{folder.name}/{stem}.log"
    tool = [str(word).replace("{log}", str(folder / f"{stem}.tool.txt")) for word in before]
    script = 'given=$1; said=$2; shift 2; exec "$@" <"$given" 3>"$said"'
    words = [*tool, "sh", "-c", script, "sh", given, said, program, "measure", name]
    try:
        code = campaign.command(words, log, KERNEL_LIMIT_S, env=environment)
    except Limit as limit:
        return f"{name}: {limit}"
    return judged(name, code, said, len(sets), [campaign.log(log), folder / f"{stem}.tool.txt"])


def judged(name, code, said, sets, logs):
    """Returns what went wrong; empty if nothing did."""
    logs = [log for log in logs if log.is_file()]
    if any(NO_PERMISSION in log.read_text(errors="replace") for log in logs):
        return f"{name}: {NO_PERMISSION}: only administrators may read performance counters on this machine"
    if code == FOUND_SOMETHING:
        return f"{name}: the tool reported an error"
    lines = [json.loads(line) for line in said.read_text().splitlines()] if said.is_file() else []
    bad = [line for line in lines if line.get("status") not in ("ok", "skipped", "invalid")]
    if bad:
        return f"{name}: {bad[0].get('status')}: {bad[0].get('check', '')} at {json.dumps(bad[0].get('parameters'))}"
    if code != 0 or len(lines) != sets:
        last = next((line for line in (last_line(log, "") for log in reversed(logs)) if line), "")
        return f"{name}: exit code {code}, {len(lines)} of {sets} parameter sets: {last}"
    return ""


def each(campaign, seconds, label, before=(), needs=""):
    """Runs all kernels under one tool. Failures are recorded and fail the step once all kernels have run."""
    if needs and not shutil.which(needs):
        raise Absent(f"{needs} not found on PATH")
    folder = campaign.log(f"{label}/kernels.txt").parent
    until = time.monotonic() + seconds
    wrong, done = [], 0
    all_of_them = kernels(campaign)
    for name, parameters in all_of_them.items():
        if time.monotonic() > until:
            raise Limit(f"{done} of {len(all_of_them)} kernels, {len(wrong)} failed")
        if problem := one(campaign, folder, name, parameters, before):
            wrong.append(problem)
        done += 1
        lines = [f"{done} kernels, {len(wrong)} failed", *wrong]
        (folder / "kernels.txt").write_text("\n".join(lines) + "\n")
    if wrong:
        raise Failed(f"{len(wrong)} of {done} kernels failed: {wrong[0]}")
    return f"{done} kernels, all parameter sets correct"


def sanitized(campaign, seconds, tool):
    words = (
        f"compute-sanitizer --tool {tool} --error-exitcode {FOUND_SOMETHING} --target-processes all --log-file {{log}}"
    )
    return each(campaign, seconds, f"sanitizer-{tool}", words.split(), "compute-sanitizer")


def profiled(campaign, seconds):
    """Leaves the clocks alone, because a locked clock would outlast the campaign. The kernels of the check and of the
    warm-up come first, hence the many launches."""
    words = (
        "ncu --clock-control none --target-processes all --section SpeedOfLight --section LaunchStats "
        "--section Occupancy --launch-count 64 --log-file {log}"
    )
    return each(campaign, seconds, "ncu", words.split(), "ncu")
