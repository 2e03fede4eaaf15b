#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""Tests curve/ on simulated GPUs. Arguments: tocuda-cuda-simulated, tocuda-cuda, tocuda, the folder of the simulated
runtime."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "simulator"))
import simulated_gpus  # noqa: E402

KIB, MIB = 1 << 10, 1 << 20
MULTIPROCESSORS = 4
FIGURES = {
    "multiprocessors": MULTIPROCESSORS,
    "memory_bytes": 1 << 30,
    "memory_clock_khz": 2000000,
    "memory_bus_bits": 2000,
    "memory_bytes_per_second": 10**12,
    "l1_bytes": 64 * KIB,
    "l2_bytes": MIB,
    "l1_bytes_per_second": 8 * 10**12,
    "l2_bytes_per_second": 3 * 10**12,
    "shared_bytes_per_second": 9 * 10**12,
    "shared_per_block_optin": 232448,
    "kernel_ns": 0,
    "call_ns": 0,
}
# Each row, and the field that it shows.
LEVELS = {16 * KIB: "l1", 64 * KIB: "l1", 128 * KIB: "l2", MIB: "l2", 2 * MIB: "memory", 64 * MIB: "memory"}
WAYS = ("read", "write", "copy")
ROWS = {(way, size): f"{level}_bytes_per_second" for way in WAYS for size, level in LEVELS.items()}
# What a single multiprocessor writes or copies, because there is nothing for another.
OF_ONE_TILE = {("write", 16 * KIB), ("copy", 16 * KIB)}
ROWS["shared", 64 * KIB] = "shared_bytes_per_second"


class Curve(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.simulation = Path(folder.name) / "simulation"

    def measure(self, way, sets, worker=None, **figures):
        gpu = simulated_gpus.profile("Levels", **{**FIGURES, **figures})
        simulated_gpus.write_simulation(TOCUDA, self.simulation, gpu)
        given = {"on": "gpu"} if way == "shared" else {"on": "gpu", "state": "resident"}
        given = {"bytes": MIB, "width": 8} if way == "strided" else given
        sets = [{**given, **each} for each in sets]
        return simulated_gpus.measured(worker or SIMULATED, LIBRARIES, self.simulation, f"curve/{way}", sets)

    def rates(self, more=(), **figures):
        found = {}
        for way in (*WAYS, "shared"):
            sizes = [size for one, size in ROWS if one == way]
            for size, line in zip(
                sizes, self.measure(way, [{"bytes": size, **dict(more)} for size in sizes], **figures)
            ):
                self.assertEqual(line["status"], "ok", line)
                found[way, size] = round(line["bytes_touched"] / line["samples"][0] / 1e9)
        return found

    def test_each_row_shows_the_bandwidth_of_its_level(self):
        expected = {row: FIGURES[field] // 10**9 for row, field in ROWS.items()}
        for row in OF_ONE_TILE:
            expected[row] //= MULTIPROCESSORS
        self.assertEqual(self.rates(), expected)

    def test_rows_of_fewer_tiles_than_multiprocessors_say_who_writes_them(self):
        for way in WAYS:
            small, large = self.measure(way, [{"bytes": 16 * KIB}, {"bytes": 64 * KIB}])
            flags = ["by 1 of 4 multiprocessors: a tile for each"] if (way, 16 * KIB) in OF_ONE_TILE else []
            self.assertEqual([flag for flag in small["flags"] if "multiprocessors" in flag], flags)
            self.assertEqual([flag for flag in large["flags"] if "multiprocessors" in flag], [])

    def test_a_slow_level_is_seen_in_its_own_rows_and_in_no_other(self):
        usual = self.rates()
        for field in dict.fromkeys(ROWS.values()):
            found = self.rates(**{field: FIGURES[field] // 2})
            slower = {row for row in ROWS if found[row] < usual[row]}
            self.assertEqual(slower, {row for row in ROWS if ROWS[row] == field}, field)
            self.assertEqual({row for row in ROWS if found[row] > usual[row]}, set(), field)

    def test_a_smaller_cache_moves_the_step(self):
        usual, found = self.rates(), self.rates(l2_bytes=512 * KIB)
        self.assertEqual({row for row in ROWS if found[row] != usual[row]}, {(way, MIB) for way in WAYS})

    def test_one_multiprocessor_has_its_share(self):
        whole, one = self.rates(), self.rates({"on": "one"})
        shares = {row: whole[row] // (1 if row in OF_ONE_TILE else MULTIPROCESSORS) for row in ROWS}
        self.assertEqual(one, shares)

    def test_a_cold_set_comes_from_memory(self):
        for way in WAYS:
            for line in self.measure(way, [{"bytes": size, "state": "cold"} for size in LEVELS]):
                self.assertEqual((line["status"], line["batch"]), ("ok", 1), line)
                share = 1 / MULTIPROCESSORS if (way, line["parameters"]["bytes"]) in OF_ONE_TILE else 1
                self.assertAlmostEqual(line["bytes_touched"] / line["samples"][0] / 1e12, share, delta=0.01)

    def test_bytes_of_all_passes_and_multiprocessors_count(self):
        small, large, cold = self.measure(
            "read", [{"bytes": 16 * KIB}, {"bytes": 64 * MIB}, {"bytes": 16 * KIB, "state": "cold"}]
        )
        self.assertEqual(small["bytes_touched"] % (16 * KIB * MULTIPROCESSORS), 0)
        self.assertGreater(small["bytes_touched"], 32 * MIB)
        self.assertEqual(large["bytes_touched"], 64 * MIB)
        self.assertEqual(cold["bytes_touched"], 16 * KIB * MULTIPROCESSORS)
        [copy] = self.measure("copy", [{"bytes": 16 * KIB}])
        self.assertEqual(copy["bytes_touched"], 2 * copy["bytes_one_way"])

    def test_rows_whose_kernel_is_shorter_than_on_a_real_gpu_say_so(self):
        fewer = "simulated: starting the kernel counts, with fewer passes than on a real GPU"
        for given, flags in (({}, [fewer]), ({"on": "one"}, []), ({"state": "cold"}, [])):
            [line] = self.measure("read", [{"bytes": 16 * KIB, **given}])
            self.assertEqual([flag for flag in line["flags"] if "passes" in flag], flags, given)

    def test_strided_loads_count_and_come_from_the_l1_cache_of_one_multiprocessor(self):
        sets = [{"stride": stride, "width": width} for stride in (1, 3, 64) for width in (4, 8, 16)]
        for line in self.measure("strided", [*sets, {"stride": 256, "width": 4}]):
            self.assertEqual(line["status"], "ok", line)
            of_a_pass = 1024 * 8 * line["parameters"]["width"]
            self.assertEqual(line["bytes_touched"], (MIB // of_a_pass - 1) * of_a_pass)  # an odd number of passes
            rate = line["bytes_touched"] / line["samples"][0] / 1e9
            self.assertAlmostEqual(rate, 8000 / MULTIPROCESSORS, delta=1)
            self.assertEqual(line["flags"], ["simulated: the time does not depend on the stride"])

    def test_without_kernels_there_is_no_result(self):
        for way, given in [*((way, {"bytes": size}) for way, size in ROWS), ("strided", {"stride": 2})]:
            [line] = self.measure(way, [given], worker=REAL)
            self.assertIn(line["status"], ("wrong", "failed"), line)
            self.assertEqual(line["samples"], [])

    def test_what_cannot_be_measured_is_skipped_with_its_reason(self):
        for way, parameters, why in [
            ("read", {"bytes": 17 * KIB}, "and a multiple of 16384, not 17408"),
            ("read", {"bytes": 8 * KIB}, "bytes must be between 16384 and"),
            ("write", {"bytes": 2 << 30}, "are needed|a quarter of the host's free memory"),
            ("copy", {"bytes": 16 * KIB, "on": "two"}, "on must be one of gpu, one, not two"),
            ("copy", {"bytes": 16 * KIB, "state": "warm"}, "state must be one of resident, cold, not warm"),
            ("strided", {"stride": 65, "width": 16}, "stride must be between 1 and 64, not 65 for width=16"),
            ("strided", {"stride": 0}, "stride must be at least 1, not 0"),
            ("strided", {"stride": 1, "width": 2}, "width must be one of 4, 8, 16, not 2"),
            ("shared", {"bytes": 256 * KIB}, "a block of this GPU has at most 232448 bytes of shared memory"),
        ]:
            [line] = self.measure(way, [parameters])
            self.assertEqual(line["status"], "skipped", line)
            self.assertRegex(line["check"], why)


SIMULATED, REAL, TOCUDA, LIBRARIES = sys.argv[1:5]
if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
