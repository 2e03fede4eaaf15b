#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""Kills a campaign at moments chosen by a seed and starts it again: the archive stays readable, and what is missing is
measured, nothing twice.

    killed_test.py [ROUNDS [SEED]]"""

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

ROUNDS, SEED = (int(word) for word in [*sys.argv[1:3], *("20", "1")[len(sys.argv[1:3]) :]])


class Killed(TinyCampaign):
    def killed_after(self, rows, seconds, *words):
        """Kills it so many seconds after it has recorded so many more rows: time alone would kill a campaign on a busy
        machine so often before it measures that its step is given up. Returns whether it was still running."""
        wanted = len(self.rows()) + rows
        with (self.place / "said").open("wb") as said:
            environment = self.environment(SLEEP="0.02", SLOWER="1.4")
            child = subprocess.Popen(self.words(*words), stdout=said, stderr=said, env=environment)
        while rows and len(self.rows()) < wanted and child.poll() is None:
            time.sleep(0.01)
        time.sleep(seconds)
        running = child.poll() is None
        child.kill()
        child.wait()
        return running

    def archive_is_readable(self):
        file = self.out / "campaign.tar.gz"
        if file.exists():
            with tarfile.open(file) as tar:
                names = [member.name for member in tar if tar.extractfile(member).read() is not None]
                self.assertIn("state.json", names)

    def test_killed_at_any_moment_what_is_missing_is_measured_and_nothing_twice(self):
        words = [*self.only("build", "rounds", "tune", "links", "arithmetic", "kinds", "loading"), "--total", "100"]
        chance, killed = random.Random(SEED), 0
        for number in range(ROUNDS):
            rows = chance.randint(number % 2, 2)  # before any only every other time
            killed += self.killed_after(rows, chance.uniform(0, 0.03 if rows else 0.6), *words)
            self.archive_is_readable()
        print(f"{killed} of {ROUNDS} starts were killed before their end")
        self.assertGreaterEqual(killed, ROUNDS // 2)
        code, _, said = self.start(*words)
        self.assertEqual(code, 0, said)
        self.archive_is_readable()
        self.assertEqual(set(self.outcomes().values()), {"done"}, said)
        self.assertEqual(len(set(self.rows())), 2 * (8 + 1 + 7 + 3 + 3 + 2), "everything is measured")
        self.assertEqual(len(self.rows()), len(set(self.rows())), "nothing is measured twice")

    def test_child_of_a_killed_campaign_ends(self):
        words = self.only("build", "scenarios")
        self.interrupted(signal.SIGKILL, "run --real", *words, HANGS="tocuda run")
        until = time.monotonic() + 10
        while self.sleepers() and time.monotonic() < until:
            time.sleep(0.05)
        self.assertEqual(self.sleepers(), [])

    def test_what_it_was_asked_for_before_it_was_killed_is_still_open(self):
        self.start(*self.only("build"))
        self.interrupted(signal.SIGKILL, "bench tune/", *self.only("build", "tune"), HANGS="tocuda bench tune/")
        said = self.start(self.out, verb="status")[2]
        self.assertIn("done: 1 (build) of 2", said)
        self.assertIn("open: 1 (tune)", said)
        said = self.start(*self.only("build", "tune"))[2]
        self.assertRegex(said, r"(?m)^continues what began \S+, 2 steps \(")

    def sleepers(self):
        """Programs of this test that still run."""
        found = []
        for place in Path("/proc").glob("[0-9]*"):
            try:
                ours = str(self.place).encode() in (place / "environ").read_bytes()
                if ours and b"tocuda" in (place / "cmdline").read_bytes():
                    found.append(place.name)
            except OSError:
                continue
        return found


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
