#!/usr/bin/env python3
# tocuda, Apache-2.0.
# Runs every kernel benchmark on simulated GPUs: results are right at odd sizes, the figures follow the contract, and
# unsupported sets are skipped with a reason. Arguments: tocuda-cuda-simulated, the folder of the simulated runtime,
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

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "simulator"))
import simulated_gpus  # noqa: E402

FIGURES = {
    "memory_bytes": 1 << 30,
    "memory_clock_khz": 2000000,
    "memory_bus_bits": 2000,
    "l2_bytes": 1 << 20,
    "shared_per_block_optin": 232448,
}
SIZES = [0, 1, 15, 16, 17, 10007, 65536]
# What is known of some kernels: the size of the elements that they process, and how often they touch each byte.
TRIADS = ["memory/triad", "memory/triad_tma", "memory/triad_vectors"]
WHOLE = {"copy/device_to_device/strided": 4}
OCCUPANCY = ["memory/occupancy", "memory/occupancy_read"]
for name in ("memory/scale", "memory/dot", "memory/add", "memory/nstream", *TRIADS, *OCCUPANCY):
    WHOLE[name] = 8
TOUCHED = {
    "memory/read": 1,
    "memory/write": 1,
    "memory/occupancy_read": 1,
    "memory/random_read": 1,
    "memory/random_update": 2,
    "arithmetic/roofline": 2,
    "memory/add": 3,
    "memory/nstream": 4,
    **{name: 3 for name in TRIADS},
}
COPIES = [
    "best",
    "cp_async",
    "engine",
    "misaligned",
    "peer",
    "persistent",
    "scalar",
    "unrolled",
    "vector16",
    "vector32",
]
for copy in ["memory/scale", "memory/dot", *("copy/device_to_device/" + name for name in COPIES + ["strided"])]:
    TOUCHED[copy] = 2
    WHOLE.setdefault(copy, 1)
# Kernels that can load or store 256 bits at once.
WIDE = ["unrolled", "memory/read", "memory/write", "memory/triad_vectors"]
# The reason for skipping if the blocks do not fit on a multiprocessor.
DOES_NOT_FIT = re.compile(
    r"blocks_each is \d+ but a multiprocessor of this GPU runs at most \d+ of these blocks at once"
    r"|casts are supported between float and each other type"
    r"|in_flight must be one of 1, 2, 4, 8, not 1[26]$"
    r"|tiles must be one of 1, not [24]$"
    r"|needs compressible memory; the driver says that this GPU has none"
)
TUNED = {
    "tune/copy_by_unrolled": 108,
    "tune/copy_by_persistent": 12,
    "tune/copy_by_tma_bulk": 54,
    "tune/triad_by_vectors": 36,
    "tune/triad_by_tma": 18,
    "tune/staged_to_gpu": 12,
    "tune/staged_to_host": 12,
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
            "LD_PRELOAD": f"{FAKES}/libcudart.so.13",
            "LD_LIBRARY_PATH": FAKES,
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

    def kernels(self):
        """The benchmarks within the memory of GPUs, which kernels register; pairs_test.py has two copies at once."""
        families = ("copy/device_to_device/", "memory/", "convert/device/", "arithmetic/roofline")
        both = "copy/device_to_device/both_ways"
        return {name: each for name, each in self.described().items() if name.startswith(families) and name != both}

    def test_kernels_register_themselves(self):
        self.assertLessEqual(TOUCHED.keys(), self.kernels().keys())

    def test_every_size_is_right(self):
        for name, benchmark in self.kernels().items():
            for line in self.measure(benchmark, SIZES):
                asked, moved = line["parameters"]["bytes"], line["bytes_one_way"]
                with self.subTest(name, **line["parameters"]):
                    if line["status"] == "skipped":
                        self.assertRegex(
                            line["check"], "^bytes must be (at least|between) ([48]\\b.*, not [01]$|32, not)"
                        )
                        continue
                    # Without bytes an operation takes no time on this simulated GPU, which charges for bytes only.
                    self.assertIn(line["status"], ("ok", "invalid") if moved == 0 else ("ok",), line)
                    self.assertLessEqual(moved, asked)
                    if name in WHOLE:
                        self.assertEqual(moved, asked // WHOLE[name] * WHOLE[name])
                    if name in TOUCHED:
                        self.assertEqual(line["bytes_touched"], TOUCHED[name] * moved)
                    self.assertGreaterEqual(line["bytes_touched"], moved)

    def test_every_variant_is_right(self):
        for name, benchmark in self.kernels().items():
            if benchmark.get("full", {}).keys() - {"bytes"}:
                benchmark["full"].pop("cache", None)
                for line in self.measure(benchmark, [300_007], full=True):
                    with self.subTest(name, **line["parameters"]):
                        if line["status"] == "skipped":
                            self.assertRegex(line["check"], DOES_NOT_FIT)
                        else:
                            self.assertEqual(line["status"], "ok", line)

    def test_tuning_benchmarks_cover_every_variant(self):
        counted = {
            name: math.prod(map(len, each["parameters"].values()))
            for name, each in self.described().items()
            if name.startswith("tune/")
        }
        self.assertEqual({name: counted.get(name) for name in TUNED}, TUNED)

    def test_the_default_measures_few_sets(self):
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

    def test_sets_whose_blocks_do_not_run_at_once_are_skipped(self):
        tma = {"bytes": 64, "tile_bytes": 32768, "stages": 6, "blocks_each": 2, "l2": "plain"}
        [line] = self.ask("measure", "copy/device_to_device/tma_bulk", sets=[tma])[0]
        why = "blocks_each is 2 but a multiprocessor of this GPU runs at most 1 of these blocks at once"
        self.assertEqual((line["status"], line["check"]), ("skipped", why))

    def test_cold_operations_rotate_through_places_that_are_all_checked(self):
        described = self.kernels()
        for name in described:
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

    def test_random_sectors_are_a_power_of_two_and_counted(self):
        for name in ("memory/random_read", "memory/random_update"):
            for line in self.measure(self.described()[name], [32, 96, 300_007, 1 << 21], full=True):
                sectors = 1 << (line["parameters"]["bytes"] // 32).bit_length() - 1
                self.assertEqual((line["items"], line["bytes_one_way"]), (sectors, 32 * sectors), line)
                self.assertEqual("peak_bytes_per_second" in line, 32 * sectors > FIGURES["l2_bytes"])
                self.assertIn("simulated: random sectors take as long as neighbouring ones", line["flags"])

    def test_the_best_variant_is_flagged_with_its_source(self):
        for name in ("copy/device_to_device/best", "memory/triad"):
            [line] = self.measure(self.described()[name], [1 << 20])
            self.assertTrue(any(re.match(r"chosen \(\w+ .*=.*, .+\)$", flag) for flag in line["flags"]), line)

    def test_simulated_times_that_leave_something_out_say_so(self):
        benchmarks = self.described()
        blocks = "the number of blocks and threads"
        for name, what in (
            ("memory/occupancy", blocks),
            ("memory/occupancy_read", blocks),
            ("copy/device_to_device/strided", "the stride"),
        ):
            for line in self.measure(benchmarks[name], [1 << 16]):
                self.assertIn(f"simulated: the time does not depend on {what}", line["flags"])
        [line] = self.measure(benchmarks["memory/read"], [1 << 16])
        self.assertEqual([flag for flag in line["flags"] if flag.startswith("simulated")], [])

    def test_kernels_refuse_sizes_in_which_they_would_do_nothing(self):
        sets = [{"bytes": size, "blocks_each": 1, "threads": 128, "kernel": "triad"} for size in (0, 3, 7, 8)]
        lines, _ = self.ask("measure", "memory/occupancy", sets=sets)
        self.assertEqual([line["status"] for line in lines], ["skipped"] * 3 + ["ok"])
        self.assertEqual(lines[1]["check"], "bytes must be at least 8, not 3")
        for name, each in self.kernels().items():
            values = {key: (of or each["full"][key])[0] for key, of in each["parameters"].items() if key != "bytes"}
            for line in self.ask("measure", name, sets=[{**values, "bytes": size} for size in (1, 3, 5)])[0]:
                if line["status"] == "ok":
                    self.assertGreater(line["bytes_one_way"], 0, (name, line))

    def test_the_memory_peak_applies_if_the_data_exceed_the_cache(self):
        benchmark = self.described()["copy/device_to_device/vector16"]
        small, large = self.measure(benchmark, [1 << 16, 1 << 21])
        self.assertNotIn("peak_bytes_per_second", small)
        self.assertEqual(large["peak_bytes_per_second"], 1e12)

    def test_kernels_that_an_older_gpu_lacks_are_skipped(self):
        described = self.described()
        older = {"cp_async": "8.0", "tma_bulk": "9.0", "vector32": "10.0", **{name: "10.0" for name in WIDE}}
        for name, needed in older.items():
            benchmark = described[name if "/" in name else "copy/device_to_device/" + name]
            if name in WIDE:
                benchmark["parameters"]["width"] = [32]
            [line] = self.measure(benchmark, [64], capability="7.5")
            self.assertEqual(
                (line["status"], line["check"]), ("skipped", f"compute capability {needed} is needed; this GPU has 7.5")
            )

    def test_one_gpu_has_no_peer(self):
        for line in self.measure(self.described()["copy/device_to_device/peer"], [64], gpus=1):
            self.assertEqual((line["status"], line["check"]), ("skipped", "2 GPUs are needed; there is 1"))

    def test_a_peer_is_reported(self):
        for line in self.measure(self.described()["copy/device_to_device/peer"], [64]):
            self.assertTrue(line["peer"].startswith("GPU-") and line["peer"] != line["gpu"], line)

    def test_values_without_a_kernel_are_skipped_with_a_reason(self):
        asked = [(7, 256, "plain"), (8, 256, "warm"), (8, 64, "plain")]
        names = ("in_flight", "threads", "hint", "width")
        sets = [{"bytes": 64, **dict(zip(names, (*each, 16)))} for each in asked]
        lines, _ = self.ask("measure", "copy/device_to_device/unrolled", sets=sets)
        self.assertEqual(
            [(line["status"], line["check"]) for line in lines],
            [
                ("skipped", "in_flight must be one of 1, 2, 4, 8, 12, 16, not 7"),
                ("skipped", "hint must be one of streaming, plain, streaming_store, not warm"),
                ("skipped", "threads must be one of 128, 256, 512, not 64"),
            ],
        )


WORKER, FAKES, TOCUDA = sys.argv[1:4]
if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
