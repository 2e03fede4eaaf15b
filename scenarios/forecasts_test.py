#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""What `bench --forecast` says of quick, default and characterise on every machine of machines.py: what is measured
fits into the time limit, and what does not fit is said, benchmark by benchmark and in the sentence above them."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

import machines

TOCUDA = os.environ["TOCUDA_PROGRAM"]
SELECTIONS = {"quick": (["--quick"], 60), "default": ([], 480), "characterise": (["characterise"], 900)}


class Forecasts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def said(self, machine, *words):
        place = ["--simulate", machines.spec(machine, self.folder)]
        words = [TOCUDA, "bench", *words, "--forecast", *place]
        done = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_what_is_measured_fits_and_what_is_not_is_said(self):
        for machine in machines.MACHINES:
            for name, (words, budget) in SELECTIONS.items():
                with self.subTest(machine=machine, selection=name):
                    forecast = self.see(machine, words, budget)
                    self.assertEqual(forecast["in_time"]["sets"], forecast["sets"], "something has no time")

    def test_what_a_shorter_limit_leaves_out_is_said(self):
        for words in (["--quick"], ["characterise"]):
            forecast = self.see("eight_h200", [*words, "--budget", "20"], 20)
            self.assertLess(0, forecast["in_time"]["sets"])
            self.assertLess(forecast["in_time"]["sets"], forecast["sets"])

    def see(self, machine, words, budget):
        forecast = json.loads(self.said(machine, *words, "--json"))
        self.assertEqual(forecast["budget_seconds"], budget)
        in_time, units = forecast["in_time"], forecast["units"]
        self.assertTrue(units)
        self.assertLessEqual(in_time["seconds"], budget)
        self.assertEqual(in_time["sets"], sum(unit["sets_in_time"] for unit in units))
        for unit in units:
            whole = unit["sets_in_time"] == unit["sets"]
            self.assertEqual(unit["because"] is None, whole, unit)
            if not whole:
                self.assertRegex(unit["because"], rf"^takes about \d+ s, and .* of {budget} s are left$")
        if in_time["sets"] < forecast["sets"]:
            told = " ".join(self.said(machine, *words).split())
            self.assertIn(f"enough for about {in_time['sets']} of the sets", told)
        return forecast


if __name__ == "__main__":
    sys.exit(unittest.main())
