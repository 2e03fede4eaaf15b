# tocuda, Apache-2.0.
"""What a campaign brought back: a summary in at most ten lines, and the files that belong to
results/<gpu>/<driver>/: those that were recorded on a GPU, verify and can be cited."""

import tempfile
from pathlib import Path

import kept
from campaigning import measuring, state
from campaigning.child import is_running
from campaigning.outcome import ABSENT, BEGUN, CUT, DONE, FAILED, LIMIT, Exit, Problem

NAMES = ("campaign.tar.gz", "rehearsal.tar.gz")
STEPS_TO_NAME = 6
LINE = 160


def archive_in(place):
    """Returns the archive itself, or the newest one in a folder."""
    files = [place] if place.is_file() else [place / name for name in NAMES if (place / name).is_file()]
    if not files:
        raise Problem(f"{place}: no archive of a campaign found ({' or '.join(NAMES)})", Exit.USAGE)
    return max(files, key=lambda file: file.stat().st_mtime)


def lines(file, running=False):
    found = state.read(state.read_member(file, "state.json"))
    if found is None:
        raise Problem(f"{file}: not a readable archive of a campaign", Exit.USAGE)
    steps, dropped = found["steps"], found.get("dropped", {})
    by_outcome = {}
    for name, step in steps.items():
        by_outcome.setdefault(step["outcome"], []).append(name)
    rehearsed = f"a rehearsal on {found.get('simulate')}, which says nothing about real GPUs"
    what = rehearsed if found.get("simulate") else f"on a GPU, {found['used_seconds'] / 60:.0f} minutes so far"
    told = [f"{file.name}: {file.stat().st_size / (1 << 20):.1f} MiB, started {found['begun']}, {what}"]
    planned = found.get("planned", list(steps))
    left = (None, BEGUN, CUT)
    open_ones = [name for name in planned if steps.get(name, {}).get("outcome") in left and name not in dropped]
    told.append(f"done: {named(by_outcome.get(DONE, []))} of {len(planned)}")
    for outcome, words in (
        (FAILED, "failed"),
        (LIMIT, "stopped at their time limit"),
        (ABSENT, "skipped"),
    ):
        if names := by_outcome.get(outcome):
            told.append(f"{words}: {named(names)}; {names[0]}: {steps[names[0]].get('why', '')}"[:LINE])
    if dropped:
        name = next(iter(dropped))
        told.append(f"dropped for time: {named(list(dropped))}; {name}: {dropped[name]}"[:LINE])
    told.append(what_came_out(steps)[:LINE])
    return [*told, next_thing(open_ones, found, running)]


def of_folder(place):
    return lines(archive_in(place), is_running(place if place.is_dir() else place.parent))


def named(names):
    more = f" and {len(names) - STEPS_TO_NAME} more" if len(names) > STEPS_TO_NAME else ""
    return f"{len(names)} ({', '.join(names[:STEPS_TO_NAME])}{more})" if names else "0"


def what_came_out(steps):
    said = [step.get("said", "") or step.get("why", "") for step in steps.values()]
    said = [text for text in said if ".jsonl" in text]
    return f"files: {len(said)}, {sum(text.endswith(': whole') for text in said)} verified"


def next_thing(open_ones, found, running):
    if running:
        return f"running now; still to do: {named(open_ones)}"[:LINE]
    if found["steps"].get("build", {}).get("outcome") == FAILED:
        return "next: mend what the build lacks (logs/build.log), then start again"
    if "build" in found.get("dropped", {}):
        return "next: give it more time (--total): the build did not finish, and nothing can be measured without it"
    if open_ones:
        return f"next: start again (scripts/campaign run FOLDER OUT); open: {named(open_ones)}"[:LINE]
    if found.get("simulate"):
        return "next: nothing, the rehearsal is complete"
    return "next: scripts/campaign keep ARCHIVE copies what was recorded to results/"


def keep(source, repository):
    """Returns the exit code: 1 if a file from a real GPU was refused. Files from simulated GPUs are skipped with a
    message."""
    program = repository / "scripts/tocuda"
    copies, refused = [], []
    with tempfile.TemporaryDirectory() as folder:
        state.unpack(archive_in(source), Path(folder) / "recorded")
        for file in sorted(Path(folder).rglob("*.jsonl")):
            run = next(measuring.rows_of(file), {})
            if run.get("kind") != "run":
                continue  # the output of a worker started by hand is not a result file
            why = kept.why_not(file, run, program)
            if run.get("device") != "real":
                why = f"it was recorded on a {run.get('device')} GPU"
            if why:
                refused.append(file)
                print(f"not kept: {file.parent.name}/{file.name}: {why}")
                continue
            copies.append(kept.keep(file, run, repository))
    for file in copies:
        print(f"kept: {file.relative_to(repository)}")
    real = [file for file in refused if "-real-" in file.name]
    if not copies:
        print("nothing kept")
    return Exit.FAILED if real or not copies else Exit.DONE
