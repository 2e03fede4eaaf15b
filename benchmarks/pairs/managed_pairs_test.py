#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""Tests pairs/managed on simulated GPUs. Arguments: tests/several_gpus.py."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests"))
from several_gpus import SIZE, SeveralGpus, main, ordered, pair, rate  # noqa: E402


def managed(count, how=("prefetch", "touch"), ways="one", size=SIZE):
    return [{"from": a, "to": b, "how": one, "ways": ways, "bytes": size} for a, b in ordered(count) for one in how]


class ManagedPairs(SeveralGpus):
    def test_pages_move_at_the_rate_of_their_link_and_fault_if_touched(self):
        links = [{"from": 2, "to": 0, "bytes_per_second": 4 * 10**10}]
        figures = {"managed_fault_ns": 10000, "memory_bytes_per_second": 10**15}
        for line in self.measure("pairs/managed", managed(3), 3, figures=figures, links=links):
            self.assertEqual(line["status"], "ok", line)
            moving = SIZE / (4e10 if pair(line) == (2, 0) else 1e10)
            faults = SIZE / 65536 * 10e-6 if line["parameters"]["how"] == "touch" else 0
            self.assertAlmostEqual(min(line["samples"]) / (moving + faults), 1, delta=0.02)

    def test_pages_move_both_ways_at_once(self):
        figures = {"managed_fault_ns": 0, "memory_bytes_per_second": 10**15}
        lines = self.measure("pairs/managed", managed(2, ways="both"), 2, figures=figures)
        for line in lines[:2]:
            self.assertEqual((line["status"], line["bytes_one_way"]), ("ok", 2 * SIZE), line)
            self.assertAlmostEqual(rate(line) / 2e10, 1, delta=0.05)
        self.assertTrue(all("measured once" in line["check"] for line in lines[2:]), lines)

    def test_pages_that_stay_are_found(self):
        size = 16 << 20
        slow = {"host_to_device_bytes_per_second": 10**9, "memory_bytes_per_second": 10**12}
        for preload, prefetched, stays in (([], "ok", False), ([self.staying], "wrong", True)):
            lines = self.measure("pairs/managed", managed(2, size=size), 2, preload=preload, figures=slow)
            for line in lines:
                touched = line["parameters"]["how"] == "touch"
                self.assertEqual(line["status"], "ok" if touched else prefetched, line)
                told = "reading the pages again is slow: they may not have moved" in line["flags"]
                self.assertEqual(told, stays and touched, line)

    def test_pages_that_cannot_move_are_skipped_with_the_reason(self):
        for more, sets, reason in (
            ({"concurrent_managed_access": 0}, managed(2), "moves all of them at each launch"),
            ({"managed_memory": 0}, managed(2), "this one has none"),
            ({}, managed(2, size=2 << 30), "at most 1073741824 bytes of managed memory"),
            ({}, managed(2, size=0), "0 bytes cannot be allocated"),
            ({}, managed(2, how=("advice",)), "how must be one of prefetch, touch, not advice"),
        ):
            for line in self.measure("pairs/managed", sets, 2, figures=more):
                self.assertEqual(line["status"], "skipped", line)
                self.assertIn(reason, line["check"])

    def test_pages_go_through_the_host_without_peer_access(self):
        for line in self.measure("pairs/managed", managed(2), 2, peer_access=False):
            self.assertEqual(line["status"], "ok", line)
            self.assertIn("no peer access between these GPUs: pages go through the host", line["flags"])


if __name__ == "__main__":
    main()
