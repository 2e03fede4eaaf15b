#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""Tests two- and three-dimensional copies on simulated GPUs: between host and GPU, and between two GPUs. Arguments:
tests/several_gpus.py."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests"))
from several_gpus import SIZE, SeveralGpus, main, rate  # noqa: E402

LINK = {"host_to_device_bytes_per_second": 4 * 10**10, "device_to_host_bytes_per_second": 5 * 10**10}


def rows(by, pairs=((0, 1),), **more):
    shape = {"bytes": SIZE, "width": 512, "slices": 4, "stride": 2}
    return [{"from": a, "to": b, "by": way, **shape, **more} for a, b in pairs for way in by]


class Boxes(SeveralGpus):
    def assert_skipped(self, name, parameters, reason):
        (line,) = self.measure(name, [parameters], 2)
        self.assertEqual(line["status"], "skipped", line)
        self.assertIn(reason, line["check"])

    def test_slices_of_rows_arrive_by_engine_and_by_kernel(self):
        for direction, expected in (("host_to_device", 4e10), ("device_to_host", 5e10)):
            sets = [
                {"bytes": 3 << 20, "width": width, "slices": slices, "by": by}
                for width in (4, 48, 512, 1024)
                for slices in (1, 2, 64)
                for by in ("engine", "kernel")
            ]
            for line in self.measure(f"copy/{direction}/rows", sets, 1, figures=LINK):
                self.assertEqual(line["status"], "ok", line)
                self.assertAlmostEqual(rate(line) / expected, 1, delta=0.02)
            for line in self.measure(f"copy/{direction}/rows", sets, 1, preload=[self.forgetful], figures=LINK):
                by_engine = line["parameters"]["by"] == "engine"
                self.assertEqual(line["status"], "wrong" if by_engine else "ok", line)

    def test_an_engine_takes_its_time_for_each_row(self):
        sets = [{"bytes": SIZE, "width": width, "slices": 4, "by": "engine"} for width in (64, 512)]
        lines = self.measure("copy/host_to_device/rows", sets, 1, figures={**LINK, "copy_row_ns": 100})
        for line, rows_each in zip(lines, (SIZE // 64, SIZE // 512)):
            self.assertAlmostEqual(min(line["samples"]) / (rows_each * 100e-9), 1, delta=0.02)

    def test_rows_of_the_host_say_what_they_need(self):
        right = {"bytes": 4096, "width": 64, "slices": 1, "by": "engine"}
        for wrong, reason in (
            ({"bytes": 100}, "whole rows of 64 bytes are needed; 100 bytes are not a multiple of that"),
            ({"slices": 5}, "5 slices of whole rows of 64 bytes are needed; 4096 bytes are not a multiple of that"),
            ({"width": 2, "by": "kernel"}, "for a kernel, a width that is a multiple of 4 is needed, not 2"),
            ({"by": "hand"}, "hand"),
        ):
            self.assert_skipped("copy/device_to_host/rows", {**right, **wrong}, reason)

    def test_rows_between_gpus_are_as_fast_as_their_way(self):
        pairs = ((0, 1), (1, 0))
        sets = rows(("engine", "engine_pull", "push", "pull"), pairs) + rows(("engine", "pull"), pairs, slices=1)
        sets += rows(("push", "pull"), pairs, width=4, stride=8) + rows(("engine",), pairs, width=1, stride=1)
        for line in self.measure("pairs/rows", sets, 2):
            self.assertEqual(line["status"], "ok", line)
            self.assertAlmostEqual(rate(line) / 1e10, 1, delta=0.02)
        figures = {"memory_clock_khz": 20000, "memory_bus_bits": 1000}  # 5 GB/s for packing, which reads and writes
        (line,) = self.measure("pairs/rows", rows(("packed",)), 2, figures=figures)
        self.assertEqual((line["status"], line["bytes_touched"]), ("ok", 6 * line["bytes_one_way"]), line)
        seconds = SIZE * (2 / 5e9 + 1 / 1e10 + 2 / 5e9)
        self.assertAlmostEqual(rate(line) * seconds / SIZE, 1, delta=0.02)

    def test_rows_that_do_not_arrive_are_found(self):
        every = ("engine", "push", "pull", "packed")
        for fault, wrong in (("lost", {"push"}), ("mirrored", {"push"}), ("uncopied", {"engine", "packed"})):
            for slices in (1, 4):
                lines = self.measure("pairs/rows", rows(every, slices=slices), 2, [f"peer 0 1 {fault}"])
                found = {line["parameters"]["by"] for line in lines if line["status"] == "wrong"}
                self.assertEqual((found, {line["status"] for line in lines}), (wrong, {"ok", "wrong"}), fault)

    def test_rows_say_what_they_need(self):
        for wrong, reason in (
            ({"bytes": 1000}, "4 slices of whole rows of 512 bytes are needed"),
            ({"bytes": 8, "width": 2}, "a multiple of 4 is needed"),
            ({"stride": 0}, "stride must be between 1 and 1024"),
            ({"slices": 0}, "slices must be between"),
            ({"width": 0}, "width must be between"),
            ({"by": "pushed"}, "pushed"),
            ({"to": 0}, "no peer of itself"),
            ({"bytes": 1 << 30}, "of the memory of GPU 0 are needed"),
        ):
            self.assert_skipped("pairs/rows", {**rows(("push",))[0], **wrong}, reason)
        for line in self.measure("pairs/rows", rows(("engine", "push")), 2, peer_access=False):
            by_engine = line["parameters"]["by"] == "engine"
            self.assertEqual(line["status"], "ok" if by_engine else "skipped", line)


if __name__ == "__main__":
    main()
