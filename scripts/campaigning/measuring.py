# tocuda, Apache-2.0.
"""Runs tocuda's measurements and scenarios, each into a folder of its own. What was cut is resumed in its file, so that
nothing is measured twice; each file is verified."""

import json
import subprocess
from pathlib import Path

from campaigning import building
from campaigning.child import last_line, output_of
from campaigning.outcome import Absent, Cut, Exit, Failed, Limit

FINDINGS = (0, 1, 3)  # with these the run is complete and recorded
SCENARIOS_S = 160  # all scenarios: 112 on a machine with an H100 and 16 cores
SPARE = 1.1  # so much longer than the estimate
TIME_TO_START_AND_CHECK_S = 12
UNKNOWN_S = 120  # a measurement of which there is no forecast
REHEARSED_S = 10  # each measurement of a rehearsal
SIZES = {"SIZES": "1GiB,4GiB", "SIZE": "1GiB"}
NOTHING_MISSING = {"processes": 0, "sets": 0, "seconds": 0}
REHEARSED_SIZES = dict.fromkeys(SIZES, "1MiB")


class Refused(Failed):
    """A file cannot be continued here."""


def program(campaign):
    file = building.program(campaign)
    if not file.is_file():
        raise Failed("tocuda is not built")
    return file


def where(campaign):
    return ["--simulate", campaign.asked.simulate] if campaign.asked.simulate else ["--real"]


def asking(words, sizes=SIZES):
    """The command that measures these words, which name their sizes."""
    return ["bench", *(sizes.get(word, word) for word in words)]


def files_of(campaign, name):
    return sorted((campaign.recorded / "results" / name).glob("*.jsonl"))


def rows_recorded(campaign, name):
    """How many rows of a step say what was seen: those that say why nothing was, a try without progress adds, too."""
    rows = (row for file in files_of(campaign, name) for row in rows_of(file))
    return sum(row.get("kind") == "scenario" or bool(row.get("samples")) for row in rows)


def listed(campaign, kind):
    """The names of the scenarios or benchmarks of this build; None if it does not say."""
    if campaign.listed is None:
        try:
            campaign.listed = json.loads(output_of(program(campaign), "list", "--json", timeout=60).stdout)
        except (ValueError, subprocess.TimeoutExpired):
            campaign.listed = {}
    return [one["name"] for one in campaign.listed[kind]] if kind in campaign.listed else None


def built(campaign, words):
    """The words without benchmarks and folders that this build lacks: without a CUDA compiler or LibTorch it still
    measures the others. Empty if it lacks all of them."""
    names = listed(campaign, "benchmarks")
    if names is None:
        return words
    lacking = {word for word in words if "/" in word and not any(name.startswith(word) for name in names)}
    left = [word for word in words if word not in lacking]
    return left if names and (not lacking or any("/" in word for word in left)) else []


def missing(campaign, name, words):
    """The words that measure what is missing, and the forecast of it (None if it is refused): of the newest file if it
    can be resumed, otherwise of everything that was built."""
    if name not in campaign.forecasts:
        here, sizes = built(campaign, words), REHEARSED_SIZES if campaign.asked.simulate else SIZES
        if not here:
            return [], NOTHING_MISSING
        resumed = [["bench", "--resume", file] for file in files_of(campaign, name)[-1:]]
        for asked in (*resumed, [*asking(here, sizes), *where(campaign)]):
            campaign.forecasts[name] = asked, forecast(program(campaign), asked)
            if campaign.forecasts[name][1]:
                break
    return campaign.forecasts[name]


def forecast(tocuda, words):
    """What `bench` would measure; None if it refuses."""
    try:
        done = output_of(tocuda, *words, "--forecast", "--json", timeout=120)
        found = json.loads(done.stdout)
        return found if found.get("forecast") else None
    except (ValueError, AttributeError, subprocess.TimeoutExpired):
        return None


def needed(campaign, name, words):
    """The estimated seconds of what is missing, at the pace of this machine."""
    if campaign.asked.simulate:
        return REHEARSED_S + TIME_TO_START_AND_CHECK_S
    known = campaign.state.found["estimates"]
    if name not in known:
        known[name] = estimated(campaign, name, words)
    if known[name] is None:
        return UNKNOWN_S  # whatever the reason, the measurement itself will say it
    if known[name] == 0:
        return 1  # nothing is missing: this only has to be seen
    return SPARE * known[name] * campaign.pace() + TIME_TO_START_AND_CHECK_S


def estimated(campaign, name, words):
    if not building.is_built(campaign):
        return campaign.stored_forecast(name)
    found = missing(campaign, name, words)[1]
    return found and found["processes"] and found["seconds"]


def bench(campaign, seconds, name, words):
    asked, before = missing(campaign, name, words)
    if before and not before["processes"]:
        if files_of(campaign, name):
            return checked(campaign, name)
        raise Absent("nothing to measure on this machine" if asked else building.why_left_out(campaign))
    budget = max(1, int(seconds - TIME_TO_START_AND_CHECK_S))
    budget = REHEARSED_S if campaign.asked.simulate else budget
    campaign.forecasts.pop(name)
    said = record(campaign, name, asked, ["--budget", budget], seconds)
    again = ["bench", "--resume", files_of(campaign, name)[-1]]
    left = forecast(program(campaign), again)
    campaign.forecasts[name] = again, left
    if left and left["processes"] and not campaign.asked.simulate:
        if before:
            campaign.keep_pace(budget, before["seconds"] - left["seconds"])
        raise Cut(f"{left['sets']} parameter sets left; {said}")
    return said


def scenarios(campaign, seconds):
    for file in files_of(campaign, "scenarios")[-1:]:
        try:
            return record(campaign, "scenarios", ["run", "--resume", file], [], seconds)
        except Refused:
            break  # recorded on another boot or by another build
    if listed(campaign, "scenarios") == []:
        raise Absent(building.why_left_out(campaign))
    return record(campaign, "scenarios", ["run", *where(campaign)], [], seconds)


def record(campaign, name, words, more, seconds):
    """Runs a verb that records, in the repository: the command is recorded, and names no folder of this machine.
    Returns in one line what came out."""
    here = campaign.repository
    words = [word.relative_to(here) if isinstance(word, Path) else word for word in words]
    resumed = "--resume" in words
    output = [] if resumed else ["--output", (campaign.recorded / "results" / name).relative_to(here)]
    seconds = max(1, seconds - TIME_TO_START_AND_CHECK_S / 2)
    try:
        asked = [program(campaign), *words, *more, *output, "--quiet"]
        code = campaign.command(asked, f"{name}.log", seconds, cwd=here)
    except Limit as limit:
        code, why = Exit.STOPPED, str(limit)
    else:
        why = "stopped before the end"
    if code == Exit.STOPPED and not campaign.asked.simulate:
        raise Cut(f"{why}; {checked(campaign, name)}")
    nothing_in_time = code == Exit.NOTHING and words[0] == "bench" and files_of(campaign, name)
    if code not in (*FINDINGS, Exit.STOPPED) and not nothing_in_time:
        what = Refused if resumed and code in (Exit.USAGE, Exit.NOTHING) else Failed
        raise what(f"exit code {code}: {last_line(campaign.log(f'{name}.log'))}")
    return checked(campaign, name)


def checked(campaign, name):
    """Verifies the newest file. Returns the result in one line; the full output goes to a log."""
    for file in files_of(campaign, name)[-1:]:
        verified = output_of(program(campaign), "verify", file)
        campaign.log(f"{name}.verify.txt").write_text(verified.stdout + verified.stderr)
        return f"{file.name}: " + ("whole" if verified.returncode == 0 else f"verify {verified.returncode}")
    return "no file"


def rows_of(file):
    """The lines of a result file, without one that was cut off when its process ended."""
    with file.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            try:
                yield json.loads(line)
            except ValueError:
                continue
