# tocuda, Apache-2.0.
"""Copies what was recorded on a GPU from an archive to results/<gpu>/<driver>/: only files that verify and can be
cited."""

import shutil
import tempfile
from pathlib import Path

from campaigning import archive, measuring, status
from campaigning.child import output_of
from campaigning.outcome import DONE, FAILED

LARGEST_TO_COMMIT = 16 << 20


def why_not(file, run, program):
    """Returns why the file must not be kept; empty if it may be."""
    suite = run.get("suite", {})
    if run.get("device") != "real":
        return f"it was recorded on a {run.get('device')} GPU"
    if suite.get("dirty"):
        return "the tree that recorded it had uncommitted changes"
    if not suite.get("commit"):
        return "the commit that recorded it is unknown"
    if file.stat().st_size > LARGEST_TO_COMMIT:
        return f"it is too large to commit ({file.stat().st_size >> 20} MiB)"
    done = output_of(program, "verify", file)
    if done.returncode != 0:
        lines = (done.stdout + done.stderr).strip().splitlines()
        return f"verify: exit code {done.returncode}: {lines[0] if lines else ''}"
    return ""


def name_in_folders(text):
    return text.lower().replace(" ", "-").replace("/", "-") or "unknown"


def place_of(run, repository):
    gpu, driver = (run.get("gpus") or [{}])[0], run.get("driver", {})
    folders = (name_in_folders(name) for name in (gpu.get("name", ""), driver.get("kernel_module", "")))
    return repository.joinpath("results", *folders)


def keep(source, repository):
    """Returns the exit code: 1 if a file from a real GPU was refused. Files from simulated GPUs are skipped with a
    message."""
    program = repository / "scripts/tocuda"
    kept, refused = [], []
    with tempfile.TemporaryDirectory() as folder:
        archive.unpack(status.archive_in(source), Path(folder) / "recorded")
        for file in sorted(Path(folder).rglob("*.jsonl")):
            run = next(measuring.rows_of(file), {})
            if run.get("kind") != "run":
                continue  # the output of a worker started by hand is not a result file
            if why := why_not(file, run, program):
                refused.append(file)
                print(f"not kept: {file.parent.name}/{file.name}: {why}")
                continue
            place = place_of(run, repository)
            place.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file, place)
            kept.append(place / file.name)
    for file in kept:
        print(f"kept: {file.relative_to(repository)}")
    real = [file for file in refused if "-real-" in file.name]
    if not kept:
        print("nothing kept")
    return FAILED if real or not kept else DONE
