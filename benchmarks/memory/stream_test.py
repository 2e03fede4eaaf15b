#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""Tests stream/ on simulated GPUs. Arguments: tocuda-cuda-simulated, tocuda-cuda, tocuda, the folder of the simulated
runtime."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "simulator"))
import simulated_gpus  # noqa: E402

FIGURES = {"memory_bytes": 1 << 30, "memory_clock_khz": 2000000, "memory_bus_bits": 2000, "l2_bytes": 1 << 20}
TOUCHED = {"add": 3, "nstream": 4}
SIZES = {"float": 4, "double": 8}
ELEMENTS = 1 << 20


class Stream(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.simulation = Path(folder.name) / "simulation"

    def measure(self, name, sets, worker=None, noise=0, **figures):
        gpu = {**simulated_gpus.profile("Thousand", **{**FIGURES, **figures}), "noise": noise}
        simulated_gpus.write_simulation(TOCUDA, self.simulation, gpu)
        sets = [{"elements": ELEMENTS, "type": "double", "of": "best", **each} for each in sets]
        return simulated_gpus.measured(worker or SIMULATED, LIBRARIES, self.simulation, f"stream/{name}", sets)

    def seconds(self, name, **figures):
        [line] = self.measure(name, [{}], **figures)
        return line["samples"][0]

    def test_bytes_are_counted_as_by_babelstream(self):
        for name, times in TOUCHED.items():
            for line in self.measure(
                name, [{"type": number, "of": of} for number in SIZES for of in ("best", "median")]
            ):
                one = SIZES[line["parameters"]["type"]] * ELEMENTS
                self.assertEqual((line["status"], line["clock"], line["batch"]), ("ok", "host", 100), line)
                self.assertEqual((line["bytes_one_way"], line["bytes_touched"]), (one, times * one))

    def test_launching_and_waiting_count(self):
        for name, times in TOUCHED.items():
            moving = times * 8 * ELEMENTS / 1e12
            self.assertGreater(self.seconds(name), moving)
            self.assertGreater(self.seconds(name, call_ns=50000) - self.seconds(name, call_ns=1000), 49e-6)

    def test_slow_memory_is_seen(self):
        for name in TOUCHED:
            self.assertGreater(self.seconds(name, memory_clock_khz=1000000), 1.5 * self.seconds(name))

    def test_the_best_is_no_longer_than_the_median(self):
        best, median = self.measure("add", [{"of": "best"}, {"of": "median"}], noise=0.2)
        self.assertLess(best["samples"][0], median["samples"][0])

    def test_without_kernels_there_is_no_result(self):
        for name in TOUCHED:
            [line] = self.measure(name, [{}], worker=REAL)
            self.assertIn(line["status"], ("wrong", "failed"), line)
            self.assertEqual(line["samples"], [])

    def test_what_cannot_be_measured_is_skipped_with_its_reason(self):
        for parameters, why in [
            ({"elements": 0}, "elements must be between 1 and"),
            ({"elements": 1 << 27}, "bytes of the GPU's memory are needed"),
            ({"type": "half"}, "type must be one of float, double, not half"),
            ({"of": "worst"}, "of must be one of best, median, not worst"),
        ]:
            [line] = self.measure("nstream", [parameters])
            self.assertEqual(line["status"], "skipped", line)
            self.assertIn(why, line["check"])


SIMULATED, REAL, TOCUDA, LIBRARIES = sys.argv[1:5]
if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
