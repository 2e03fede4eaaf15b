#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""Tests GPUDirect Storage without it, and with a library that only looks like it. Arguments: tocuda-cuda-simulated,
tocuda, the folder of the simulated runtime, the library."""

import os
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "simulator"))
import simulated_gpus  # noqa: E402

SIZES = (4096, 3 << 20)


class DirectStorage(unittest.TestCase):
    def measure(self, mode="", sizes=SIZES, preload=None):
        with tempfile.TemporaryDirectory() as folder:
            simulation = Path(folder) / "simulation"
            gpu = simulated_gpus.profile(memory_bytes=1 << 30)
            simulated_gpus.write_simulation(TOCUDA, simulation, gpu)
            with mock.patch.dict(os.environ, {"FAKE_CUFILE": mode}):
                return simulated_gpus.measured(
                    WORKER,
                    LIBRARIES,
                    simulation,
                    "load/direct_storage",
                    [{"bytes": size} for size in sizes],
                    [LIBRARY] if preload is None else preload,
                )

    def require_a_disk(self):
        [line] = self.measure(sizes=SIZES[:1])
        if line["status"] == "skipped":
            self.skipTest(line["check"])

    def assert_all(self, lines, status, reason):
        for line in lines:
            self.assertEqual(line["status"], status, line)
            self.assertRegex(line["check"], reason)

    def test_without_the_library_it_is_skipped(self):
        self.assert_all(self.measure(preload=[]), "skipped", "GPUDirect Storage is needed; .*libcufile|answered")

    def test_compatibility_mode_is_refused(self):
        self.assert_all(self.measure("compatible"), "skipped", "compatibility mode: set allow_compat_mode to false")

    def test_a_file_that_cannot_be_read_directly_is_skipped_with_the_library_s_answer(self):
        self.require_a_disk()
        self.assert_all(self.measure("unsupported"), "skipped", "answered 5008 .not supported for this file")

    def test_every_byte_arrives(self):
        self.require_a_disk()
        for mode in ("", "half"):
            lines = self.measure(mode)
            self.assert_all(lines, "ok", "every byte")
            self.assertTrue(all(each > 0 for line in lines for each in line["samples"]))

    def test_a_read_that_does_nothing_is_wrong(self):
        self.require_a_disk()
        self.assert_all(self.measure("idle"), "wrong", r"byte [01] of")

    def test_a_read_through_the_page_cache_fails(self):
        self.require_a_disk()
        self.assert_all(self.measure("cached"), "failed", "bytes were in the page cache after the read")

    def test_what_cannot_be_read_past_the_page_cache_is_skipped(self):
        self.require_a_disk()
        self.assert_all(self.measure(sizes=[1000]), "skipped", "multiple of 4096")


WORKER, TOCUDA, LIBRARIES, LIBRARY = sys.argv[1:5]
if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
