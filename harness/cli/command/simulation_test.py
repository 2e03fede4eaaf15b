#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""Tests `tocuda __simulation`: a compiled machine, or what is wrong with its SPEC in one line. Argument: tocuda."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

T4 = Path(__file__).resolve().parents[3] / "simulator/profiles/T4.json"


def simulation(*words):
    return subprocess.run([TOCUDA, "__simulation", *words], capture_output=True, text=True, timeout=60)


class Simulation(unittest.TestCase):
    def test_every_gpu_has_every_field(self):
        lines = simulation("2x1GiB").stdout.splitlines()
        self.assertEqual(lines[0], "tocuda_simulation 4")
        self.assertEqual(
            [lines.count(line) for line in ("gpus 2", "memory_bytes 1073741824", "call_ns 1000")], [1, 2, 2]
        )

    def test_a_built_in_profile_has_its_figures(self):
        lines = simulation("1xH200").stdout.splitlines()
        self.assertIn("name NVIDIA H200", lines)
        self.assertIn("memory_bus_bits 6016", lines)

    def test_faults_and_the_seed_are_compiled(self):
        text = simulation(
            "1x1GiB", "--fault", "cudaMalloc 3 2 sticky", "--fault", "cudaFree 1 hang", "--seed", "7"
        ).stdout
        self.assertIn("\nseed 7\n", text)
        self.assertIn(
            "\nfaults 2\nfunction cudaMalloc\ncall 3\nerror 2\nhang 0\nsticky 1\nwrong 0\npeer \nfrom 0\nto 0\n"
            "function cudaFree\n",
            text,
        )

    def test_errors_are_one_line(self):
        for words, said in [
            (["1xH20"], "did you mean 'H200'?"),
            ([], "SPEC is missing"),
            (["1x1GiB", "--fault", "cudaMalloc 1"], "fault 'cudaMalloc 1': has 2 words; a fault is"),
            (["1x1GiB", "--fault", "cudaMalloc one 2"], "'one' is not a call number"),
            (["1x1GiB", "--fault", "cudaMaloc 3 2"], "a fault of 'cudaMaloc': CUDA has no such function"),
        ]:
            done = simulation(*words)
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
            self.assertIn(said, done.stderr)

    def test_bench_refuses_such_a_fault_of_a_profile_too(self):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as profile:
            json.dump({**json.loads(T4.read_text()), "machine": {"faults": ["cudaMaloc 3 2"]}}, profile)
            profile.flush()
            words = [TOCUDA, "bench", "--simulate", "1x" + profile.name, "copy/host_to_device/pinned"]
            done = subprocess.run(words, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("a fault of 'cudaMaloc': CUDA has no such function", done.stderr)

    def test_the_fields_are_listed_with_unit_limits_and_default(self):
        lines = [line.split() for line in simulation("--fields").stdout.splitlines()]
        self.assertIn(
            ["memory_bytes", "bytes", "2097152", "to", "1099511627776", "8589934592", "device", "memory"], lines
        )
        self.assertIn(["call_ns", "ns", "0", "to", "1000000000", "1000"], [line[:6] for line in lines])
        self.assertIn(["outlier_factor", "0.1", "to", "1000", "1", "by", "which"], lines)
        self.assertIn(["sm_clock_mhz"], lines)

    def test_help_does_not_list_it(self):
        self.assertNotIn("__simulation", subprocess.run([TOCUDA, "--help"], capture_output=True, text=True).stdout)


if __name__ == "__main__":
    TOCUDA = sys.argv[1]
    unittest.main(argv=sys.argv[:1])
