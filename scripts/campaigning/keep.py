# tocuda, Apache-2.0.
"""Copies what was recorded on a GPU from an archive to results/<gpu>/<driver>/: only files that verify and can be
cited."""

import tempfile
from pathlib import Path

import kept
from campaigning import archive, measuring, status
from campaigning.outcome import Exit


def keep(source, repository):
    """Returns the exit code: 1 if a file from a real GPU was refused. Files from simulated GPUs are skipped with a
    message."""
    program = repository / "scripts/tocuda"
    copies, refused = [], []
    with tempfile.TemporaryDirectory() as folder:
        archive.unpack(status.archive_in(source), Path(folder) / "recorded")
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
