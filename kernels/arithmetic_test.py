#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""Tests arithmetic/ on simulated GPUs. Arguments: tocuda-cuda-simulated, tocuda-cuda, tocuda, the folder of the
simulated runtime."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "harness" / "simulator"))
import simulated_gpus  # noqa: E402

FIGURES = {"memory_bytes": 1 << 30, "memory_clock_khz": 2000000, "memory_bus_bits": 2000, "l2_bytes": 1 << 20}
FLOATING = ("float", "double")
TYPES = {"fma": (*FLOATING, "half2", "bfloat162", "int32"), "divide": FLOATING, "square_root": FLOATING}
CHAINS = 4 * 1024 * 8  # on four multiprocessors


def sets_of(name):
    return [{"type": number, "what": what} for number in TYPES[name] for what in ("rate", "latency")]


class Arithmetic(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.simulation = Path(folder.name) / "simulation"

    def measure(self, name, sets, worker=None, capability="9.0", **figures):
        gpu = simulated_gpus.profile("Thousand", capability, **FIGURES, **figures)
        simulated_gpus.write_simulation(TOCUDA, self.simulation, gpu)
        return simulated_gpus.measured(worker or SIMULATED, LIBRARIES, self.simulation, f"arithmetic/{name}", sets)

    def test_every_set_is_right_and_counts_its_operations(self):
        for name in TYPES:
            for line in self.measure(name, sets_of(name)):
                self.assertEqual((line["status"], line["clock"]), ("ok", "device"), line)
                number, what = line["parameters"]["type"], line["parameters"]["what"]
                steps = 32 if name == "fma" else 4
                each = (4 if number in ("half2", "bfloat162") else 2) if name == "fma" else 1
                if what == "rate":
                    self.assertEqual(line["items"], CHAINS * steps * each, line)
                else:
                    self.assertEqual((line.get("items", 0), line["batch"]), (0, 32 * steps), line)

    def test_the_latency_is_that_of_one_step(self):
        [line] = self.measure("divide", [{"type": "float", "what": "latency"}], kernel_ns=128_000, call_ns=0)
        self.assertAlmostEqual(line["samples"][0], 1e-6, delta=1e-8)

    def test_a_kernel_that_does_not_run_is_wrong(self):
        for name in TYPES:
            for line in self.measure(name, sets_of(name), worker=REAL):
                self.assertEqual((line["status"], line["samples"]), ("wrong", []), line)

    def test_what_cannot_be_measured_is_skipped_with_its_reason(self):
        for name, parameters, why in [
            ("divide", {"type": "half2"}, "type must be one of float, double, not half2"),
            ("fma", {"what": "speed"}, "what must be one of rate, latency, not speed"),
            ("fma", {"type": "bfloat162"}, "compute capability 8.0 is needed; this GPU has 7.5"),
        ]:
            [line] = self.measure(name, [{**sets_of(name)[0], **parameters}], capability="7.5")
            self.assertEqual((line["status"], line["check"]), ("skipped", why))


SIMULATED, REAL, TOCUDA, LIBRARIES = sys.argv[1:5]
if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
