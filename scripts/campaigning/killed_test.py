#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""Killed at moments that a seed chooses, and started again: the archive is readable each time, and nothing done is
done twice.

    killed_test.py [ROUNDS [SEED]]"""

import json
import os
import random
import signal
import subprocess
import sys
import tarfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from campaigning.tiny_campaign import TinyCampaign  # noqa: E402

ROUNDS, SEED = (int(word) for word in [*sys.argv[1:3], *("4", "1")[len(sys.argv[1:3]) :]])
# What each step of a rehearsal's second part calls, so that a call tells which step was done.
CALLS = {
    "rounds-copy": "copy/device_to_device/best",
    "rounds-memory": "memory/read",
    "rounds-pinned": "host_to_device/pinned",
    "rounds-staged": "host_to_device/staged",
    "rounds-host": "host_to_host/threads",
    "scenarios": "run ",
}


class Killed(TinyCampaign):
    def killed_after(self, seconds):
        """A start that is killed, and whether it had ended before."""
        with (self.place / "said").open("wb") as said:
            child = subprocess.Popen(
                self.words("--simulate", "1xH200", "--part", "2"), stdout=said, stderr=said, env=self.environment()
            )
        time.sleep(seconds)
        ended = child.poll() is not None
        child.kill()
        child.wait()
        return ended

    def archive_is_readable(self):
        file = self.out / "rehearsal.tar.gz"
        if file.exists():
            with tarfile.open(file) as tar:
                self.assertIn(
                    "state.json", [member.name for member in tar if tar.extractfile(member).read() is not None]
                )

    def done(self):
        file = self.folder / "rehearsed/state.json"
        return set(self.state_in(file)) if file.exists() else set()

    @staticmethod
    def state_in(file):
        return [name for name, step in json.loads(file.read_text())["steps"].items() if step["outcome"] == "done"]

    def test_at_any_moment(self):
        self.built()
        chance = random.Random(SEED)
        before, longest = set(), 1.5
        for number in range(ROUNDS):
            (self.place / "calls").unlink(missing_ok=True)
            self.killed_after(chance.uniform(0.1, longest))
            self.archive_is_readable()
            for name in before:
                if name in CALLS:
                    again = [
                        call for call in self.calls() if call.split()[0] in ("bench", "run") and CALLS[name] in call
                    ]
                    self.assertEqual(again, [], f"round {number}: {name} was done and is done again")
            before |= self.done()
        (self.place / "calls").unlink(missing_ok=True)
        code, calls, said = self.rehearse("--part", "2")
        self.assertEqual(code, 0, said)
        self.assertFalse(
            [
                call
                for call in calls
                for name in before & set(CALLS)
                if call.startswith(("bench", "run")) and CALLS[name] in call
            ]
        )
        self.archive_is_readable()
        self.assertEqual({name for name, outcome in self.outcomes().items() if outcome == "done"}, set(CALLS))

    def test_its_children_go_with_it_before_the_next_start(self):
        self.built()
        self.interrupted(signal.SIGKILL, "run --simulate", "--part", "2", HANGS="tocuda run")
        code, _, said = self.rehearse("--part", "2")
        self.assertEqual(code, 0, said)
        self.assertEqual(self.sleepers(), [], "what hung was ended before the lock was given on")

    def sleepers(self):
        """Processes with this test's environment that still sleep."""
        found = []
        for place in Path("/proc").glob("[0-9]*"):
            try:
                if (
                    str(self.place).encode() in (place / "environ").read_bytes()
                    and b"sleep" in (place / "cmdline").read_bytes()
                ):
                    found.append(place.name)
            except OSError:
                continue
        return [name for name in found if os.path.exists(f"/proc/{name}")]


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
