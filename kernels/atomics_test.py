#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""Tests atomics/ on simulated GPUs. Arguments: tocuda-cuda-simulated, tocuda-cuda, tocuda, the folder of the simulated
runtime."""

import itertools
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "harness" / "simulator"))
import simulated_gpus  # noqa: E402

FIGURES = {"memory_bytes": 1 << 30, "memory_clock_khz": 2000000, "memory_bus_bits": 2000, "l2_bytes": 1 << 20}
TYPES = {"add": ("int32", "int64", "float", "half2"), "max": ("int32", "int64"), "cas": ("int32", "int64")}


def sets_of(name):
    results = [{}] if name == "cas" else [{"result": "used"}, {"result": "unused"}]
    return [
        {"type": number, "addresses": addresses, **result}
        for number, addresses, result in itertools.product(TYPES[name], ("one", "spread"), results)
    ]


class Atomics(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.simulation = Path(folder.name) / "simulation"

    def measure(self, name, sets, worker=None):
        gpu = simulated_gpus.profile("Thousand", **FIGURES)
        simulated_gpus.write_simulation(TOCUDA, self.simulation, gpu)
        return simulated_gpus.measured(worker or SIMULATED, LIBRARIES, self.simulation, f"atomics/{name}", sets)

    def test_every_set_is_right_and_counts_its_operations(self):
        for name in TYPES:
            for line in self.measure(name, sets_of(name)):
                self.assertEqual((line["status"], line["clock"]), ("ok", "device"), line)
                each = 135 if line["parameters"]["addresses"] == "spread" else 2115
                threads = 4096 if line["parameters"]["addresses"] == "spread" else 2048
                self.assertEqual(line["items"], each * threads, line)

    def test_a_kernel_that_does_not_run_is_wrong(self):
        for name in TYPES:
            for line in self.measure(name, sets_of(name), worker=REAL):
                self.assertEqual((line["status"], line["samples"]), ("wrong", []), line)

    def test_what_cannot_be_measured_is_skipped_with_its_reason(self):
        for name, parameters, why in [
            ("max", {"type": "float"}, "type must be one of int32, int64, not float"),
            ("cas", {"type": "half2"}, "type must be one of int32, int64, not half2"),
            ("add", {"addresses": "two"}, "addresses must be one of one, spread, not two"),
            ("add", {"result": "lost"}, "result must be one of used, unused, not lost"),
        ]:
            [line] = self.measure(name, [{**sets_of(name)[0], **parameters}])
            self.assertEqual((line["status"], line["check"]), ("skipped", why))


SIMULATED, REAL, TOCUDA, LIBRARIES = sys.argv[1:5]
if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
