#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""Tests latency/flag and pairs/flag on simulated GPUs. Arguments: tests/several_gpus.py, and tocuda-cuda."""

import itertools
import os
import pathlib
import sys
import unittest.mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests"))
from several_gpus import SeveralGpus, main, pair  # noqa: E402

PLACES = "awaiting", "setting", "host"
FIGURES = {"host_latency_ns": 1500, "l1_latency_ns": 20, "call_ns": 500}
ONE_WAYS = 2 * 2


def flags(count, places=PLACES):
    return [
        {"from": a, "to": b, "flags": place} for a, b in itertools.combinations(range(count), 2) for place in places
    ]


def nanoseconds(line):
    return 1e9 * line["samples"][0]


class Flag(SeveralGpus):
    def test_one_way_takes_as_long_as_a_load_over_the_link(self):
        links = [{"from": 2, "to": 0, "latency_ns": 4000}]  # one direction
        for line in self.measure("pairs/flag", flags(3), 3, figures=FIGURES, links=links):
            with self.subTest(**line["parameters"]):
                self.assertEqual((line["status"], line["clock"], line["batch"]), ("ok", "device", ONE_WAYS), line)
                by_host = line["parameters"]["flags"] == "host"
                expected = 1500 if by_host else 4000 if pair(line) == (0, 2) else 1000
                self.assertAlmostEqual(nanoseconds(line), expected, delta=0.1)
                self.assertIn("simulated: one way takes as long as a load", " ".join(line["flags"]))
        (line,) = self.measure("latency/flag", [{"flags": "host"}], 1, figures=FIGURES)
        self.assertEqual((line["status"], line["bytes_one_way"]), ("ok", 0), line)
        self.assertAlmostEqual(nanoseconds(line), 1500, delta=0.1)

    def test_a_lost_flag_is_found_by_the_row_that_sends_it_over_that_link(self):
        for fault, stopped in (("peer 1 2 lost", "way to the second side"), ("peer 2 1 lost", "way back")):
            lines = self.measure("pairs/flag", flags(3, ("awaiting", "host")), 3, [fault])
            wrong = [line for line in lines if line["status"] != "ok"]
            self.assertEqual([(pair(line), line["parameters"]["flags"]) for line in wrong], [((1, 2), "awaiting")])
            self.assertEqual(wrong[0]["status"], "wrong")
            self.assertIn(f"the flag stopped on its {stopped}, after 0 of 3 times", wrong[0]["check"])

    def test_a_kernel_that_does_not_run_is_wrong(self):
        with unittest.mock.patch.object(SeveralGpus, "worker", sys.argv[6]):
            lines = self.measure("latency/flag", [{"flags": "host"}], 1)
            lines += self.measure("pairs/flag", flags(2, ("awaiting",)), 2)
        for line in lines:
            self.assertEqual((line["status"], line["samples"]), ("wrong", []), line)
            self.assertIn("the flag stopped", line["check"])

    def test_what_cannot_be_measured_is_skipped_with_its_reason(self):
        (line,) = self.measure("latency/flag", [{"flags": "awaiting"}], 1)
        self.assertRegex(line["check"], "needs a GPU whose memory is a NUMA node")
        sets = [{"from": 1, "to": 0, "flags": "host"}, {"from": 0, "to": 2, "flags": "host"}]
        backwards, beyond = self.measure("pairs/flag", sets, 2)
        self.assertEqual(backwards["check"], "a pair is measured once: with the lower number as `from`")
        self.assertRegex(beyond["check"], "to must be between 0 and 1")
        with unittest.mock.patch.dict(os.environ, CUDA_LAUNCH_BLOCKING="1"):
            (line,) = self.measure("latency/flag", [{"flags": "host"}], 1)
        self.assertIn("CUDA_LAUNCH_BLOCKING is set", line["check"])


if __name__ == "__main__":
    main()
