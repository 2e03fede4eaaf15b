#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""Tests scenarios and benchmarks on a machine of machines.py, as if its GPUs were real: no verdict is broken, each is
the expected one or open because of what the machine is; what a measurement says of rows and peaks is right there.
Arguments: the machine, and `all` for every scenario instead of those that it concerns, or patterns of scenarios."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import machines

TOCUDA = os.environ["TOCUDA_PROGRAM"]
MEASURED = [
    "copy/device_to_device/best",
    "copy/host_to_device/pinned",
    "latency/device",
    "memory/read",
    "bytes=1MiB,64MiB",
]

TRANSFERS = {3: 8e9, 4: 16e9, 5: 32e9}  # of a lane in a second, by PCIe generation


class OnThisMachine(unittest.TestCase):
    def document(self, verb, *words):
        """Returns the JSON document of `run` or `bench` on the machine, and the lines of the file that it wrote."""
        with tempfile.TemporaryDirectory() as folder:
            place = ["--simulate", machines.spec(MACHINE, folder), "--output", folder]
            done = subprocess.run(
                [TOCUDA, verb, "--json", *place, *words],
                capture_output=True,
                text=True,
                env={**os.environ, "XDG_STATE_HOME": folder},
                stdin=subprocess.DEVNULL,
                check=False,
            )
            self.assertTrue(done.stdout, done.stderr)
            document = json.loads(done.stdout)
            lines = pathlib.Path(document["file"]).read_text().splitlines()
            return document, [json.loads(line) for line in lines]

    def test_verdicts_are_expected_or_open_for_a_reason(self):
        claims = [(row, claim) for row in self.document("run", *PATTERNS)[1] for claim in row.get("claims", [])]
        for row, claim in claims:
            with self.subTest(scenario=row["name"], variant=row["variant"], claim=claim["id"]):
                said = f"{claim['verdict']} instead of {claim['expected']}: {claim['because']}"
                is_open = claim["verdict"] in ("skipped", "inconclusive")
                allowed = is_open and machines.may_be_open(MACHINE, row["name"], claim["because"])
                self.assertTrue(claim["verdict"] == claim["expected"] or allowed, said)
        self.assertTrue(claims)

    def test_lists_of_gpus_are_made_of_those_that_are_used(self):
        if len(machines.MACHINES[MACHINE]) < 3:
            self.skipTest("there are too few GPUs for a list of some")
        run, *rows = self.document("run", "--gpus", "2,1", "selection/visible_devices")[1]
        ours = {gpu["uuid"] for gpu in run["gpus"] if gpu["index"] in (1, 2)}
        evidence = [(row["variant"], one) for row in rows for one in row.get("evidence", [])]
        lists = {variant: one["value"] for variant, one in evidence if one["key"] == "visible_devices"}
        self.assertEqual(set(lists["unset"].split(",")), ours)
        for variant, words in lists.items():
            self.assertLessEqual(set(words.split(",")), ours | {"", "-1"}, variant)

    def test_measured_rows_are_healthy_and_peaks_are_those_of_the_machine(self):
        rows = self.document("bench", "--quick", "--budget", "600", *MEASURED)[0]["rows"]
        for row in rows:
            with self.subTest(benchmark=row["benchmark"], parameters=row["parameters"]):
                self.assertEqual(row["status"], "ok", row)
                flags = {flag for flag in row["flags"] if not flag.startswith("chosen ")}
                self.assertEqual(flags - {"partly_in_l2"}, machines.FLAGS.get(MACHINE, set()))
                self.see_peak(row)
        self.assertTrue(rows)

    def see_peak(self, row):
        """The link's is always there, but on NVLink-C2C; the memory's only if little comes from its cache."""
        figures = machines.MACHINES[MACHINE][0]["figures"]
        is_link = row["benchmark"] == "copy/host_to_device/pinned"
        if is_link and not figures.get("host_page_tables"):
            self.assertIn("peak_bytes_per_second", row)
        if "peak_bytes_per_second" not in row:
            return
        figure = "memory_bytes_per_second" if "host" not in row["benchmark"] else "host_to_device_bytes_per_second"
        self.assertFalse(figure.startswith("host") and figures.get("host_page_tables"), row)
        expected = figures[figure]
        if is_link and "pcie_generation" in figures:
            expected = TRANSFERS[figures["pcie_generation"]] * figures["pcie_width"] * 128 / 130 / 8
        # Data sheets round the bandwidth of the memory.
        self.assertAlmostEqual(row["peak_bytes_per_second"] / expected, 1, delta=0.03, msg=row)


if __name__ == "__main__":
    MACHINE, *PATTERNS = sys.argv[1:]
    if PATTERNS in ([], ["all"]):
        PATTERNS = [] if PATTERNS else machines.CONCERNED[MACHINE]
    sys.exit(unittest.main(argv=sys.argv[:1]))
