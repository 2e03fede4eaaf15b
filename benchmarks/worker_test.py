#!/usr/bin/env python3
# tocuda, Apache-2.0.
# Runs the CUDA workers as programs. Arguments: tocuda-cuda, tocuda-cuda-simulated, tocuda, and the folder of the
# simulated runtime if there is one.
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "simulator"))
import simulated_gpus  # noqa: E402

COPY = "copy/device_to_device/vector16"
# An invented GPU with a simple rate: 1000 bytes per nanosecond.
PROFILE = simulated_gpus.profile("Thousand", memory_bytes=1 << 30, memory_clock_khz=2000000, memory_bus_bits=2000)
SIZES = [0, 1, 15, 16, 17, 10007, 1 << 20, (16 << 20) + 3]


def ask(worker, *words, sets=(), environment=None, listening=True):
    """Returns the exit code, the lines on descriptor 3, and stderr."""
    lines = "".join(json.dumps(each) + "\n" for each in sets)
    redirected = 'exec "$@" 3>&1 >/dev/null' if listening else 'exec "$@" 3>&-'
    done = subprocess.run(
        ["sh", "-c", redirected, "sh", worker, *words],
        input=lines,
        capture_output=True,
        text=True,
        env={**os.environ, **(environment or {})},
        timeout=300,
    )
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()] if listening else [], done.stderr


class Worker(unittest.TestCase):
    def test_describe(self):
        for worker in WORKERS:
            code, lines, _ = ask(worker, "describe")
            self.assertEqual((code, lines[0]["kind"], lines[0]["protocol"]), (0, "worker", 1))
            self.assertIn(COPY, [line["name"] for line in lines[1:]])

    def test_a_closed_descriptor_is_an_error(self):
        for worker in WORKERS:
            code, _, said = ask(worker, "describe", listening=False)
            self.assertEqual((code, "descriptor 3 is closed" in said), (2, True), said)

    def test_on_this_machine_results_are_right_or_explain_the_failure(self):
        code, lines, _ = ask(WORKERS[0], "measure", COPY, sets=[{"bytes": size} for size in SIZES])
        self.assertEqual((code, [line["parameters"]["bytes"] for line in lines]), (0, SIZES))
        for line in lines:
            self.assertIn(line["status"], ("ok", "failed"), line)
            self.assertTrue(line["status"] == "ok" or "cudaError" in line["check"], line)

    def test_the_simulated_worker_fails_without_a_simulated_runtime(self):
        _, lines, _ = ask(WORKERS[1], "measure", COPY, sets=[{"bytes": 64}])
        self.assertEqual((lines[0]["status"], lines[0]["samples"]), ("failed", []), lines)


class OnSimulatedGpu(unittest.TestCase):
    def setUp(self):
        if not FAKES:
            self.skipTest("this build has no simulated runtime")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.simulation = str(Path(folder.name) / "simulation")
        simulated_gpus.write_simulation(TOCUDA, self.simulation, PROFILE)
        # A program with sanitizers would refuse to start with a preloaded library.
        self.environment = {
            "LD_PRELOAD": f"{FAKES}/libcudart.so.13",
            "LD_LIBRARY_PATH": FAKES,
            "TOCUDA_SIMULATION": self.simulation,
            "ASAN_OPTIONS": "verify_asan_link_order=0",
        }


class Simulated(OnSimulatedGpu):
    def measure(self, worker, sizes):
        code, lines, said = ask(
            worker, "measure", COPY, sets=[{"bytes": size} for size in sizes], environment=self.environment
        )
        self.assertEqual((code, [line["parameters"]["bytes"] for line in lines]), (0, sizes), said)
        return lines

    def test_results_are_right_at_every_size(self):
        for line in self.measure(WORKERS[1], SIZES):
            self.assertEqual((line["status"], 5 <= len(line["samples"]) <= 50), ("ok", True), line)
            self.assertEqual(line["bytes_touched"], 2 * line["parameters"]["bytes"])

    def test_times_follow_the_profile(self):
        [line] = self.measure(WORKERS[1], [1 << 24])
        for sample in line["samples"]:
            self.assertAlmostEqual(line["bytes_touched"] / sample, 1e12, delta=0.2e12)

    def test_skips_names_what_is_too_large_and_measures_nothing(self):
        code, lines, said = ask(
            WORKERS[1], "skips", COPY, sets=[{"bytes": size} for size in (64, 1 << 50)], environment=self.environment
        )
        self.assertEqual((code, [line["parameters"]["bytes"] for line in lines]), (0, [1 << 50]), said)
        self.assertEqual((lines[0]["status"], lines[0]["samples"]), ("skipped", []))
        self.assertIn("bytes of the GPU's memory are needed", lines[0]["check"])

    def test_too_large_sets_are_skipped_and_the_others_measured(self):
        self.assertEqual(
            [line["status"] for line in self.measure(WORKERS[1], [64, 1 << 50, 32])], ["ok", "skipped", "ok"]
        )

    def with_fault(self, fault, sizes):
        simulated_gpus.write_simulation(TOCUDA, self.simulation, PROFILE, faults=[fault])
        return ask(WORKERS[1], "measure", COPY, sets=[{"bytes": size} for size in sizes], environment=self.environment)

    def test_a_single_failed_call_fails_only_its_set(self):
        code, lines, said = self.with_fault("cudaLaunchKernel 3000 2", range(64, 72))
        self.assertEqual((code, len(lines)), (0, 8), said)
        failed = [line for line in lines if line["status"] != "ok"]
        self.assertEqual([(line["status"], line["samples"]) for line in failed], [("failed", [])])
        self.assertIn("cudaErrorMemoryAllocation", failed[0]["check"])

    def test_a_sticky_error_ends_the_process_after_reporting_its_set(self):
        code, lines, said = self.with_fault("cudaLaunchKernel 3000 700 sticky", range(64, 72))
        self.assertEqual(code, 71, said)
        self.assertLess(len(lines), 8)
        self.assertEqual([line["status"] for line in lines], ["ok"] * (len(lines) - 1) + ["failed"])
        self.assertIn("cudaErrorIllegalAddress", lines[-1]["check"])

    def test_a_sticky_error_from_the_start_fails_every_set(self):
        code, lines, said = self.with_fault("cudaMalloc 1 700 sticky", [64, 65])
        self.assertEqual((code, [line["status"] for line in lines]), (71, ["failed", "failed"]), said)

    def test_google_benchmark_variables_change_nothing_under_the_protocol(self):
        self.environment |= {"BENCHMARK_REPETITIONS": "3", "BENCHMARK_FILTER": "none", "BENCHMARK_MIN_WARMUP_TIME": "1"}
        [line] = self.measure(WORKERS[1], [64])
        self.assertLessEqual(len(line["samples"]), 50)

    def test_the_protocol_sets_the_number_of_launches(self):
        protocol = {"kind": "protocol", "launches_min": 7, "launches_max": 7, "launch_budget_s": 9}
        _, [line], said = ask(WORKERS[1], "measure", COPY, sets=[protocol, {"bytes": 64}], environment=self.environment)
        self.assertEqual(len(line["samples"]), 7, said)

    def test_samples_come_with_telemetry_and_peak(self):
        [line] = self.measure(WORKERS[1], [1 << 24])
        self.assertTrue(line["gpu"].startswith("GPU-"), line)
        self.assertEqual(line["before"]["sm_clock_mhz"], line["during"]["sm_clock_mhz"])
        self.assertEqual((line["peak_bytes_per_second"], line["peak_counted"]), (1e12, "touched"))
        self.assertIn("MHz", line["peak_source"])

    def peak_on(self, gpu, name):
        simulated_gpus.write_simulation(TOCUDA, self.simulation, gpu)
        _, [line], said = ask(WORKERS[1], "measure", name, sets=[{"bytes": 1 << 27}], environment=self.environment)
        self.assertEqual(line["status"], "ok", said)
        return line

    def test_the_memory_of_a_gb10_is_reported_in_transfers_and_not_in_clocks(self):
        figures = {"memory_bytes": 1 << 30, "memory_clock_khz": 8533000, "memory_bus_bits": 256}
        line = self.peak_on(simulated_gpus.profile("GB10", "12.1", **figures), COPY)
        self.assertAlmostEqual(line["peak_bytes_per_second"], 273.056e9)
        self.assertEqual(line["peak_source"], "8533 MT/s x 256 bits, reported by the driver")
        for sample in line["samples"]:
            self.assertAlmostEqual(line["bytes_touched"] / sample, 273e9, delta=0.1 * 273e9)

    def test_a_link_without_pcie_has_no_peak_of_pcie(self):
        link = {"memory_bytes": 1 << 30, "pcie_generation": 5, "pcie_width": 16}
        copy = "copy/host_to_device/pinned"
        self.assertIn("PCIe 5.0 x16", self.peak_on(simulated_gpus.profile(**link), copy)["peak_source"])
        coherent = simulated_gpus.profile(**link, pageable_memory_access=1, host_page_tables=1)
        self.assertNotIn("peak_source", self.peak_on(coherent, copy))

    def test_a_kernel_that_does_not_run_is_not_reported_as_ok(self):
        self.assertIn(self.measure(WORKERS[0], [64])[0]["status"], ("wrong", "failed"))


class GoogleBenchmark(OnSimulatedGpu):
    """Started by hand with Google Benchmark's flags, the worker is an ordinary program of that library."""

    def start(self, *flags, environment=None):
        environment = self.environment if environment is None else environment
        done = subprocess.run(
            [WORKERS[1], *flags], capture_output=True, text=True, env={**os.environ, **environment}, timeout=300
        )
        return done.returncode, done.stdout, done.stderr

    def test_lists_what_the_filter_selects_without_a_gpu(self):
        code, said, wrong = self.start(
            "--benchmark_list_tests",
            f"--benchmark_filter=^{COPY}/|memory/write/bytes:67108864/cache:cold",
            environment={},
        )
        listed = [f"{COPY}/bytes:{size}/manual_time" for size in (64 << 20, 1 << 30, 4 << 30)]
        listed += [
            f"memory/write/bytes:67108864/cache:cold/hint:{hint}/width:{width}/manual_time"
            for hint in ("plain", "streaming_store")
            for width in (16, 32)
        ]
        self.assertEqual((code, said.split(), wrong), (0, listed, ""))

    def test_reports_manual_time_and_bytes_per_second_as_json(self):
        code, said, wrong = self.start(
            f"--benchmark_filter=^{COPY}/bytes:67108864",
            "--benchmark_format=json",
            "--benchmark_min_time=0.01",
            "--benchmark_repetitions=2",
        )
        self.assertEqual(code, 0, wrong)
        report = json.loads(said)
        self.assertIn("simulated", report["context"]["gpus"])
        runs = [each for each in report["benchmarks"] if each["run_type"] == "iteration"]
        self.assertEqual([each["name"] for each in runs], [f"{COPY}/bytes:67108864/manual_time"] * 2)
        means = [each for each in report["benchmarks"] if each.get("aggregate_name") == "mean"]
        self.assertEqual(len(means), 1)
        for each in runs:
            # The bytes of a copy within a GPU are read and written, at 1000 bytes per nanosecond.
            self.assertEqual(each["time_unit"], "ns")
            self.assertAlmostEqual(each["real_time"], (2 << 26) / 1000, delta=0.2 * (2 << 26) / 1000)
            self.assertAlmostEqual(each["bytes_per_second"] * each["real_time"] / 1e9 / (2 << 26), 1, delta=0.001)
            self.assertGreaterEqual(each["iterations"] * each["real_time"], 0.01e9)

    def test_short_operations_are_timed_in_batches(self):
        code, said, wrong = self.start(
            "--benchmark_filter=^copy/host_to_device/pinned/bytes:4096/",
            "--benchmark_format=json",
            "--benchmark_min_time=0.001",
        )
        [run] = json.loads(said)["benchmarks"]
        self.assertGreater(run["iterations"], 50, wrong)

    def test_a_set_that_does_not_fit_is_skipped_with_the_reason(self):
        code, said, _ = self.start(f"--benchmark_filter=^{COPY}/bytes:4294967296", "--benchmark_format=json")
        [run] = json.loads(said)["benchmarks"]
        self.assertEqual((code, run["error_occurred"]), (0, True))
        self.assertIn("are needed", run["error_message"])

    def test_without_a_gpu_says_so_in_one_sentence_and_skips(self):
        code, said, wrong = self.start(f"--benchmark_filter=^{COPY}/", "--benchmark_format=json", environment={})
        runs = json.loads(said)["benchmarks"]
        self.assertEqual((code, [each["error_occurred"] for each in runs]), (0, [True] * 3))
        self.assertEqual(wrong.count("every benchmark of one is skipped"), 1, wrong)

    def test_an_unknown_flag_is_an_error(self):
        code, _, wrong = self.start("--benchmark_filter=x", "--benchmark_fliter=x")
        self.assertEqual((code, "--benchmark_fliter=x" in wrong), (1, True))


WORKERS = sys.argv[1:3]
TOCUDA = sys.argv[3]
FAKES = next(iter(sys.argv[4:]), "")
if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
