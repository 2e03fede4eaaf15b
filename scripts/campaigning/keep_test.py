#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""`keep` and `status`: which files of an archive are kept or refused, and the summary in ten lines."""

import json
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from campaigning import archive  # noqa: E402
from campaigning.tests.tiny_campaign import OTHER, TinyCampaign, program  # noqa: E402


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
        state = {"campaign": "one", "saves": 1, "begun": "", "steps": {}}
        self.place.joinpath("recorded").mkdir(exist_ok=True)
        self.place.joinpath("recorded/state.json").write_text(json.dumps(state))
        self.out.mkdir(exist_ok=True)
        archive.pack(self.place / "recorded", self.out / "campaign.tar.gz", 100 << 20)
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
    def test_ten_lines_name_what_was_done_and_what_is_next(self):
        self.built()
        self.rehearse("--part", "2", FAILS="memory/triad", CODE="4")
        code, _, said = self.start(self.out, verb="status")
        self.assertEqual(code, 0, said)
        self.assertLessEqual(len(said.splitlines()), 10)
        for words in (
            "a rehearsal on 1xH200",
            "done: 5 (rounds-copy",
            "failed: 1 (rounds-memory); rounds-memory: exit code 4: it failed",
            " verified, ",
            "next: start again",
        ):
            self.assertIn(words, said)

    def test_missing_archive_is_reported(self):
        code, _, said = self.start(self.place, verb="status")
        self.assertEqual((code, "no archive of a campaign" in said), (2, True), said)


if __name__ == "__main__":
    unittest.main()
