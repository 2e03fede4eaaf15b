#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""Tests latency/shared, latency/atomic and latency/under_load on simulated GPUs. Arguments: tocuda-cuda-simulated,
tocuda-cuda, tocuda, the folder of the simulated runtime."""

import itertools
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "simulator"))
import simulated_gpus  # noqa: E402

FIGURES = {
    "memory_bytes": 2 << 30,
    "memory_clock_khz": 2000000,
    "memory_bus_bits": 2000,
    "l1_bytes": 64 << 10,
    "l2_bytes": 4 << 20,
    "l1_latency_ns": 20,
    "l2_latency_ns": 150,
    "memory_latency_ns": 400,
    "shared_per_block_optin": 232448,
}
OPERATIONS = {"shared": ("load", "add", "exchange"), "atomic": ("add", "exchange")}
STEPS = {"shared": 8192, "atomic": 8191}
FIELD = {"shared": "l1_latency_ns", "atomic": "l2_latency_ns"}


class Steps(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.simulation = Path(folder.name) / "simulation"

    def measure(self, name, sets, worker=None, **figures):
        gpu = simulated_gpus.profile("Levels", **{**FIGURES, **figures})
        simulated_gpus.write_simulation(TOCUDA, self.simulation, gpu)
        return simulated_gpus.measured(worker or SIMULATED, LIBRARIES, self.simulation, f"latency/{name}", sets)

    def stepped(self, name, **figures):
        return self.measure(name, [{"operation": each} for each in OPERATIONS[name]], **figures)

    def loaded(self, loads, whats=("latency", "bandwidth"), **figures):
        sets = [{"load": load, "what": what} for load, what in itertools.product(loads, whats)]
        return self.measure("under_load", sets, **figures)

    def test_every_operation_is_right_and_each_step_counts_once(self):
        for name in OPERATIONS:
            for line in self.stepped(name):
                self.assertEqual((line["status"], line["clock"]), ("ok", "device"), line)
                self.assertEqual((line["batch"], line["bytes_one_way"]), (STEPS[name], 0), line)
                self.assertIn("simulated: a step takes as long as a load from", " ".join(line["flags"]))

    def test_the_time_is_that_of_one_step_at_its_level(self):
        for name, field in FIELD.items():
            for nanoseconds in (FIGURES[field], 3 * FIGURES[field]):
                for line in self.stepped(name, **{field: nanoseconds}):
                    self.assertAlmostEqual(1e9 * line["samples"][0], nanoseconds, delta=0.01)

    def test_latency_and_bandwidth_are_two_rows_of_each_load(self):
        for line in self.loaded((20, 100)):
            self.assertEqual((line["status"], line["clock"]), ("ok", "device"), line)
            self.assertIn("simulated: the load reads as fast as it should, and slows nothing", line["flags"])
            if line["parameters"]["what"] == "latency":
                self.assertAlmostEqual(1e9 * line["samples"][0], FIGURES["memory_latency_ns"], delta=0.01)
                self.assertEqual((line["batch"], line["bytes_one_way"]), (8192, 0))
                self.assertNotIn("peak_bytes_per_second", line)
            else:
                share = line["bytes_touched"] / line["samples"][0] / line["peak_bytes_per_second"]
                self.assertAlmostEqual(share, line["parameters"]["load"] / 100)

    def test_without_a_load_there_is_no_bandwidth(self):
        latency, bandwidth = self.loaded((0,))
        self.assertEqual(latency["status"], "ok", latency)
        self.assertEqual((bandwidth["status"], bandwidth["check"]), ("skipped", "with load=0 nothing is read"))

    def test_a_kernel_that_does_not_run_is_wrong(self):
        lines = [line for name in OPERATIONS for line in self.stepped(name, worker=REAL)]
        lines += self.loaded((0,), ("latency",), worker=REAL) + self.loaded((50,), worker=REAL)
        for line in lines:
            self.assertIn(line["status"], ("wrong", "failed"), line)
            self.assertEqual(line["samples"], [])

    def test_what_cannot_be_measured_is_skipped_with_its_reason(self):
        for name, given, why in [
            ("shared", {"operation": "swap"}, "operation must be one of load, add, exchange, not swap"),
            ("atomic", {"operation": "load"}, "operation must be one of add, exchange, not load"),
            ("under_load", {"load": 101, "what": "latency"}, "load must be between 0 and 100, not 101"),
            ("under_load", {"load": 10, "what": "speed"}, "what must be one of latency, bandwidth, not speed"),
        ]:
            [line] = self.measure(name, [given])
            self.assertEqual((line["status"], line["check"]), ("skipped", why))
        [line] = self.loaded((50,), ("latency",), multiprocessors=1)
        self.assertEqual((line["status"], line["check"]), ("skipped", "2 multiprocessors are needed; there is 1"))
        [line] = self.loaded((50,), ("latency",), memory_bytes=64 << 20)
        self.assertRegex(line["check"], "bytes of the GPU's memory are needed")


SIMULATED, REAL, TOCUDA, LIBRARIES = sys.argv[1:5]
if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
