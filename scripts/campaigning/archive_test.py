#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""The archive: what of the recordings is in it, and what remains when the disk is full."""

import random
import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from campaigning import archive  # noqa: E402
from campaigning.tests.tiny_campaign import TinyCampaign  # noqa: E402


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
        archive.pack(self.recorded, self.target)
        archive.unpack(self.target, self.recorded.with_name("again"))
        self.assertEqual(self.recorded.with_name("again").joinpath("results/tune/a.jsonl").read_bytes(), noise(1000))
        self.assertEqual(archive.read_member(self.target, "state.json"), '{"saves": 1}')

    def test_results_are_whole_and_of_long_logs_the_end(self):
        long = noise(archive.LONGEST_LOG + 1000)
        self.write("logs/long.log", long)
        self.write("results/tune/a.jsonl", long)
        archive.pack(self.recorded, self.target)
        self.assertEqual(self.content("results/tune/a.jsonl"), long)
        self.assertEqual(self.content("logs/long.log"), long[1000:])

    def test_truncated_file_is_no_archive(self):
        archive.pack(self.recorded, self.target)
        self.target.write_bytes(self.target.read_bytes()[:40])
        self.assertIsNone(archive.read_member(self.target, "state.json"))
        self.assertIsNone(archive.read_member(self.target.with_name("nowhere"), "state.json"))


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


if __name__ == "__main__":
    unittest.main()
