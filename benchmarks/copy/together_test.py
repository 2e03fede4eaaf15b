#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""Tests `bench --together` with the real worker: all simulated GPUs measure at once, or none if one cannot take part.

Leaves no file behind."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOCUDA = os.environ["TOCUDA_PROGRAM"]
FIRST, SECOND = (f"GPU-70c0da00-0000-4000-8000-00000000000{number}" for number in range(2))
COPY = "copy/host_to_device/pinned"


class Together(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        (self.folder / "tmp").mkdir()

    def tocuda(self, *words):
        environment = {
            **os.environ,
            "XDG_STATE_HOME": str(self.folder / "state"),
            "TMPDIR": str(self.folder / "tmp"),
            "NO_COLOR": "1",
        }
        return subprocess.run(
            [TOCUDA, *words], capture_output=True, text=True, check=False, timeout=240, env=environment
        )

    def rows(self, simulate, sizes):
        done = self.tocuda(
            "bench",
            COPY,
            "--simulate",
            simulate,
            "--gpus",
            "all",
            "--together",
            "--bytes",
            sizes,
            "--quick",
            "--quiet",
            "--output",
            str(self.folder),
        )
        (self.file,) = self.folder.glob("*.jsonl")
        lines = [json.loads(line) for line in self.file.read_text().splitlines()]
        return done, [line for line in lines if line["kind"] == "measurement"]

    def test_all_gpus_measure_every_set(self):
        done, rows = self.rows("2x1GiB", "4KiB,1MiB,16MiB")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual({row["status"] for row in rows}, {"ok"})
        measured = {(row["gpu"], row["parameters"]["bytes"], row["parameters"]["at_once"]) for row in rows}
        self.assertEqual(measured, {(gpu, size, 2) for gpu in (FIRST, SECOND) for size in (1 << 12, 1 << 20, 1 << 24)})
        self.verify()

    def verify(self):
        verified = self.tocuda("verify", str(self.file))
        self.assertEqual(verified.returncode, 0, verified.stdout + verified.stderr)
        self.assertEqual(list((self.folder / "tmp").iterdir()), [])

    def test_no_gpu_measures_a_set_that_one_has_no_room_for(self):
        done, rows = self.rows("1x1GiB,1x128MiB", "1MiB,256MiB")
        by_set = {(row["gpu"], row["parameters"]["bytes"]): row for row in rows}
        self.assertEqual(
            {key: row["status"] for key, row in by_set.items()},
            {
                (FIRST, 1 << 20): "ok",
                (SECOND, 1 << 20): "ok",
                (FIRST, 1 << 28): "skipped",
                (SECOND, 1 << 28): "skipped",
            },
            done.stderr,
        )
        self.assertEqual(by_set[FIRST, 1 << 28]["check"], "1 other GPU could not take part")
        self.verify()


if __name__ == "__main__":
    sys.exit(unittest.main())
