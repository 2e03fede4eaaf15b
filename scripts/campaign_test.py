#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""The order of a campaign, and what becomes of one that is stopped: with a tocuda that only says what it was asked for."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CAMPAIGN = Path(__file__).resolve().parent / "campaign"

# Writes a file as tocuda would, unless it is told to go on with one; the environment says how it ends.
TOCUDA = """#!/usr/bin/env python3
import json, os, sys, time
from pathlib import Path
words = sys.argv[1:]
Path(os.environ["CALLS"]).open("a").write(" ".join(words) + "\\n")
run = {"kind": "run", "device": "simulated" if "--simulate" in words else "real", "gpus": [{"name": "NVIDIA H200"}], "driver": {"kernel_module": "580.1"}}
if "--resume" not in words:
    folder = Path(words[words.index("--output") + 1])
    folder.mkdir(parents=True)
    (folder / f"{words[0]}-{len(words)}-{os.getpid()}.jsonl").write_text(json.dumps(run) + "\\n" + "x" * int(os.environ.get("SIZE", "0")))
if words[0] == os.environ.get("HANGS"):
    time.sleep(1000)
if words[0] == os.environ.get("ENDS"):
    sys.exit(int(os.environ["CODE"]))
"""
OTHER = """#!/bin/sh
echo "$(basename "$0") $*" >>"$CALLS"
"""


class CampaignTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.scripts = self.folder / "project/scripts"
        self.scripts.mkdir(parents=True)
        shutil.copy(CAMPAIGN, self.scripts)
        for name, text in (("tocuda", TOCUDA), ("test", OTHER), ("fidelity", OTHER)):
            self.program(self.scripts / name, text)
        self.out = self.folder / "out"

    @staticmethod
    def program(path, text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    def start(self, *words, **environment):
        """Exit code, what was called since the last start, and what was said."""
        calls = self.folder / "calls"
        calls.unlink(missing_ok=True)
        done = subprocess.run([sys.executable, self.scripts / "campaign", self.out, *words], capture_output=True, text=True, check=False,
                              env={**os.environ, "CALLS": str(calls), **environment})
        return done.returncode, calls.read_text().splitlines() if calls.exists() else [], done.stdout + done.stderr

    def test_all_parts_are_done_once_and_in_order(self):
        code, calls, said = self.start("--sessions", "2")
        self.assertEqual(code, 0, said)
        self.assertEqual([call.split(" --")[0] for call in calls[:5]], ["test -N", "test ", "run", "run", calls[4]])
        self.assertTrue(calls[4].startswith("fidelity "), calls)
        self.assertIn("--real", calls[2])
        self.assertIn("--simulate 2x8GiB", calls[3])
        self.assertEqual([call.split()[:1] + ["--seed 1" in call, "--seed 2" in call] for call in calls[5:]], [["bench", True, False], ["bench", False, True]])
        self.assertEqual(self.start("--sessions", "2"), (0, [], ""))

    def test_what_was_recorded_on_a_gpu_is_kept_and_nothing_else(self):
        self.start("scenarios", "keep")
        kept = list((self.scripts.parent / "results").rglob("*.jsonl"))
        self.assertEqual([str(file.parent.relative_to(self.scripts.parent)) for file in kept], ["results/h200/580.1"])
        self.assertEqual(json.loads(kept[0].read_text())["device"], "real")

    def test_a_file_too_large_to_commit_is_said(self):
        code, _, said = self.start("scenarios", "keep", SIZE=str(17 << 20))
        self.assertEqual(code, 1)
        self.assertIn("too large to commit (17 MiB)", said)

    def test_a_part_without_time_is_stopped_and_gone_on_with(self):
        code, calls, said = self.start("scenarios", "--minutes", "0.02", HANGS="run")
        self.assertEqual((code, len(calls)), (5, 1), said)
        file = next((self.out / "scenarios").iterdir())
        code, calls, said = self.start("scenarios")
        self.assertEqual(code, 0, said)
        self.assertIn(f"run --resume {file} --quiet", calls)

    def test_a_session_that_would_be_too_short_is_not_begun(self):
        code, calls, said = self.start("bench", "--minutes", "1")
        self.assertEqual((code, calls), (5, []), said)

    def test_a_finding_is_an_answer_and_a_failure_is_none(self):
        self.assertEqual(self.start("scenarios", ENDS="run", CODE="1")[0], 0)
        shutil.rmtree(self.out)
        code, _, said = self.start("scenarios", ENDS="run", CODE="4")
        self.assertEqual(code, 1)
        self.assertIn("exit code 4; see ", said)

    def test_peers_are_run_around_each_session(self):
        self.program(self.folder / "peers/copies", OTHER)
        (self.folder / "peers/notes").write_text("no program")
        code, calls, said = self.start("bench", "--sessions", "1", "--peers", str(self.folder / "peers"))
        self.assertEqual(code, 0, said)
        self.assertEqual([call.split()[0] for call in calls], ["copies", "bench", "copies"])
        self.assertTrue((self.out / "peers-1-after-copies.txt").is_file())

    def test_a_rehearsal_asks_for_no_gpu(self):
        code, calls, said = self.start("scenarios", "bench", "--sessions", "1", "--simulate", "1xH200")
        self.assertEqual(code, 0, said)
        self.assertFalse([call for call in calls if "--real" in call], calls)

    def test_what_makes_no_sense_is_usage(self):
        for words in (["nonsense"], ["--peers", "/nowhere"], ["--minutes", "soon"]):
            self.assertEqual(self.start(*words)[0], 2, words)


if __name__ == "__main__":
    unittest.main()
