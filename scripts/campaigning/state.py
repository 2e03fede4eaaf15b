# tocuda, Apache-2.0.
"""The state of a campaign: which steps were done and how they ended, in a small file that is rewritten after each step.

It is kept in three places, because any of them may be emptied between two commands on a borrowed machine: in the
folder, in the archive in OUT, and in a copy of that archive beside the build. The newest one is used."""

import json
import os
import shutil
import time

from campaigning import archive
from campaigning.outcome import Problem, USAGE

# How a step ended. The next start continues steps that were begun or stopped; all others are over.
BEGUN, STOPPED = "begun", "stopped"
DONE, FAILED, LIMIT, ABSENT = "done", "failed", "limit", "absent"
TRIES_MOST = 3


class State:
    def __init__(self, file, found):
        self.file = file
        self.found = found
        self.steps = found["steps"]

    def is_over(self, name):
        step = self.steps.get(name, {})
        return step.get("outcome") not in (None, BEGUN, STOPPED) or step.get("tries", 0) >= TRIES_MOST

    def outcome(self, name):
        return self.steps.get(name, {}).get("outcome")

    def begin(self, name):
        """Counts the tries, so that a step which ends the campaign every time is given up."""
        tries = self.steps.get(name, {}).get("tries", 0) + 1
        self.steps[name] = {"outcome": BEGUN, "tries": tries}
        self.save()

    def end(self, name, outcome, seconds, **more):
        self.steps[name].update({"outcome": outcome, "seconds": round(seconds, 1), **more})
        self.save()

    def note(self, key, value):
        self.found[key] = value
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
        found = json.loads(text)
        return found if isinstance(found["saves"], int) and isinstance(found["steps"], dict) else None
    except (ValueError, KeyError, TypeError):
        return None


def recover(recorded, campaign, archives):
    """Returns the newest state of this campaign, and restores what was recorded with it."""
    file, source = recorded / "state.json", None
    newest = read(file.read_text()) if file.is_file() else None
    for file in archives:
        text = archive.read_member(file, "state.json")
        found = read(text) if text else None
        if found and found["campaign"] != campaign:
            raise Problem(f"{file} belongs to another campaign: use another OUT, or move the file away", USAGE)
        if found and (newest is None or found["saves"] > newest["saves"]):
            newest, source = found, file
    if source:
        put_in_place(source, recorded)
    recorded.mkdir(parents=True, exist_ok=True)
    if newest is None:
        begun = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        newest = {"campaign": campaign, "saves": 0, "begun": begun, "steps": {}}
    return State(recorded / "state.json", newest)


def put_in_place(source, recorded):
    fresh, old = recorded.with_name(recorded.name + ".new"), recorded.with_name(recorded.name + ".old")
    shutil.rmtree(fresh, ignore_errors=True)
    shutil.rmtree(old, ignore_errors=True)
    archive.unpack(source, fresh)
    if recorded.exists():
        recorded.rename(old)
    fresh.rename(recorded)
    shutil.rmtree(old, ignore_errors=True)
