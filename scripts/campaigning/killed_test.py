#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""Kills a campaign at moments chosen by a seed and starts it again: the archive stays readable, and no finished step is
repeated.

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
from campaigning.tests.tiny_campaign import TinyCampaign  # noqa: E402

ROUNDS, SEED = (int(word) for word in [*sys.argv[1:3], *("4", "1")[len(sys.argv[1:3]) :]])
# A call that is typical of each step in part 2 of a rehearsal; it identifies the step.
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
        """Kills a campaign after some seconds. Returns whether it had already ended."""
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

    def test_killed_at_any_moment_nothing_is_repeated(self):
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
                    self.assertEqual(again, [], f"round {number}: {name} was finished and is repeated")
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

    def test_children_of_a_killed_campaign_end_before_the_next_start(self):
        self.built()
        self.interrupted(signal.SIGKILL, "run --simulate", "--part", "2", HANGS="tocuda run")
        code, _, said = self.rehearse("--part", "2")
        self.assertEqual(code, 0, said)
        self.assertEqual(self.sleepers(), [], "the hanging child was ended before the lock was released")

    def sleepers(self):
        """Processes with this test's environment that are still sleeping."""
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
