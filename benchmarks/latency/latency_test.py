#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""Tests the latency benchmarks on simulated GPUs. Arguments: tocuda-cuda-simulated, tocuda-cuda, tocuda, the folder of
the simulated runtime."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "simulator"))
import simulated_gpus  # noqa: E402

KIB, MIB = 1 << 10, 1 << 20
FIGURES = {
    "memory_bytes": 1 << 30,
    "memory_clock_khz": 2000000,
    "memory_bus_bits": 2000,
    "l1_bytes": 64 * KIB,
    "l2_bytes": MIB,
    "l1_latency_ns": 20,
    "l2_latency_ns": 150,
    "memory_latency_ns": 400,
    "host_latency_ns": 1200,
    "peer_latency_ns": 900,
}
# Each row, and the field that it shows.
ROWS = {
    ("device", 4 * KIB): "l1_latency_ns",
    ("device", 64 * KIB): "l1_latency_ns",
    ("device", 128 * KIB): "l2_latency_ns",
    ("device", MIB): "l2_latency_ns",
    ("device", 2 * MIB): "memory_latency_ns",
    ("device", 64 * MIB): "memory_latency_ns",
    ("bulk", MIB): "l2_latency_ns",
    ("bulk", 64 * MIB): "memory_latency_ns",
    ("host", 16 * MIB): "host_latency_ns",
    ("peer", 16 * MIB): "peer_latency_ns",
    ("managed", 16 * MIB): "memory_latency_ns",
}


class Latency(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.simulation = Path(folder.name) / "simulation"

    def measure(self, place, sets, worker=None, gpus=2, faults=(), **figures):
        gpu = simulated_gpus.profile(**{"name": "Levels", **FIGURES, **figures})
        simulated_gpus.write_simulation(TOCUDA, self.simulation, gpu, gpus, faults)
        if place == "managed":
            sets = [{"pages": "touched", **each} for each in sets]
        return simulated_gpus.measured(worker or SIMULATED, LIBRARIES, self.simulation, f"latency/{place}", sets)

    def nanoseconds(self, **figures):
        found = {}
        for place in dict.fromkeys(place for place, _ in ROWS):
            sizes = [size for where, size in ROWS if where == place]
            for size, line in zip(sizes, self.measure(place, [{"bytes": size} for size in sizes], **figures)):
                self.assertEqual(line["status"], "ok", line)
                self.assertEqual((line["clock"], line["bytes_one_way"], line["batch"]), ("device", 0, 8192))
                found[place, size] = round(1e9 * line["samples"][0], 3)
        return found

    def test_each_row_shows_the_latency_of_its_level(self):
        self.assertEqual(self.nanoseconds(), {row: FIGURES[field] for row, field in ROWS.items()})

    def test_google_benchmark_counts_loads(self):
        gpu = simulated_gpus.profile("Levels", **FIGURES)
        simulated_gpus.write_simulation(TOCUDA, self.simulation, gpu)
        name = f"latency/device/bytes:{64 * KIB}"
        done = subprocess.run(
            [SIMULATED, f"--benchmark_filter=^{name}/", "--benchmark_format=json", "--benchmark_min_time=0.001"],
            capture_output=True,
            text=True,
            env=simulated_gpus.environment(LIBRARIES, self.simulation),
            timeout=100,
        )
        [run] = json.loads(done.stdout)["benchmarks"]
        self.assertNotIn("error_message", run)
        self.assertEqual(run["iterations"] % 8192, 0)
        self.assertAlmostEqual(run["real_time"], FIGURES["l1_latency_ns"], delta=0.1)

    def test_a_slow_level_is_seen_in_its_own_rows_and_in_no_other(self):
        usual = self.nanoseconds()
        for field in dict.fromkeys(ROWS.values()):
            found = self.nanoseconds(**{field: 3 * FIGURES[field]})
            slower = {row for row in ROWS if found[row] > usual[row]}
            self.assertEqual(slower, {row for row in ROWS if ROWS[row] == field}, field)
            self.assertEqual({row for row in ROWS if found[row] < usual[row]}, set(), field)

    def test_the_reported_size_of_the_l2_cache_decides_what_it_is_warmed_for(self):
        found = self.nanoseconds(l2_bytes=512 * KIB)
        usual = self.nanoseconds()
        self.assertEqual({row for row in ROWS if found[row] != usual[row]}, {("device", MIB), ("bulk", MIB)})

    def distances(self, **figures):
        sets = [{"percentile": percentile} for percentile in (0, 50, 100)]
        lines = self.measure("l2_distance", sets, **figures)
        for line in lines:
            self.assertEqual((line["status"], line["clock"]), ("ok", "device"), line)
            self.assertEqual(line["batch"] % 1024, 0, "the loads on all multiprocessors")
            self.assertNotIn("two modes", " ".join(line["flags"]))
        return [round(1e9 * line["samples"][0], 3) for line in lines]

    def test_the_distance_to_l2_is_its_latency(self):
        self.assertEqual(self.distances(), [150, 150, 150])
        self.assertEqual(self.distances(l2_latency_ns=450), [450, 450, 450])
        self.assertEqual(self.distances(l1_latency_ns=60, memory_latency_ns=1200), [150, 150, 150])

    def test_faults_are_seen_with_fresh_pages_only(self):
        def both(**figures):
            sets = [{"bytes": 16 * MIB, "pages": pages} for pages in ("touched", "fresh")]
            return [round(1e9 * line["samples"][-1], 3) for line in self.measure("managed", sets, **figures)]

        (touched, fresh), slow = both(managed_fault_ns=10000), both(managed_fault_ns=50000)
        self.assertGreater(fresh, touched)
        self.assertEqual(slow[0], touched)
        blocks, loads = 16 * MIB // (64 * KIB), 8192
        self.assertAlmostEqual(slow[1] - fresh, 40000 * blocks / loads, delta=0.01)

    def test_pages_that_lie_elsewhere_fault_once_each(self):
        def nanoseconds(place, **figures):
            [line] = self.measure(place, [{"bytes": 16 * MIB}], **figures)
            self.assertEqual(line["status"], "ok", line)
            self.assertEqual("peer" in line, place == "managed_peer", line)
            return 1e9 * line["samples"][-1]

        blocks, loads = 16 * MIB // (64 * KIB), 8192
        for place, rate in [
            ("managed_peer", "peer_bytes_per_second"),
            ("managed_by_host", "device_to_host_bytes_per_second"),
        ]:
            usual = nanoseconds(place, managed_fault_ns=10000)
            slower = nanoseconds(place, managed_fault_ns=50000)
            self.assertAlmostEqual(slower - usual, 40000 * blocks / loads, delta=0.01)
            self.assertGreater(nanoseconds(place, managed_fault_ns=10000, **{rate: 10**9}), 1.5 * usual)

    def test_a_kernel_that_does_not_run_is_wrong(self):
        faulting = [("managed_peer", 16 * MIB), ("managed_by_host", 16 * MIB)]
        sized = [(place, {"bytes": size}) for place, size in [*ROWS, *faulting]]
        for place, given in [*sized, ("l2_distance", {"percentile": 50})]:
            [line] = self.measure(place, [given], worker=REAL)
            self.assertEqual((line["status"], line["samples"]), ("wrong", []), line)
            self.assertRegex(line["check"], "ends at another line|no block loaded anything")

    def test_a_mirror_of_the_other_gpu_is_wrong(self):
        [line] = self.measure("peer", [{"bytes": 16 * MIB}], faults=["peer 0 1 mirrored"])
        self.assertEqual((line["status"], line["samples"]), ("wrong", []), line)

    def test_what_cannot_be_measured_is_skipped_with_its_reason(self):
        for place, parameters, why in [
            ("l2_distance", {"percentile": 101}, "percentile must be between 0 and 100, not 101"),
            ("device", {"bytes": 256}, "bytes must be at least 512, not 256"),
            ("device", {"bytes": 1 << 50}, "a quarter of the host's free memory|are needed"),
            ("host", {"bytes": 64 * KIB}, "bytes must be at least 1048576, not 65536: no line may be loaded twice"),
            ("managed", {"bytes": 2 << 30}, "at most 1073741824 bytes of managed memory"),
            ("managed", {"bytes": 16 * MIB, "pages": "no"}, "pages must be one of touched, fresh, not no"),
            ("bulk", {"bytes": 256}, "bytes must be at least 512, not 256"),
            ("managed_by_host", {"bytes": 2 << 30}, "at most 1073741824 bytes of managed memory"),
        ]:
            [line] = self.measure(place, [parameters])
            self.assertEqual(line["status"], "skipped", line)
            self.assertRegex(line["check"], why)
        [line] = self.measure("bulk", [{"bytes": MIB}], compute_capability="8.0")
        self.assertRegex(line["check"], "compute capability 9.0 is needed")
        for place in ("peer", "managed_peer"):
            [line] = self.measure(place, [{"bytes": 16 * MIB}], gpus=1)
            self.assertEqual((line["status"], line["check"]), ("skipped", "2 GPUs are needed; there is 1"))


SIMULATED, REAL, TOCUDA, LIBRARIES = sys.argv[1:5]
if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
