#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""What comes back: what of the recordings is in the archive, also when the disk is full; which of its files are kept or
refused; and the summary in ten lines."""

import json
import random
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from campaigning import state  # noqa: E402
from campaigning.tests.tiny_campaign import NETWORKLESS, OTHER, TinyCampaign, program  # noqa: E402


def noise(size):
    return random.Random(size).randbytes(size)


class Archive(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.recorded, self.target = Path(folder.name) / "recorded", Path(folder.name) / "campaign.tar.gz"
        self.write("state.json", b'{"saves": 1}')

    def write(self, name, content):
        (self.recorded / name).parent.mkdir(parents=True, exist_ok=True)
        (self.recorded / name).write_bytes(content)

    def content(self, name):
        with tarfile.open(self.target) as tar:
            return tar.extractfile(name).read()

    def test_unpacking_restores_everything(self):
        self.write("results/tune/a.jsonl", noise(1000))
        state.pack(self.recorded, self.target)
        state.unpack(self.target, self.recorded.with_name("again"))
        self.assertEqual(self.recorded.with_name("again").joinpath("results/tune/a.jsonl").read_bytes(), noise(1000))
        self.assertEqual(state.read_member(self.target, "state.json"), '{"saves": 1}')

    def test_results_are_whole_and_of_long_logs_the_end(self):
        long = noise(state.LONGEST_LOG + 1000)
        self.write("logs/long.log", long)
        self.write("results/tune/a.jsonl", long)
        state.pack(self.recorded, self.target)
        self.assertEqual(self.content("results/tune/a.jsonl"), long)
        self.assertEqual(self.content("logs/long.log"), long[1000:])

    def test_truncated_file_is_no_archive(self):
        state.pack(self.recorded, self.target)
        self.target.write_bytes(self.target.read_bytes()[:40])
        self.assertIsNone(state.read_member(self.target, "state.json"))
        self.assertIsNone(state.read_member(self.target.with_name("nowhere"), "state.json"))


class FullDisk(TinyCampaign):
    def small_disk(self, place):
        place.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", place], capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            self.skipTest(f"cannot mount a small disk: {done.stderr.strip()}")
        self.addCleanup(subprocess.run, ["umount", "-l", place], check=True)

    @staticmethod
    def fill(place):
        with (place / "ballast").open("wb", buffering=0) as ballast:
            try:
                while ballast.write(noise(4096)):
                    pass
            except OSError:
                return

    def test_full_output_disk_keeps_the_earlier_archive(self):
        self.small_disk(self.out)
        words = self.only("build", "rounds")
        self.assertEqual(self.start(*words)[0], 0)
        before = (self.out / "campaign.tar.gz").read_bytes()
        self.fill(self.out)
        code, _, said = self.start(*words, *self.only("tune"))
        self.assertEqual(code, 5, said)
        self.assertIn("No space left on device", said)
        self.assertNotIn("Traceback", said)
        self.assertEqual((self.out / "campaign.tar.gz").read_bytes(), before)
        self.assertEqual(self.start(self.out, verb="status")[0], 0)


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
        found = {"campaign": "one", "saves": 1, "begun": "", "used_seconds": 0, "steps": {}}
        self.place.joinpath("recorded").mkdir(exist_ok=True)
        self.place.joinpath("recorded/state.json").write_text(json.dumps(found))
        self.out.mkdir(exist_ok=True)
        state.pack(self.place / "recorded", self.out / "campaign.tar.gz")
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
