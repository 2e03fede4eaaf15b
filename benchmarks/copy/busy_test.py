#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""Tests busy/ on simulated GPUs, where a load slows no copy. Arguments: tocuda-cuda-simulated, tocuda-cuda, tocuda, the
folder of the simulated runtime, the library whose copies omit the last byte."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "simulator"))
import simulated_gpus  # noqa: E402

MIB = 1 << 20
LOADS = {
    "host_to_device": ("nothing", "host_memory", "compute"),
    "device_to_host": ("nothing", "host_memory", "compute"),
    "device_to_device": ("nothing", "compute"),
}


def sets_of(copy, size=MIB):
    ways = [{"by": by} for by in ("engine", "kernel")] if copy == "device_to_device" else [{}]
    return [{"bytes": size, "beside": load, **way} for way in ways for load in LOADS[copy]]


class Busy(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.simulation = Path(folder.name) / "simulation"

    def measure(self, copy, sets, worker=None, **more):
        gpu = simulated_gpus.profile(memory_bytes=1 << 30, memory_clock_khz=2000000, memory_bus_bits=2000)
        simulated_gpus.write_simulation(TOCUDA, self.simulation, gpu)
        return simulated_gpus.measured(worker or SIMULATED, LIBRARIES, self.simulation, f"busy/{copy}", sets, **more)

    def test_every_load_lasts_and_the_copies_are_right(self):
        for copy in LOADS:
            sets = sets_of(copy)
            for given, line in zip(sets, self.measure(copy, sets)):
                with self.subTest(copy=copy, **given):
                    self.assertEqual((line["status"], line["clock"]), ("ok", "device"), line)
                    self.assertNotIn("load_ended_early", line["flags"])
                    said = any("threads stream" in flag for flag in line["flags"])
                    self.assertEqual(said, given["beside"] == "host_memory")

    def test_a_simulated_load_slows_no_copy(self):
        for copy in LOADS:
            sets = sets_of(copy)
            times = {}
            for given, line in zip(sets, self.measure(copy, sets)):
                times.setdefault(given.get("by"), set()).add(round(1e9 * min(line["samples"])))
            for by, nanoseconds in times.items():
                self.assertEqual(len(nanoseconds), 1, (copy, by, nanoseconds))

    def test_a_copy_that_omits_a_byte_is_wrong_under_every_load(self):
        for copy in LOADS:
            sets = [each for each in sets_of(copy) if each.get("by") != "kernel"]
            for line in self.measure(copy, sets, preload=[FORGETFUL]):
                self.assertEqual(line["status"], "wrong", line)
                self.assertIn("differs from the reference", line["check"])

    def test_a_kernel_that_does_not_run_is_no_load(self):
        # The worker for real GPUs launches kernels that a simulated GPU does not run.
        (line,) = self.measure("host_to_device", [{"bytes": MIB, "beside": "compute"}], worker=REAL)
        self.assertEqual((line["status"], line["samples"]), ("failed", []), line)
        self.assertIn("did not run on every multiprocessor", line["check"])

    def test_what_cannot_be_measured_is_skipped_with_its_reason(self):
        for copy, parameters, why in [
            ("host_to_device", {"beside": "music"}, "beside must be one of nothing, host_memory, compute"),
            ("device_to_device", {"beside": "host_memory", "by": "engine"}, "beside must be one of nothing, compute"),
            ("device_to_device", {"beside": "nothing", "by": "magic"}, "by must be one of engine, kernel"),
            ("host_to_device", {"bytes": 1 << 50, "beside": "compute"}, "are needed"),
        ]:
            (line,) = self.measure(copy, [{"bytes": MIB, **parameters}])
            self.assertEqual(line["status"], "skipped", line)
            self.assertIn(why, line["check"])


SIMULATED, REAL, TOCUDA, LIBRARIES, FORGETFUL = sys.argv[1:6]
if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
