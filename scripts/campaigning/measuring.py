# tocuda, Apache-2.0.
"""Runs tocuda's measurements and scenarios, each into its own folder. They are resumed if they were stopped, and
verified and cited at the end."""

import fnmatch
import json

from campaigning import surroundings
from campaigning.child import last_line, output_of
from campaigning.outcome import Absent, Failed, Limit, STOPPED

USAGE, FINDINGS = 2, (0, 1, 3)  # with these the run is complete and recorded
TIME_TO_END_S = 15


def program(campaign):
    file = surroundings.program(campaign)
    if not file.is_file():
        raise Failed("tocuda is not built")
    return file


def where(campaign):
    return ["--simulate", campaign.asked.simulate] if campaign.asked.simulate else ["--real"]


def benchmarks(campaign):
    """name -> its entry in `tocuda list`."""
    done = output_of(program(campaign), "list", "--json", timeout=60)
    try:
        return {found["name"]: found for found in json.loads(done.stdout)["benchmarks"]}
    except (ValueError, KeyError, TypeError):
        raise Failed(f"cannot read the output of `tocuda list`: {(done.stderr or done.stdout).strip()[:200]}") from None


def named(campaign, patterns, without=()):
    """The benchmarks that match a pattern, in the patterns' order."""
    names = [name for pattern in patterns for name in fnmatch.filter(benchmarks(campaign), pattern)]
    names = [name for name in dict.fromkeys(names) if not any(fnmatch.fnmatch(name, pattern) for pattern in without)]
    if not names:
        raise Absent(f"no benchmark matches {' or '.join(patterns)}")
    return names


def has_several_gpus(campaign):
    return any(
        one.get("needs", {}).get("gpus", 0) > 1 and one.get("runnable") == "real"
        for one in benchmarks(campaign).values()
    )


def files_of(campaign, name):
    return sorted((campaign.recorded / "results" / name).glob("*.jsonl"))


def record(campaign, name, verb, seconds, words, device=None):
    """Runs a verb that records. Resumes the file of an earlier start unless the machine or the build has changed."""
    folder = campaign.recorded / "results" / name
    files = files_of(campaign, name)
    try:
        if files:
            how = ["--budget", budget(campaign, seconds)] if verb == "bench" else []
            code = tocuda(campaign, name, [verb, "--resume", files[-1], *how], seconds)
            if code == USAGE:
                files = []
        if not files:
            code = tocuda(campaign, name, [verb, *words, *(device or where(campaign)), "--output", folder], seconds)
    except Limit as limit:
        raise Limit(f"{limit}; {checked(campaign, name)}") from None
    if code == STOPPED:
        raise Limit(f"stopped before the end; {checked(campaign, name)}")
    if code not in FINDINGS:
        raise Failed(f"exit code {code}: {last_line(campaign.log(f'{name}.log'))}")
    return checked(campaign, name)


def bench(campaign, seconds, name, patterns, words, without=()):
    asked = [*named(campaign, patterns, without), *words, "--budget", budget(campaign, seconds), "--seed", 1]
    return record(campaign, name, "bench", seconds, asked)


def budget(campaign, seconds):
    """The --budget with which a measurement ends within its limit."""
    return max(1, int(min(seconds, campaign.children.left()) - TIME_TO_END_S))


def tocuda(campaign, name, words, seconds):
    return campaign.command([program(campaign), *words, "--quiet"], f"{name}.log", seconds)


def checked(campaign, name):
    """Verifies and cites the newest file. Returns the result in one line; the full output goes to a log."""
    files = files_of(campaign, name)
    if not files:
        return "no file"
    file = files[-1]
    log = f"{name}.verify.txt"
    code = campaign.command([program(campaign), "verify", file], log, 60)
    row = headline(file)
    said = f"{file.name}: " + ("whole" if code == 0 else f"verify {code}")
    if row is None:
        return f"{said}; no row"
    start = campaign.log(log).stat().st_size
    code = campaign.command([program(campaign), "cite", file, row], log, 60)
    with campaign.log(log).open(errors="replace") as text:
        text.seek(start)
        lines = [line.strip() for line in text.read().splitlines()]
    lines = [line for line in lines if line and not line.endswith("is not citable:")]  # of a refusal only the reasons
    return f"{said}; cite: {'' if code == 0 else f'refused ({code}): '}{' / '.join(lines)[:400]}"


def rows_of(file):
    """The lines of a result file, without one that was cut off when its process ended."""
    with file.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            try:
                yield json.loads(line)
            except ValueError:
                continue


def headline(file):
    """The row to cite: the largest of the rows with the most processes; of scenarios the first claim."""
    found, claims = {}, []
    for row in rows_of(file):
        if row.get("kind") == "measurement" and row.get("status") == "ok":
            count, size = found.get(row.get("id"), (0, 0))
            found[row.get("id")] = count + 1, max(size, row.get("bytes_touched", 0))
        if row.get("kind") == "scenario":
            claims += [claim["id"] for claim in row.get("claims", ())]
    return max(found, key=found.get) if found else claims[0] if claims else None
