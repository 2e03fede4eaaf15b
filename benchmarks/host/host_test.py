#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""Tests the benchmarks of the host alone: they measure on a machine without a GPU, by the real clock also beside
simulated ones, and say why a set is skipped.

Arguments: tocuda-cuda, tocuda-cuda-simulated, tocuda, and the folder of the simulated runtime if there is one."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "simulator"))
import simulated_gpus  # noqa: E402

SIZE = 192 << 10
PROTOCOL = {"kind": "protocol", "launches_min": 2, "launches_max": 2, "launch_budget_s": 0.001}


def stream(kernel="triad", stores="plain", threads=0, size=SIZE, **nodes):
    return {"bytes": size, "kernel": kernel, "stores": stores, "threads": threads, **nodes}


def latency(size=SIZE, pages="small", **nodes):
    return {"bytes": size, "pages": pages, **nodes}


def measured(name, sets, worker=None, environment=None):
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" 3>&1 >/dev/null', "sh", worker or REAL, "measure", name],
        input="".join(json.dumps(each) + "\n" for each in [PROTOCOL, *sets]),
        capture_output=True,
        text=True,
        env={**os.environ, "CUDA_VISIBLE_DEVICES": "", **(environment or {})},
        timeout=300,
    )
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    if (done.returncode, [line["parameters"] for line in lines]) != (0, sets):
        raise AssertionError(f"{name}: exit code {done.returncode}, {lines}: {done.stderr}")
    return lines


class Host(unittest.TestCase):
    def test_each_kernel_is_right_without_a_gpu_and_counts_its_arrays(self):
        arrays = {"read": 1, "copy": 2, "scale": 2, "add": 3, "triad": 3}
        sets = [stream(kernel, threads=threads, size=size) for kernel in arrays for threads in (0, 1, 3)
                for size in (64, 4096 + 64, SIZE)]  # fmt: skip
        for line in measured("host/stream", sets):
            with self.subTest(**line["parameters"]):
                self.assertEqual(line["status"], "ok", line)
                self.assertTrue(all(each > 0 for each in line["samples"]), line)
                size = line["parameters"]["bytes"]
                self.assertEqual(line["bytes_one_way"], size)
                self.assertEqual(line["bytes_touched"], arrays[line["parameters"]["kernel"]] * size)
                self.assertNotIn("gpu", line)

    def test_stores_past_the_caches_are_right_or_not_there(self):
        for line in measured("host/stream", [stream(kernel, "streaming") for kernel in ("copy", "scale", "add")]):
            self.assertTrue(line["status"] == "ok" or "this processor has none" in line["check"], line)

    def test_loads_visit_sets_of_every_size_and_are_no_bandwidth(self):
        for line in measured("host/latency", [latency(size) for size in (128, 4096, SIZE + 64, 32 << 20)]):
            self.assertEqual((line["status"], line["bytes_one_way"]), ("ok", 0), line)
            self.assertTrue(all(each > 0 for each in line["samples"]), line)

    def test_nodes_that_are_there_are_measured_and_others_named(self):
        online = pathlib.Path("/sys/devices/system/node/has_memory")
        node = int(online.read_text().split(",")[0].split("-")[0]) if online.exists() else 0
        here = {"on": node, "from": node}
        for name, right, wrong in (
            ("host/stream_nodes", stream(**here, to=node), [stream(**{**here, "from": 999}, to=node)]),
            ("host/latency_nodes", latency(**here), [latency(**{**here, "on": 999}), latency(**{**here, "from": 999})]),
        ):
            first, *others = measured(name, [right, *wrong])
            self.assertEqual(first["status"], "ok", first)
            for line in others:
                self.assertEqual(line["status"], "skipped", line)
                self.assertRegex(line["check"], "a NUMA node with .* is needed; 999 is not among [0-9, ]+")

    def test_what_is_not_measured_is_skipped_with_its_reason(self):
        for name, given, why in (
            ("host/stream", stream("dot"), "kernel must be one of copy, scale, add, triad, read, not dot"),
            ("host/stream", stream(stores="warm"), "stores must be one of plain, streaming, not warm"),
            ("host/stream", stream("read", "streaming"), "a read stores nothing"),
            ("host/stream", stream(size=100), "and a multiple of 64, not 100"),
            ("host/stream", stream(size=0), "bytes must be between 64 and"),
            ("host/stream", stream(size=1 << 50), "bytes must be between 64 and"),
            ("host/stream", stream(threads=5000), "threads must be between 0 and 1024, not 5000"),
            ("host/latency", latency(200), "and a multiple of 64, not 200"),
            ("host/latency", latency(64), "bytes must be between 128 and"),
            ("host/latency", latency(1 << 40), "of the host's memory are needed"),
            ("host/latency", latency(4096, "huge"), "needed"),
            ("host/latency", latency(4096, "large"), "pages must be one of small, huge, not large"),
        ):
            (line,) = measured(name, [given])
            self.assertEqual(line["status"], "skipped", line)
            self.assertIn(why, line["check"])

    def test_rows_are_no_ones_gpu_and_never_simulated(self):
        spec = ["--simulate", "1xH200"] if LIBRARIES else []
        done = subprocess.run(
            [TOCUDA, "bench", "host/latency", "bytes=4KiB", "--quick", "--json", *spec],
            capture_output=True, text=True, timeout=300, cwd=self.enterContext(tempfile.TemporaryDirectory()),
        )  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        (row,) = json.loads(done.stdout)["rows"]
        self.assertEqual((row["device"], row["status"]), ("none", "ok"), row)

    def test_the_clock_is_real_beside_simulated_gpus(self):
        if not LIBRARIES:
            self.skipTest("this build has no simulated runtime")
        with tempfile.TemporaryDirectory() as folder:
            simulation = str(pathlib.Path(folder) / "simulation")
            simulated_gpus.write_simulation(TOCUDA, simulation, simulated_gpus.profile(memory_bytes=1 << 30))
            environment = simulated_gpus.environment(LIBRARIES, simulation)
            (line,) = measured("host/stream", [stream()], SIMULATED, environment)
            self.assertEqual(line["status"], "ok", line)
            self.assertNotIn("gpu", line)


REAL, SIMULATED, TOCUDA = sys.argv[1:4]
LIBRARIES = sys.argv[4] if len(sys.argv) > 4 else ""
if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
