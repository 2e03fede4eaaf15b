#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""Tests every benchmark of this folder with the real worker, on simulated GPUs.

Arguments: tocuda-torch, the folder of the simulated runtime, tocuda."""

import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "simulator"))
import simulated_gpus  # noqa: E402

KIB, MIB = 1 << 10, 1 << 20
PROTOCOL = {"kind": "protocol", "launches_min": 3, "launches_max": 3, "launch_budget_s": 0.01}


def started(redirected, *words, lines="", gpu_bytes=2 << 30, faults=()):
    with tempfile.TemporaryDirectory() as folder:
        simulation = f"{folder}/simulation"
        gpu = simulated_gpus.profile(memory_bytes=gpu_bytes)
        simulated_gpus.write_simulation(TOCUDA, simulation, gpu, faults=faults)
        # Without this option a program built with the address sanitizer refuses to start after a preloaded library.
        environment = {
            **os.environ,
            "TOCUDA_SIMULATION": simulation,
            "LD_PRELOAD": f"{RUNTIME}/libcudart.so.13",
            "LD_LIBRARY_PATH": RUNTIME,
            "ASAN_OPTIONS": "verify_asan_link_order=0",
        }
        return subprocess.run(
            ["sh", "-c", f'exec "$@" {redirected}', "sh", WORKER, *words],
            input=lines,
            capture_output=True,
            text=True,
            env=environment,
            timeout=300,
        )


def ask(*words, sets=(), **machine):
    lines = "".join(json.dumps(each) + "\n" for each in (PROTOCOL, *sets)) if sets else ""
    done = started("3>&1 >/dev/null", *words, lines=lines, **machine)
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()], done.stderr


def benchmarks():
    return {line["name"]: line for line in ask("describe")[1] if line["kind"] == "benchmark"}


def two_ways():
    return {name: benchmark for name, benchmark in benchmarks().items() if "through" in benchmark["parameters"]}


def sets_of(benchmark, sizes):
    values = {**benchmark["parameters"], "bytes": sizes}
    return [dict(zip(values, each)) for each in itertools.product(*values.values())]


def without_through(parameters):
    return json.dumps({key: value for key, value in parameters.items() if key != "through"}, sort_keys=True)


class Framework(unittest.TestCase):
    def test_every_benchmark_is_right_and_measured_both_ways(self):
        for name, benchmark in two_ways().items():
            with self.subTest(name):
                sets = sets_of(benchmark, [4 * KIB, MIB + 4])
                code, lines, said = ask("measure", name, sets=sets)
                self.assertEqual(code, 0, said)
                bad = [
                    (line["parameters"], line["status"], line["check"])
                    for line in lines
                    if line["status"] != "ok"
                    and not (line["status"] == "skipped" and line["parameters"].get("cache") == "retry")
                ]
                self.assertEqual(bad, [])
                self.assertEqual(
                    [
                        line
                        for line in lines
                        if line["status"] == "ok" and (not line["check"] or len(line["samples"]) != 3)
                    ],
                    [],
                )
                ways = {}
                for line in lines:
                    ways.setdefault(without_through(line["parameters"]), set()).add(line["parameters"]["through"])
                self.assertEqual({frozenset(both) for both in ways.values()}, {frozenset(("libtorch", "runtime"))})

    def test_the_worker_holds_the_benchmarks_of_the_folder(self):
        self.assertEqual(
            {name.split("/")[1] for name in benchmarks()},
            {
                "to",
                "load",
                "copy_to_gpu",
                "pinned_to",
                "pin_memory_to",
                "cpu",
                "copy_to_host",
                "strided_to",
                "module_to",
                "full",
                "allocate",
                "matmul",
                "matmul_shapes",
            },
        )

    def test_the_host_clock_times_everything(self):
        self.assertEqual({benchmark["clock"] for benchmark in benchmarks().values()}, {"host"})

    def test_libtorch_takes_at_least_as_long_as_the_runtime_alone(self):
        _, (libtorch, runtime), said = ask(
            "measure", "framework/to", sets=[{"bytes": MIB, "through": way} for way in ("libtorch", "runtime")]
        )
        self.assertGreaterEqual(min(libtorch["samples"]), max(runtime["samples"]), said)

    def test_a_cached_block_costs_less_than_one_of_the_runtime(self):
        sets = [{"bytes": MIB, "cache": "hit", "through": way} for way in ("libtorch", "runtime")]
        _, (libtorch, runtime), said = ask("measure", "framework/allocate", sets=sets)
        self.assertLess(max(libtorch["samples"]), min(runtime["samples"]), said)

    def test_a_retry_is_measured_if_blocks_are_large_enough(self):
        _, (line,), said = ask(
            "measure", "framework/allocate", sets=[{"bytes": 64 * MIB, "cache": "retry", "through": "libtorch"}]
        )
        self.assertEqual(
            (line["status"], line["check"]), ("ok", "its size, and that the allocator counted a retry"), said
        )

    def test_a_set_that_does_not_fit_is_skipped_with_what_is_needed(self):
        _, (line,), said = ask(
            "measure", "framework/to", sets=[{"bytes": 256 * MIB, "through": "libtorch"}], gpu_bytes=256 * MIB
        )
        self.assertEqual(line["status"], "skipped", said)
        self.assertIn("are needed", line["check"])

    def test_with_its_flags_it_is_a_google_benchmark_program(self):
        name = f"framework/to/bytes:{256 * MIB}/through:libtorch"
        done = started(
            "", f"--benchmark_filter=^{name}", "--benchmark_format=json", "--benchmark_min_time=0.01", gpu_bytes=8 << 30
        )
        [run] = json.loads(done.stdout)["benchmarks"]
        self.assertEqual((done.returncode, run["name"]), (0, f"{name}/manual_time"), done.stderr)
        self.assertNotIn("error_message", run)
        # This GPU reports no link, whose bytes would count once: what is read and written counts.
        self.assertAlmostEqual(run["bytes_per_second"] * run["real_time"] / 1e9 / (512 * MIB), 1, delta=0.001)

    def test_a_failed_call_affects_only_its_set(self):
        # The first copy is the check of the first set.
        _, lines, said = ask(
            "measure",
            "framework/to",
            sets=[{"bytes": size, "through": "runtime"} for size in (4 * KIB, MIB)],
            faults=["cudaMemcpyAsync 1 999"],
        )
        self.assertEqual([line["status"] for line in lines], ["failed", "ok"], said)


class Matmul(unittest.TestCase):
    TYPES = "double", "float", "tf32", "half", "bfloat16", "float8", "int8"
    SHAPES = "tall", "flat", "batched"

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def measure(self, sets, libraries=None, capability="9.0", name="framework/matmul", **variables):
        libraries = libraries or RUNTIME
        gpu = simulated_gpus.profile("Products", capability, memory_bytes=1 << 30)
        simulated_gpus.write_simulation(TOCUDA, self.folder / "simulation", gpu)
        blas = [f"{libraries}/{name}.so.13" for name in ("libcublas", "libcublasLt")]
        given = self.folder / "simulation", name, sets, blas
        return simulated_gpus.measured(WORKER, libraries, *given, TORCH_DISABLE_NATIVE_JIT="1", **variables)

    def of_each_shape(self, n, *places, types=("double", "half"), **variables):
        sets = [{"n": n, "shape": shape, "type": one} for shape in self.SHAPES for one in types]
        return self.measure(sets, *places, name="framework/matmul_shapes", **variables)

    def of_each_type(self, n, *places, **variables):
        return self.measure([{"n": n, "type": one} for one in self.TYPES], *places, **variables)

    def test_counts_the_operations_of_a_product(self):
        for line in self.of_each_type(1024):
            self.assertEqual((line["status"], line["clock"], line["items"]), ("ok", "host", 2 << 30), line)
            self.assertIn("simulated: nothing is multiplied, and the time is that of an empty kernel", line["flags"])
        tall, flat, batched = (line["items"] for line in self.of_each_shape(1024, types=("half",)))
        self.assertEqual((tall, flat, batched), (2 * 1024 * 64 * 64, 2 * 32 * 1024 * 1024, 2 * 64 * 256**3))

    def test_products_that_the_cpu_computes_are_right(self):
        for line in self.of_each_type(272, TOCUDA_COMPUTE="1") + self.of_each_shape(256, TOCUDA_COMPUTE="1"):
            self.assertEqual(line["status"], "ok", line)
        in_bytes = self.of_each_shape(256, types=("int8", "float8"), TOCUDA_COMPUTE="1")
        self.assertEqual([line["status"] for line in in_bytes], ["ok"] * 4 + ["skipped"] * 2, in_bytes)
        self.assertEqual(in_bytes[4]["check"], "LibTorch has no product of batches in this type")

    def test_products_that_are_not_computed_are_wrong(self):
        for library in pathlib.Path(RUNTIME).iterdir():
            if "computing" not in library.name:
                (self.folder / library.name).symlink_to(library.resolve())
        without = str(self.folder)
        lines = self.of_each_type(64, without, TOCUDA_COMPUTE="1")
        for line in [*lines, *self.of_each_shape(256, without, TOCUDA_COMPUTE="1")]:
            self.assertEqual((line["status"], line["samples"]), ("wrong", []), line)
            self.assertIn("row 0 of the product differs", line["check"])

    def test_what_cannot_be_measured_is_skipped_with_its_reason(self):
        for given, why in [
            ({"n": 1000, "type": "float"}, "n must be between 32 and 32768 and a multiple of 16, not 1000"),
            ({"n": 16, "type": "float"}, "n must be between 32 and 32768 and a multiple of 16, not 16"),
            ({"n": 64, "type": "float4"}, "type must be one of double, float, tf32, .*, int8, not float4"),
            ({"n": 64, "type": "float8"}, "compute capability 8.9 is needed; this GPU has 8.0"),
            ({"n": 16384, "type": "float"}, "bytes of the GPU's memory are needed"),
        ]:
            [line] = self.measure([given], capability="8.0")
            self.assertEqual(line["status"], "skipped", line)
            self.assertRegex(line["check"], why)


if __name__ == "__main__":
    WORKER, RUNTIME, TOCUDA = sys.argv[1], str(pathlib.Path(sys.argv[2])), sys.argv[3]
    unittest.main(argv=sys.argv[:1])
