#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""Tests the whole program on simulated GPUs, from the command line to the file: simulation is reported as such, and
what it cannot decide is skipped."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOCUDA = os.environ["TOCUDA_PROGRAM"]
NOTHING_RUN = 4


class OnSimulatedGpus(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def start(self, *words):
        environment = {**os.environ, "XDG_STATE_HOME": self.folder.name}
        return subprocess.run(
            [TOCUDA, "run", "--output", self.folder.name, *words],
            capture_output=True,
            text=True,
            env=environment,
            stdin=subprocess.DEVNULL,
            check=False,
        )

    def rows(self, *words, code=0):
        """Returns the lines of the file that a run writes."""
        result = self.start("--json", *words)
        self.assertEqual(result.returncode, code, result.stderr)
        self.file = pathlib.Path(json.loads(result.stdout)["file"])
        return [json.loads(line) for line in self.file.read_text().splitlines()]

    @staticmethod
    def evidence(row):
        return {seen["key"]: seen["value"] for seen in row["evidence"]}

    def test_the_second_gpu_is_chosen(self):
        row = self.rows("--simulate", "4x1GiB", "selection/second_gpu")[1]
        self.assertEqual(self.evidence(row)["chosen.device"], "cuda:1")
        self.assertEqual(self.evidence(row)["device_count"], 4)

    def test_memory_that_the_cpu_takes_in_place_of_a_gpu_is_not_counted(self):
        row = self.rows("--simulate", "1x1GiB", "transfer/same_seed")[1]
        self.assertEqual(self.evidence(row)["doubled.cpu_bytes"], 8, "the factor, as on an H100 and an H200")

    def test_row_file_and_file_name_say_simulated(self):
        run, *rows = self.rows("--simulate", "2x1GiB", "dtype/double_move")
        row = next(row for row in rows if row.get("variant") == "default")
        self.assertEqual((run["device"], row["device"]), ("simulated", "simulated"))
        self.assertIn("runtime 2x1GiB", row["stand_in"])
        self.assertIn("-run-simulated-", self.file.name)
        self.assertEqual(run["driver"]["flavour"], "simulated")

    def test_every_simulated_row_says_by_what(self):
        rows = self.rows("--simulate", "1x1GiB", "environment/conflicting_libraries")[1:]
        simulated = [row for row in rows if row.get("device") == "simulated"]
        self.assertTrue(simulated)
        self.assertEqual([row["variant"] for row in simulated if not row["stand_in"]], [])

    def test_first_line_says_simulated(self):
        result = self.start("--simulate", "1x1GiB", "dtype/double_move")
        self.assertIn("SIMULATED", result.stdout.splitlines()[0])

    def test_what_libtorch_computes_is_evidence(self):
        rows = {row.get("variant"): row for row in self.rows("--simulate", "1x1GiB", "dtype/bfloat16_move")}
        row = rows["computes"]
        self.assertIn({"key": "sum equal", "value": True, "computed": True}, row["evidence"])
        self.assertIn("a sum equals the CPU's", row["claims"][0]["because"])

    def test_speeds_are_not_compared(self):
        claim = self.rows("--simulate", "1x1GiB", "transfer/matmul_time", code=NOTHING_RUN)[1]["claims"][0]
        self.assertEqual(claim["verdict"], "skipped")
        self.assertIn("compares speeds", claim["because"])

    def test_skip_for_too_few_gpus_names_what_was_found(self):
        claim = self.rows("--simulate", "1x1GiB", "selection/second_gpu", code=NOTHING_RUN)[1]["claims"][0]
        self.assertEqual(
            (claim["verdict"], claim["because"]), ("skipped", "needs 2 GPUs; found 1 simulated GPU (1x1GiB)")
        )

    def test_too_little_memory_to_set_up_leaves_claims_open(self):
        row = self.rows("--simulate", "2x32MiB", "selection/second_gpu")[1]
        for claim in row["claims"]:
            self.assertEqual(claim["verdict"], "inconclusive")
            self.assertEqual(
                claim["because"], "the GPU's memory did not suffice to begin: 32.00 MiB of 32.00 MiB was free"
            )

    def test_gpus_option_selects_simulated_gpus(self):
        claim = self.rows("--simulate", "2x1GiB", "--gpus", "1", "selection/second_gpu", code=NOTHING_RUN)[1]["claims"][
            0
        ]
        self.assertEqual(claim["verdict"], "skipped")

    def test_refuses_gpus_that_do_not_exist(self):
        for gpus, said in (
            ("2", "no GPU '2'"),
            ("GPU-none", "no GPU 'GPU-none'"),
            ("0,0", "GPU 0 is listed twice"),
            ("0,", "ends with a comma"),
        ):
            with self.subTest(gpus):
                result = self.start("--simulate", "2x1GiB", "--gpus", gpus, "selection/second_gpu")
                self.assertEqual(result.returncode, 2)
                self.assertIn(said, result.stderr)

    def test_gpus_option_leaves_variants_with_fixed_gpus_alone(self):
        row = self.rows("--gpus", "1", "selection/unequal_gpus")[1]
        self.assertEqual(row["claims"][0]["verdict"], row["claims"][0]["expected"])

    def test_custom_profile_names_gpu_and_driver(self):
        profile = pathlib.Path(self.folder.name) / "mine.json"
        profile.write_text(
            json.dumps(
                {
                    "name": "My GPU",
                    "compute_capability": "8.0",
                    "figures": {"memory_bytes": 1 << 30, "multiprocessors": 8},
                    "sources": {"this test": ["memory_bytes"]},
                    "machine": {"driver": 13010, "driver_name": "999.1"},
                }
            )
        )
        run = self.rows("--simulate", f"1x{profile}", "dtype/double_move")[0]
        self.assertEqual(run["gpus"][0]["name"], "My GPU")
        self.assertEqual(run["driver"]["kernel_module"], "999.1")

    def test_impossible_simulations_are_usage_errors(self):
        for spec in ("0x1GiB", "2x-1GiB", "lots", "1x1EiB", "1x", "1xH3000", "65x1GiB"):
            with self.subTest(spec):
                result = self.start("--simulate", spec)
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertEqual(len(result.stderr.strip().splitlines()), 1)

    def test_real_and_simulate_exclude_each_other(self):
        self.assertEqual(self.start("--real", "--simulate", "1x1GiB").returncode, 2)

    @unittest.skipIf(pathlib.Path("/proc/driver/nvidia/gpus").exists(), "this machine has a real GPU")
    def test_real_never_simulates(self):
        rows = self.rows("--real", "dtype/double_move", "dtype/cpu_conversions")
        self.assertEqual([row["device"] for row in rows[:3]], ["none", "none", "none"])
        self.assertEqual(
            {claim["verdict"] for row in rows if row.get("name") == "dtype/double_move" for claim in row["claims"]},
            {"skipped"},
        )


if __name__ == "__main__":
    sys.exit(unittest.main())
