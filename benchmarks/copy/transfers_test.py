#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""Tests every transfer on simulated GPUs with the real worker.

Arguments: tocuda-cuda-simulated, tocuda, the folder of the simulated runtime, and the library whose copies omit their
last byte."""

import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "simulator"))
import simulated_gpus  # noqa: E402

# An invented GPU with round figures, so that the expected times are obvious.
FIGURES = {
    "memory_bytes": 8 << 30,
    "memory_clock_khz": 2000000,
    "memory_bus_bits": 2000,
    "host_to_device_bytes_per_second": 40 * 10**9,
    "device_to_host_bytes_per_second": 50 * 10**9,
    "pageable_bytes_per_second": 5 * 10**9,
}
OURS = re.compile(r"copy/(host_to_device|device_to_host|both_ways|host_to_host)/|allocate/|start/|calls/")
SIZES = [1, 4096, 10007, (3 << 20) + 5]
PROTOCOL = {"kind": "protocol", "launches_min": 2, "launches_max": 3, "launch_budget_s": 0.001}


def say(*words, lines=(), environment=None):
    """Returns the exit code, the lines written to descriptor 3, and stderr."""
    text = "".join(json.dumps(each) + "\n" for each in lines)
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" 3>&1 >/dev/null', "sh", WORKER, *words],
        input=text,
        capture_output=True,
        text=True,
        env={**os.environ, **(environment or {})},
        timeout=300,
    )
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()], done.stderr


def described():
    return {
        line["name"]: line for line in say("describe")[1] if line["kind"] == "benchmark" and OURS.match(line["name"])
    }


def every_set(benchmark, sizes):
    values = {name: sizes if name == "bytes" else each for name, each in benchmark["parameters"].items()}
    return [dict(zip(values, each)) for each in itertools.product(*values.values())]


class Transfers(unittest.TestCase):
    def setUp(self):
        if not FAKES:
            self.skipTest("this build has no simulated runtime")
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def measure(self, name, sets, before=(), faults=(), libraries=None, protocol=None, telemetry=(), **figures):
        path = str(Path(self.folder.name) / "simulation")
        gpu = simulated_gpus.profile("Tens", **{**FIGURES, **figures})
        if telemetry:
            gpu["telemetry"] = list(telemetry)
        simulated_gpus.write_simulation(TOCUDA, path, gpu, faults=faults)
        # Without this option a program built with the address sanitizer refuses to start after a preloaded library.
        environment = {
            "LD_PRELOAD": ":".join([*before, f"{FAKES}/libcudart.so.13"]),
            "LD_LIBRARY_PATH": str(libraries or FAKES),
            "TOCUDA_SIMULATION": path,
            "ASAN_OPTIONS": "verify_asan_link_order=0",
        }
        code, lines, said = say(
            "measure", name, lines=[{**PROTOCOL, **(protocol or {})}, *sets], environment=environment
        )
        self.assertEqual((code, len(lines)), (0, len(sets)), f"{name}: {said}")
        return lines

    def test_every_kind_of_benchmark_exists(self):
        names = described()
        for each in [
            "copy/host_to_device/pinned",
            "copy/device_to_host/staged",
            "copy/both_ways/pinned",
            "copy/both_ways/zero_copy",
            "copy/host_to_host/threads",
            "allocate/device",
            "start/first_byte",
        ]:
            self.assertIn(each, names)

    def test_every_benchmark_is_right_at_every_size_or_says_what_it_needs(self):
        for name, benchmark in described().items():
            for line in self.measure(name, every_set(benchmark, SIZES)):
                with self.subTest(name, **line["parameters"]):
                    if line["status"] == "skipped":
                        self.assertRegex(line["check"], "needed|needs")
                    else:
                        self.assertEqual(line["status"], "ok", line)
                        self.assertGreaterEqual(len(line["samples"]), 2)
                        self.assertTrue(all(each > 0 for each in line["samples"]), line)

    def test_fresh_pages_do_not_affect_later_measurements(self):
        sets = [{"bytes": 5 << 20, "pages": pages} for pages in ("touched", "fresh", "touched")] + [
            {"bytes": 7 << 20, "pages": "touched"}
        ]
        for name in ("copy/host_to_device/pageable", "copy/device_to_host/pageable"):
            self.assertEqual([line["status"] for line in self.measure(name, sets)], ["ok"] * 4, name)

    def test_staged_bytes_arrive_in_order_however_they_are_cut(self):
        shapes = [
            (1, 0, 0, "chosen"),
            (3, 0, 8, "pause"),
            (3, 100000, 2, "yield"),
            (5, 1 << 20, 4, "pause"),
            (2, 16 << 20, 1, "yield"),
        ]
        sets = [
            {"bytes": bytes, "pages": pages, "threads": threads, "chunk": chunk, "ring": ring, "wait": wait}
            for bytes in [(3 << 20) + 1, (9 << 20) + 77777]
            for pages in ("touched", "fresh")
            for threads, chunk, ring, wait in shapes
        ]
        for name in ("copy/host_to_device/staged", "copy/device_to_host/staged"):
            for line in self.measure(name, sets):
                self.assertEqual(line["status"], "ok", line)

    def test_a_copy_that_omits_its_last_byte_is_wrong_and_not_timed(self):
        for name, benchmark in described().items():
            if not name.startswith("copy/") or name.startswith("copy/host_to_host/") or name.endswith("/zero_copy"):
                continue  # the runtime does not copy here
            for line in self.measure(name, every_set(benchmark, [(3 << 20) + 4096]), before=[FORGETFUL]):
                with self.subTest(name, **line["parameters"]):
                    if line["status"] == "skipped" or line["parameters"].get("how") in ("prefetch", "touch"):
                        continue  # nothing is copied here
                    self.assertEqual((line["status"], line["samples"]), ("wrong", []), line)

    def test_sets_that_do_not_fit_are_skipped_and_the_rest_is_measured(self):
        for name, benchmark in described().items():
            if "bytes" not in benchmark["parameters"]:
                continue
            few = {key: values[:1] for key, values in benchmark["parameters"].items()}
            sets = every_set({"parameters": few}, [4096, 1 << 50, 1 << 62, 8192])
            lines = self.measure(name, sets)
            with self.subTest(name):
                self.assertEqual([line["status"] for line in lines[1:3]], ["skipped"] * 2, lines)
                self.assertRegex(lines[1]["check"], "needed|at most|between")
                self.assertIn([line["status"] for line in (lines[0], lines[3])], (["ok"] * 2, ["skipped"] * 2), lines)

    def test_a_failed_page_locked_allocation_is_reported_with_its_reason(self):
        said = []
        for number in range(1, 6):  # the first calls are the clock's own
            [line] = self.measure("copy/host_to_device/pinned", [{"bytes": 64}], faults=[f"cudaHostAlloc {number} 2"])
            said.append((line["status"], line["check"]))
        self.assertTrue(
            any(
                status == "failed" and re.match("cudaHostAlloc of [0-9]+ bytes: cudaErrorMemoryAllocation", check)
                for status, check in said
            ),
            said,
        )

    def test_new_processes_are_started_by_one_that_does_not_use_the_gpu(self):
        sets = {
            "start/first_byte": {"loading": "LAZY", "until": "context"},
            "calls/context": {"what": "create"},
            "copy/host_to_device/pinned": {"bytes": 64},
        }
        found = {}
        for name, parameters in sets.items():  # events are the clock's own: those processes have none
            [line] = self.measure(name, [parameters], faults=["cudaEventCreateWithFlags 1 2"])
            found[name] = line["status"], line.get("gpu", "")[:4]
        self.assertEqual(found["start/first_byte"], ("ok", "GPU-"))
        self.assertEqual(found["calls/context"], ("ok", "GPU-"))
        self.assertEqual(found["copy/host_to_device/pinned"][0], "failed")

    def test_managed_rows_are_skipped_on_gpus_without_managed_memory(self):
        sets = [{"bytes": 4096, "how": "prefetch"}]
        for figure, why in [("managed_memory", "this one has none"), ("concurrent_managed_access", "one by one")]:
            [line] = self.measure("copy/host_to_device/managed", sets, **{figure: 0})
            self.assertEqual(line["status"], "skipped", line)
            self.assertIn(why, line["check"])

    def rate(self, name, figures=None, **parameters):
        [line] = self.measure(name, [parameters], **(figures or {}))
        self.assertEqual(line["status"], "ok", line)
        return line["bytes_one_way"] / sorted(line["samples"])[len(line["samples"]) // 2]

    def test_the_simulated_clock_follows_the_profile(self):
        self.assertAlmostEqual(self.rate("copy/host_to_device/pinned", bytes=64 << 20), 40e9, delta=1e9)
        self.assertAlmostEqual(self.rate("copy/device_to_host/pinned", bytes=64 << 20), 50e9, delta=1e9)
        self.assertAlmostEqual(
            self.rate("copy/host_to_device/pageable", bytes=64 << 20, pages="touched"), 5e9, delta=0.2e9
        )

    def test_bytes_that_the_other_direction_moves_meanwhile_are_counted(self):
        unlike = {"device_to_host_bytes_per_second": 25 * 10**9}
        for timed in ("host_to_device", "device_to_host"):
            for size, latency in [(4 << 20, 0.03), (64 << 20, 0.02)]:  # in a batch, and alone in pieces
                rate = self.rate("copy/both_ways/pinned", unlike, bytes=size, timed=timed)
                self.assertAlmostEqual(rate / 65e9, 1, delta=latency, msg=f"{timed} of {size}")

    def test_one_kernel_copies_both_ways_at_the_rate_of_the_slower(self):
        for blocks in (0, 1, 3):
            rate = self.rate("copy/both_ways/zero_copy", bytes=64 << 20, blocks=blocks)
            self.assertAlmostEqual(rate / 80e9, 1, delta=0.01)

    def test_a_clock_far_below_its_maximum_is_flagged(self):
        [line] = self.measure(
            "copy/host_to_device/pinned", [{"bytes": 1 << 20}], clock_khz=1980000, telemetry=["1 sm_clock_mhz 345"]
        )
        self.assertEqual((line["status"], line["flags"]), ("ok", ["sm_clock_below_half"]))
        self.assertEqual([line["during"][name] for name in ("sm_clock_mhz", "sm_clock_max_mhz")], [345, 1980])
        [line] = self.measure("copy/host_to_device/pinned", [{"bytes": 1 << 20}])
        self.assertEqual((line["flags"], line["during"]["memory_clock_max_mhz"]), ([], 2000))

    def test_a_shorter_queue_gets_a_smaller_batch(self):
        sets = [{"bytes": 16 + number} for number in range(3)]
        for line in self.measure("copy/host_to_device/pinned", sets, queue_depth=200):
            self.assertEqual((line["status"], line["flags"]), ("ok", []), line)
            self.assertTrue(64 <= line["batch"] <= 200, line["batch"])

    def test_one_operation_is_timed_without_a_gate(self):
        for name, parameters in [
            ("copy/host_to_device/pinned", {"bytes": 4096}),
            ("copy/both_ways/pinned", {"bytes": 4096, "timed": "host_to_device"}),
        ]:
            [line] = self.measure(name, [parameters], protocol={"gate": False})
            self.assertEqual((line["status"], line["batch"], line["flags"][0]), ("ok", 1, "no_gate"), line)

    def test_benchmarks_run_without_nvml(self):
        libraries = Path(self.folder.name) / "libraries"
        libraries.mkdir()
        (libraries / "libnvidia-ml.so.1").write_bytes(b"")
        (libraries / "libcuda.so.1").symlink_to(f"{FAKES}/libcuda.so.1")
        [line] = self.measure("copy/host_to_device/pinned", [{"bytes": 1 << 20}], libraries=libraries)
        self.assertEqual(line["status"], "ok", line)
        self.assertEqual(line["before"], {"sm_clock_max_mhz": 1500}, "reported by the driver")
        self.assertNotIn("during", line)

    def test_staging_is_faster_for_the_sizes_that_use_it(self):
        for direction in ("host_to_device", "device_to_host"):
            staged, plain = (
                lambda size, name=name, **more: self.rate(
                    f"copy/{direction}/{name}", bytes=size, pages="touched", **more
                )
                for name in ("staged", "pageable")
            )
            shape = {"threads": 4, "chunk": 0, "ring": 0, "wait": "chosen"}
            self.assertGreater(staged(64 << 20, **shape), 2 * plain(64 << 20), direction)
            self.assertAlmostEqual(staged(4096, **shape) / plain(4096), 1, delta=0.05, msg=direction)

    def test_a_staged_row_reports_its_ring(self):
        sets = [
            {"bytes": 64 << 20, "pages": "touched", "threads": 4, "chunk": 2 << 20, "ring": ring, "wait": wait}
            for ring, wait in ((0, "chosen"), (16, "pause"))
        ]
        flags = [line["flags"] for line in self.measure("copy/host_to_device/staged", sets)]
        self.assertTrue(any("8 chunks of 2097152 bytes, waiting by yielding" in each for each in flags[0]), flags[0])
        self.assertTrue(any("16 chunks of 2097152 bytes, waiting by pausing" in each for each in flags[1]), flags[1])

    def test_an_unknown_word_is_skipped_with_the_allowed_ones(self):
        for name, benchmark in described().items():
            for parameter, values in benchmark["parameters"].items():
                if not values or not isinstance(values[0], str):
                    continue
                of_full = {**benchmark.get("full", {}), "bytes": [4096]}
                one = {key: (each or of_full[key])[0] for key, each in benchmark["parameters"].items()}
                [line] = self.measure(name, [{**one, parameter: "nonsense"}])
                with self.subTest(name, parameter=parameter):
                    self.assertEqual(line["status"], "skipped", line)
                    self.assertTrue("nonsense" in line["check"] or "NUMA" in line["check"], line)

    def test_numbers_have_limits(self):
        staged = {"bytes": 4096, "pages": "touched", "threads": 0, "chunk": 0, "ring": 0, "wait": "chosen"}
        for name, parameters, check in [
            (
                "copy/host_to_device/staged",
                {**staged, "threads": 100000},
                "threads must be between 0 and 256, not 100000",
            ),
            ("copy/host_to_device/staged", {**staged, "chunk": 1}, "chunk must be 0, or between 4096 and"),
            (
                "copy/host_to_device/staged",
                {**staged, "chunk": 1 << 40},
                f"chunk must be 0, or between 4096 and 67108864, not {1 << 40}",
            ),
            ("copy/host_to_device/staged", {**staged, "ring": 65}, "ring must be between 0 and 64, not 65"),
            (
                "copy/host_to_host/threads",
                {"bytes": 4096, "threads": 100000},
                "threads must be between 0 and 256, not 100000",
            ),
            ("copy/host_to_device/streams", {"bytes": 4096, "streams": 0}, "streams must be between 1 and 64, not 0"),
            ("copy/host_to_device/streams", {"bytes": 4096, "streams": 65}, "streams must be between 1 and 64, not 65"),
        ]:
            [line] = self.measure(name, [parameters])
            self.assertEqual(line["status"], "skipped", line)
            self.assertIn(check, line["check"], name)


WORKER, TOCUDA = sys.argv[1:3]
FAKES, FORGETFUL = (sys.argv[3:] + ["", ""])[:2]
if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
