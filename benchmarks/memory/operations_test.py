#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""Tests arithmetic/ and atomics/ on simulated GPUs. Arguments: tocuda-cuda-simulated, tocuda-cuda, tocuda, the folder
of the simulated runtime."""

import itertools
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "simulator"))
import simulated_gpus  # noqa: E402

FIGURES = {"memory_bytes": 1 << 30, "memory_clock_khz": 2000000, "memory_bus_bits": 2000, "l2_bytes": 1 << 20}
FLOATING = ("float", "double")
COMPUTED = {"fma": (*FLOATING, "half2", "bfloat162", "int32"), "divide": FLOATING, "square_root": FLOATING}
UPDATED = {"add": ("int32", "int64", "float", "half2"), "max": ("int32", "int64"), "cas": ("int32", "int64")}
CHAINS = 4 * 1024 * 8  # on four multiprocessors
# The types of the tensor cores' factors, with the products in a sum of one instruction.
DEPTHS = {"half": 16, "bfloat16": 16, "tf32": 8, "int8": 32, "float8": 32}


def sets_of(name):
    if name == "tensor":
        return [
            {"type": number, "what": what, "by": by}
            for number in DEPTHS
            for what in ("rate", "latency")
            for by in ("mma", "wgmma")
        ]
    if name in COMPUTED:
        return [{"type": number, "what": what} for number in COMPUTED[name] for what in ("rate", "latency")]
    results = [{}] if name == "cas" else [{"result": "used"}, {"result": "unused"}]
    return [
        {"type": number, "addresses": addresses, **result}
        for number, addresses, result in itertools.product(UPDATED[name], ("one", "spread"), results)
    ]


class Operations(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.simulation = Path(folder.name) / "simulation"

    def measure(self, name, sets, worker=None, capability="9.0", **figures):
        gpu = simulated_gpus.profile("Thousand", capability, **FIGURES, **figures)
        simulated_gpus.write_simulation(TOCUDA, self.simulation, gpu)
        family = "atomics" if name in UPDATED else "arithmetic"
        return simulated_gpus.measured(worker or SIMULATED, LIBRARIES, self.simulation, f"{family}/{name}", sets)

    def test_every_computation_is_right_and_counts_its_operations(self):
        for name in COMPUTED:
            for line in self.measure(name, sets_of(name)):
                self.assertEqual((line["status"], line["clock"]), ("ok", "device"), line)
                number, what = line["parameters"]["type"], line["parameters"]["what"]
                steps = 32 if name == "fma" else 4
                each = (4 if number in ("half2", "bfloat162") else 2) if name == "fma" else 1
                if what == "rate":
                    self.assertEqual(line["items"], CHAINS * steps * each, line)
                else:
                    self.assertEqual((line.get("items", 0), line["batch"]), (0, 32 * steps), line)

    def test_the_roofline_counts_operations_and_bytes(self):
        sets = [{"bytes": 1 << 22, "fmas": fmas, "type": number} for fmas in (1, 16, 256) for number in FLOATING]
        lines = self.measure("roofline", sets)
        for line in lines:
            self.assertEqual((line["status"], line["clock"]), ("ok", "device"), line)
            numbers = (1 << 22) // (4 if line["parameters"]["type"] == "float" else 8)
            self.assertEqual(line["items"], 2 * line["parameters"]["fmas"] * numbers)
            self.assertEqual((line["bytes_one_way"], line["bytes_touched"]), (1 << 22, 2 << 22))
            self.assertEqual(line["peak_bytes_per_second"], 1e12)
            self.assertIn("simulated: arithmetic takes no time", " ".join(line["flags"]))

    def test_every_atomic_update_is_right_and_counted(self):
        for name in UPDATED:
            for line in self.measure(name, sets_of(name)):
                self.assertEqual((line["status"], line["clock"]), ("ok", "device"), line)
                each, threads = (135, 4096) if line["parameters"]["addresses"] == "spread" else (2115, 2048)
                self.assertEqual(line["items"], each * threads, line)

    def tensor(self, types=DEPTHS, whats=("rate", "latency"), by="mma", **machine):
        sets = [
            each for each in sets_of("tensor") if each["type"] in types and each["what"] in whats and each["by"] == by
        ]
        return self.measure("tensor", sets, **machine)

    def test_every_product_of_tensor_cores_is_right_and_counts_its_operations(self):
        warps, chains, steps = 4 * 16, 8, 16 + 1
        for line in self.tensor(capability="12.0"):
            self.assertEqual((line["status"], line["clock"]), ("ok", "device"), line)
            self.assertNotIn("peak_bytes_per_second", line)
            if line["parameters"]["what"] == "latency":
                self.assertEqual((line.get("items", 0), line["batch"]), (0, steps), line)
            else:
                of_step = 2 * 16 * 8 * DEPTHS[line["parameters"]["type"]]
                self.assertEqual(line["items"], warps * chains * steps * of_step, line)

    def test_every_product_of_groups_of_warps_is_right_and_counts_its_operations(self):
        for line in self.tensor(by="wgmma"):
            self.assertEqual((line["status"], line["clock"]), ("ok", "device"), line)
            groups, steps = 4 * 2, 16 + 1
            if line["parameters"]["what"] == "latency":
                self.assertEqual((line.get("items", 0), line["batch"]), (0, steps), line)
            else:
                of_step = 2 * 64 * 64 * DEPTHS[line["parameters"]["type"]]
                self.assertEqual(line["items"], groups * steps * of_step, line)

    def test_groups_of_warps_multiply_where_they_have_the_instruction(self):
        for capability, why in {
            "8.9": "compute capability 9.0 is needed; this GPU has 8.9",
            "10.0": "wgmma is an instruction of compute capability 9.0 alone",
        }.items():
            [line] = self.tensor(("half",), ("rate",), "wgmma", capability=capability)
            self.assertEqual((line["status"], line["check"]), ("skipped", why))

    def test_float8_is_measured_where_the_tensor_cores_have_it(self):
        for capability in ("8.9", "12.0", "12.1"):
            [line] = self.tensor(("float8",), ("rate",), capability=capability)
            self.assertEqual(line["status"], "ok", line)
        for capability, why in {
            "8.6": "compute capability 8.9 is needed; this GPU has 8.6",
            "9.0": "this GPU's mma.sync has no float8 (compute capability 8.9 and 12.0 have); see by=wgmma",
            "10.0": "this GPU's mma.sync has no float8 (compute capability 8.9 and 12.0 have); see framework/matmul",
        }.items():
            [line] = self.tensor(("float8",), ("rate",), capability=capability)
            self.assertEqual((line["status"], line["check"]), ("skipped", why))
        for line in self.tensor(("half", "int8"), ("rate",), capability="7.5"):
            self.assertEqual(line["check"], "compute capability 8.0 is needed; this GPU has 7.5")

    def test_the_latency_is_that_of_one_step(self):
        [line] = self.measure("divide", [{"type": "float", "what": "latency"}], kernel_ns=128_000, call_ns=0)
        self.assertAlmostEqual(line["samples"][0], 1e-6, delta=1e-8)

    def test_a_kernel_that_does_not_run_is_wrong(self):
        roofline = [{"bytes": 1 << 16, "fmas": 4, "type": number} for number in FLOATING]
        lines = self.tensor(worker=REAL, capability="12.0") + self.tensor(by="wgmma", worker=REAL)
        for name in (*COMPUTED, *UPDATED, "roofline"):
            lines += self.measure(name, roofline if name == "roofline" else sets_of(name), worker=REAL)
        for line in lines:
            self.assertEqual((line["status"], line["samples"]), ("wrong", []), line)

    def test_what_cannot_be_measured_is_skipped_with_its_reason(self):
        for name, parameters, why in [
            ("divide", {"type": "half2"}, "type must be one of float, double, not half2"),
            ("tensor", {"type": "float"}, "type must be one of half, bfloat16, tf32, int8, float8, not float"),
            ("fma", {"what": "speed"}, "what must be one of rate, latency, not speed"),
            ("roofline", {"type": "half2"}, "type must be one of float, double, not half2"),
            (
                "roofline",
                {"fmas": 3},
                "fmas must be one of 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, not 3",
            ),
            ("roofline", {"bytes": 7}, "bytes must be at least 8, not 7"),
            ("fma", {"type": "bfloat162"}, "compute capability 8.0 is needed; this GPU has 7.5"),
            ("max", {"type": "float"}, "type must be one of int32, int64, not float"),
            ("cas", {"type": "half2"}, "type must be one of int32, int64, not half2"),
            ("add", {"addresses": "two"}, "addresses must be one of one, spread, not two"),
            ("add", {"result": "lost"}, "result must be one of used, unused, not lost"),
        ]:
            usual = {"bytes": 64, "fmas": 1, "type": "float"} if name == "roofline" else sets_of(name)[0]
            [line] = self.measure(name, [{**usual, **parameters}], capability="7.5")
            self.assertEqual((line["status"], line["check"]), ("skipped", why))


SIMULATED, REAL, TOCUDA, LIBRARIES = sys.argv[1:5]
if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
