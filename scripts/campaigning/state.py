# tocuda, Apache-2.0.
"""The state of a campaign: how each step ended, in a small file that is rewritten after each of them.

It and everything recorded are kept beside the build, and packed into the archive in OUT after each step: of long logs
only the end, so that it is small enough to be brought back. It is written beside the last one and renamed, so that a
complete one exists at any moment. If the build folder is lost, the newest archive in OUT or in the prepared folder
restores it."""

import gzip
import io
import json
import os
import shutil
import tarfile
import time
import zlib

from campaigning.outcome import BEGUN, CUT, Exit, Problem

TRIES_MOST = 3  # of a step that ends the campaign each time without having recorded anything
WHOLE = (".jsonl", ".json")
LONGEST_LOG = 256 << 10


class State:
    def __init__(self, file, found):
        self.file = file
        self.found = found
        self.steps = found["steps"]

    def outcome(self, name):
        return self.steps.get(name, {}).get("outcome")

    def is_over(self, name):
        step = self.steps.get(name, {})
        return step.get("outcome") not in (None, BEGUN, CUT) or step.get("tries", 0) >= TRIES_MOST

    def begin(self, name, recorded):
        """`recorded` is how many rows the step has recorded so far."""
        before = self.steps.get(name, {})
        tries = before.get("tries", 0) + 1 if before.get("recorded") == recorded else 1
        self.steps[name] = {**before, "outcome": BEGUN, "tries": tries, "recorded": recorded}
        self.save()

    def end(self, name, outcome, seconds, **more):
        step = self.steps[name]
        seconds = round(step.get("seconds", 0) + seconds, 1)
        kept = {key: step[key] for key in ("tries", "recorded")}
        self.steps[name] = {"outcome": outcome, "seconds": seconds, **kept, **more}
        self.save()

    def save(self):
        self.found["saves"] += 1
        waiting = self.file.with_suffix(".new")
        with waiting.open("w") as out:
            out.write(json.dumps(self.found, indent=1) + "\n")
            out.flush()
            os.fsync(out.fileno())
        waiting.replace(self.file)


def read(text):
    """Parses a state; returns None if the text is not one."""
    try:
        found = json.loads(text or "")
        return found if isinstance(found["saves"], int) and isinstance(found["steps"], dict) else None
    except (ValueError, KeyError, TypeError):
        return None


def recover(recorded, campaign, archives):
    """Returns the state of this campaign, restoring what was recorded from the newest archive if it is lost."""
    file = recorded / "state.json"
    newest, source = read(file.read_text()) if file.is_file() else None, None
    for packed in archives:
        found = read(read_member(packed, "state.json"))
        if found and found["campaign"] != campaign:
            raise Problem(f"{packed} belongs to another campaign: use another OUT, or move the file away", Exit.USAGE)
        if found and (newest is None or found["saves"] > newest["saves"]):
            newest, source = found, packed
    if source:
        unpack(source, recorded)
    recorded.mkdir(parents=True, exist_ok=True)
    if newest is None:
        begun = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        newest = {"campaign": campaign, "saves": 0, "begun": begun, "used_seconds": 0, "estimates": {}, "steps": {}}
    return State(file, newest)


def pack(recorded, target):
    waiting = target.with_name(target.name + ".new")
    try:
        with waiting.open("wb") as out:
            with gzip.GzipFile("", "wb", 6, out, mtime=0) as packed, tarfile.open(fileobj=packed, mode="w") as tar:
                for path in sorted(recorded.rglob("*")):
                    if path.is_file() and path.suffix != ".new":
                        add(tar, path, str(path.relative_to(recorded)))
            out.flush()
            os.fsync(out.fileno())
        waiting.replace(target)
    except OSError:
        waiting.unlink(missing_ok=True)
        raise


def add(tar, path, name):
    content = path.read_bytes()
    member = tar.gettarinfo(path, name)
    if path.suffix not in WHOLE:
        content = content[-LONGEST_LOG:]
    member.size = len(content)
    tar.addfile(member, io.BytesIO(content))


def read_member(file, name):
    """Returns the text of one file in the archive; None if the archive is missing or cannot be read."""
    try:
        with tarfile.open(file) as tar:
            return tar.extractfile(name).read().decode()
    except (OSError, KeyError, tarfile.TarError, EOFError, zlib.error):
        return None


def unpack(file, folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with tarfile.open(file) as tar:
        tar.extractall(folder, filter="data") if hasattr(tarfile, "data_filter") else tar.extractall(folder)
