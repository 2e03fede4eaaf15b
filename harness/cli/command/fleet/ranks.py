# tocuda, Apache-2.0.
"""Finds the result files and the processes of a fleet's ranks."""

import hashlib
import json
import os
import pathlib
import time


class RankFile:
    """One result file, line by line: `end` is None if the file is partial."""

    def __init__(self, path):
        self.path = path
        self.lines = [json.loads(line) for line in path.read_bytes().splitlines(keepends=True) if line.endswith(b"\n")]
        self.run = self.lines[0] if self.lines else {}
        self.fleet = self.run.get("fleet", {})
        self.rows = [line for line in self.lines if line["kind"] == "measurement"]
        self.end = self.lines[-1] if self.lines and self.lines[-1]["kind"] == "end" else None

    def unaltered(self):
        before = self.path.read_bytes()
        before = before[: before.rindex(b'{"kind":"end"')]
        return self.end is not None and self.end["sha256"] == hashlib.sha256(before).hexdigest()


def files(folder):
    """Returns the result files of a folder, by rank."""
    found = [RankFile(path) for path in pathlib.Path(folder).glob("*.jsonl")]
    return sorted(found, key=lambda one: one.fleet.get("rank", -1))


def until(holds, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if holds():
            return True
        time.sleep(0.05)
    return False


def processes(mark):
    """Returns the processes whose environment contains the mark: id to command line."""
    found = {}
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            if mark.encode() in (entry / "environ").read_bytes():
                found[int(entry.name)] = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            pass
    return found


def rank_process(mark, variable, rank):
    """Returns the id of the tocuda process of this rank."""
    for number, command in processes(mark).items():
        program = command.split(" ")[0]
        try:
            variables = pathlib.Path(f"/proc/{number}/environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if program.endswith("/tocuda") and " bench " in command and f"{variable}={rank}".encode() in variables:
            return number
    return None
