#!/usr/bin/env python3
# tocuda, Apache-2.0.
# Every measurement of a kernel on simulated GPUs: what it does is right at sizes that are no multiple of anything, its figures are those of the
# contract, and what a GPU cannot do is said. Arguments: tocuda-cuda-simulated, the folder of the simulated runtime,
# tocuda.
import itertools
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "harness" / "stand_in"))
import simulated_gpus  # noqa: E402

FIGURES = {
    "memory_bytes": 1 << 30,
    "memory_clock_khz": 2000000,
    "memory_bus_bits": 2000,
    "l2_bytes": 1 << 20,
    "shared_per_block_optin": 232448,
}
SIZES = [0, 1, 15, 16, 17, 10007, 65536]
BENCHMARKS = [
    "copy/device_to_device/" + name
    for name in (
        "best",
        "cp_async",
        "engine",
        "misaligned",
        "peer",
        "persistent",
        "scalar",
        "strided",
        "tma_bulk",
        "transposed",
        "unrolled",
        "vector16",
        "vector32",
    )
] + ["memory/" + name for name in ("dot", "read", "scale", "triad", "triad_tma", "triad_vectors", "write")]
TRIADS = ["memory/triad", "memory/triad_tma", "memory/triad_vectors"]
# Bytes of an element that is not cut.
WHOLE = {"memory/scale": 8, "memory/dot": 8, "copy/device_to_device/strided": 4, **{name: 8 for name in TRIADS}}
TOUCHED = {"memory/read": 1, "memory/write": 1, **{name: 3 for name in TRIADS}}  # times what goes one way; else twice
# What does not fit: so many blocks with so much shared memory on one multiprocessor.
DOES_NOT_FIT = re.compile(r"blocks_each is \d+; a multiprocessor of this GPU runs \d+ of these at once")
TUNED = {
    "tune/copy_by_unrolled": 36,
    "tune/copy_by_persistent": 12,
    "tune/copy_by_tma_bulk": 54,
    "tune/copy_by_engine": 1,
    "tune/triad_by_vectors": 12,
    "tune/triad_by_tma": 18,
    "tune/staged_to_gpu": 48,
    "tune/staged_to_host": 48,
}


class EveryKernel(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.simulation = str(Path(folder.name) / "simulation")

    def ask(self, *words, sets=(), capability="10.0", gpus=2):
        gpu = simulated_gpus.profile("Thousand", capability, **FIGURES)
        simulated_gpus.write_simulation(TOCUDA, self.simulation, gpu, gpus)
        environment = {
            **os.environ,
            "LD_PRELOAD": f"{STAND_INS}/libcudart.so.13",
            "LD_LIBRARY_PATH": STAND_INS,
            "TOCUDA_SIMULATION": self.simulation,
            "ASAN_OPTIONS": "verify_asan_link_order=0",
        }
        protocol = (
            [{"kind": "protocol", "launches_min": 1, "launches_max": 1, "launch_budget_s": 0.001}] if sets else []
        )
        done = subprocess.run(
            ["sh", "-c", 'exec "$@" 3>&1 >/dev/null', "sh", WORKER, *words],
            env=environment,
            capture_output=True,
            text=True,
            input="".join(json.dumps(line) + "\n" for line in [*protocol, *sets]),
            timeout=300,
        )
        return [json.loads(line) for line in done.stdout.splitlines()], done.stderr

    def described(self):
        return {line["name"]: line for line in self.ask("describe")[0][1:]}

    def measure(self, benchmark, sizes, full=False, **gpus):
        values = {**benchmark["parameters"], **(benchmark.get("full", {}) if full else {}), "bytes": sizes}
        sets = [dict(zip(values, each)) for each in itertools.product(*values.values())]
        lines, said = self.ask("measure", benchmark["name"], sets=sets, **gpus)
        self.assertEqual([line["parameters"] for line in lines], sets, said)
        return lines

    def test_all_of_them_are_described(self):
        self.assertEqual([name for name in BENCHMARKS if name not in self.described()], [])

    def test_every_size_is_right(self):
        for name, benchmark in self.described().items():
            if name not in BENCHMARKS:
                continue
            for line in self.measure(benchmark, SIZES):
                bytes_one_way = line["parameters"]["bytes"] // WHOLE.get(name, 1) * WHOLE.get(name, 1)
                with self.subTest(name, **line["parameters"]):
                    # Nothing to do takes no time on a simulated GPU that charges for bytes alone.
                    self.assertIn(line["status"], ("ok", "invalid") if bytes_one_way == 0 else ("ok",), line)
                    if name != "copy/device_to_device/transposed":
                        self.assertEqual(line["bytes_one_way"], bytes_one_way)
                    self.assertEqual(line["bytes_touched"], TOUCHED.get(name, 2) * line["bytes_one_way"])

    def test_every_variant_is_right(self):
        for name, benchmark in self.described().items():
            if name in BENCHMARKS and benchmark.get("full", {}).keys() - {"bytes"}:
                benchmark["full"].pop("cache", None)
                for line in self.measure(benchmark, [300_007], full=True):
                    with self.subTest(name, **line["parameters"]):
                        if line["status"] == "skipped":
                            self.assertRegex(line["check"], DOES_NOT_FIT)
                        else:
                            self.assertEqual(line["status"], "ok", line)

    def test_every_variant_to_choose_among_is_measured_by_its_tuning_benchmark(self):
        counted = {
            name: math.prod(map(len, each["parameters"].values()))
            for name, each in self.described().items()
            if name.startswith("tune/")
        }
        self.assertEqual(counted, TUNED)

    def test_what_is_measured_by_default_is_little(self):
        sets = 0
        for name, each in self.described().items():
            if not re.match("copy/device_to_device/|memory/|convert/|copy/.*/zero_copy", name):
                continue
            self.assertLessEqual(len(each["parameters"]["bytes"]), 4, name)
            sets += math.prod(map(len, each["parameters"].values()))
        self.assertLessEqual(sets, 90)

    def test_headlines_are_measured_at_four_gibibytes(self):
        described = self.described()
        for name in ("copy/device_to_device/best", "memory/read", "memory/triad"):
            self.assertIn(4 << 30, described[name]["parameters"]["bytes"], name)

    def test_blocks_that_do_not_run_at_once_are_not_measured_under_another_number(self):
        tma = {"bytes": 64, "tile_bytes": 32768, "stages": 6, "blocks_each": 2, "l2": "plain"}
        [line] = self.ask("measure", "copy/device_to_device/tma_bulk", sets=[tma])[0]
        why = "blocks_each is 2; a multiprocessor of this GPU runs 1 of these at once"
        self.assertEqual((line["status"], line["check"]), ("skipped", why))

    def test_cold_operations_take_another_place_each_time_and_all_of_them_are_checked(self):
        described = self.described()
        for name in BENCHMARKS:
            if "cache" not in described[name]["parameters"]:
                continue
            values = {**{key: each[0] for key, each in described[name]["parameters"].items()}, "cache": "cold"}
            sets = [{**values, "bytes": size} for size in (1 << 20, (1 << 20) + 1, 768 << 20)]
            fits, odd, large = self.ask("measure", name, sets=sets)[0]
            with self.subTest(name):
                self.assertEqual(fits["status"], "ok", fits)
                self.assertIn("peak_bytes_per_second", fits)
                self.assertEqual(odd["status"], "skipped", odd)
                self.assertIn("multiple of 256", odd["check"])
                self.assertIn("are needed", large["check"])

    def test_the_best_says_which_variant_it_took_and_where_that_is_known_from(self):
        for name in ("copy/device_to_device/best", "memory/triad"):
            [line] = self.measure(self.described()[name], [1 << 20])
            self.assertTrue(any(re.match(r"by \w+ .*=.* \(.+\)$", flag) for flag in line["flags"]), line)

    def test_the_peak_is_the_memory_s_where_the_data_do_not_fit_into_the_cache(self):
        benchmark = self.described()["copy/device_to_device/vector16"]
        small, large = self.measure(benchmark, [1 << 16, 1 << 21])
        self.assertNotIn("peak_bytes_per_second", small)
        self.assertEqual(large["peak_bytes_per_second"], 1e12)

    def test_what_an_older_gpu_lacks_is_skipped(self):
        described = self.described()
        for name, needed in (("cp_async", "8.0"), ("tma_bulk", "9.0"), ("vector32", "10.0")):
            [line] = self.measure(described["copy/device_to_device/" + name], [64], capability="7.5")
            self.assertEqual(
                (line["status"], line["check"]), ("skipped", f"compute capability {needed} is needed; this GPU has 7.5")
            )

    def test_one_gpu_has_no_peer(self):
        for line in self.measure(self.described()["copy/device_to_device/peer"], [64], gpus=1):
            self.assertEqual((line["status"], line["check"]), ("skipped", "2 GPUs are needed; there is 1"))

    def test_a_peer_is_named(self):
        for line in self.measure(self.described()["copy/device_to_device/peer"], [64]):
            self.assertTrue(line["peer"].startswith("GPU-") and line["peer"] != line["gpu"], line)

    def test_a_value_for_which_there_is_no_kernel_is_skipped_and_said(self):
        asked = [(7, 256, "plain"), (8, 256, "warm"), (8, 64, "plain"), (1, 512, "plain")]
        sets = [{"bytes": 64, "in_flight": loads, "threads": threads, "hint": hint} for loads, threads, hint in asked]
        lines, _ = self.ask("measure", "copy/device_to_device/unrolled", sets=sets)
        self.assertEqual(
            [(line["status"], line["check"]) for line in lines],
            [
                ("skipped", "in_flight is one of 4, 8, 12, 16; it is 7"),
                ("skipped", "hint is one of plain, streaming_store, streaming; it is warm"),
                ("skipped", "threads is one of 128, 256, 512; it is 64"),
                ("skipped", "threads is one of 256; it is 512"),
            ],
        )


WORKER, STAND_INS, TOCUDA = sys.argv[1:4]
if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
