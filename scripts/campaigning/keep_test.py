#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""`keep` and `status`: which files of an archive are kept or refused, and the summary in ten lines."""

import json
import subprocess
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from campaigning import archive  # noqa: E402
from campaigning.tests.tiny_campaign import NETWORKLESS, OTHER, TinyCampaign, program  # noqa: E402


class Keep(TinyCampaign):
    def record(self, name, size=0, device="real", **suite):
        run = {
            "kind": "run",
            "device": device,
            "gpus": [{"name": "NVIDIA H200"}],
            "driver": {"kernel_module": "580.159.04"},
            "suite": {"commit": "1234", "dirty": False, **suite},
        }
        file = self.place / "recorded/results/bench" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(run) + "\n" + "x" * size)

    def keep(self, **environment):
        program(self.tree / "scripts/tocuda", OTHER)
        state = {"campaign": "one", "saves": 1, "begun": "", "used_seconds": 0, "steps": {}}
        self.place.joinpath("recorded").mkdir(exist_ok=True)
        self.place.joinpath("recorded/state.json").write_text(json.dumps(state))
        self.out.mkdir(exist_ok=True)
        archive.pack(self.place / "recorded", self.out / "campaign.tar.gz")
        code, _, said = self.start(self.out, verb="keep", **environment)
        return code, sorted(str(file.relative_to(self.tree)) for file in (self.tree / "results").rglob("*.jsonl")), said

    def test_files_of_real_gpus_are_kept_by_gpu_and_driver_and_rehearsals_are_not(self):
        self.record("a-bench-real-1.jsonl")
        self.record("b-run-simulated-2.jsonl", device="simulated")
        code, kept, said = self.keep()
        self.assertEqual((code, kept), (0, ["results/nvidia-h200/580.159.04/a-bench-real-1.jsonl"]), said)
        self.assertIn("b-run-simulated-2.jsonl: it was recorded on a simulated GPU", said)

    def test_files_that_cannot_be_cited_are_refused_and_the_rest_is_kept(self):
        self.record("fine-real-.jsonl")
        for name, more, why in (
            ("dirty", {"dirty": True}, "had uncommitted changes"),
            ("unknown", {"commit": ""}, "commit"),
            ("large", {"size": 17 << 20}, "17 MiB"),
        ):
            with self.subTest(name):
                self.record(f"{name}-real-.jsonl", **more)
                code, kept, said = self.keep()
                self.assertEqual((code, kept), (1, ["results/nvidia-h200/580.159.04/fine-real-.jsonl"]), said)
                self.assertIn(why, said)
                self.place.joinpath(f"recorded/results/bench/{name}-real-.jsonl").unlink()

    def test_files_that_do_not_verify_are_refused(self):
        self.record("a-bench-real-1.jsonl")
        code, kept, said = self.keep(FAILS="verify")
        self.assertEqual((code, kept), (1, []), said)
        self.assertIn("verify: exit code 1: it failed", said)


class Status(TinyCampaign):
    def status(self):
        code, _, said = self.start(self.out, verb="status")
        self.assertEqual(code, 0, said)
        self.assertLessEqual(len(said.splitlines()), 10)
        return said

    def test_lines_name_what_was_done_and_what_is_next(self):
        self.start(*self.only("build", "rounds", "tune"), "--total", "9", FAILS="tune/", CODE="139")
        said = self.status()
        self.assertIn("done: 2 (build, rounds) of 3", said)
        self.assertIn("failed: 1 (tune); tune: exit code 139: it failed", said)
        self.assertIn("files: 1, 1 verified", said)
        self.assertIn("next: scripts/campaign keep", said)

    def test_running_campaign_is_not_started_again(self):
        words = self.words(*self.only("build", "rounds", "scenarios"))[len(NETWORKLESS) :]
        child = subprocess.Popen(words, env=self.environment(HANGS="tocuda run"), stderr=subprocess.DEVNULL)
        while not any(call.startswith("run") for call in self.calls()):
            time.sleep(0.02)
        self.assertIn("running now; still to do: 1 (scenarios)", self.status())
        child.terminate()
        self.assertEqual(child.wait(60), 5)
        self.assertIn("next: start again", self.status())

    def test_rehearsal_is_called_one(self):
        self.rehearse(*self.only("build", "rounds"))
        self.assertIn("a rehearsal on 1xH200, which says nothing about real GPUs", self.status())

    def test_missing_archive_is_reported(self):
        code, _, said = self.start(self.place, verb="status")
        self.assertEqual((code, "no archive of a campaign" in said), (2, True), said)


if __name__ == "__main__":
    unittest.main()
