#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""Tests pairs/ on simulated GPUs with unequal links and with faults between two of them: the rows of the pair find
them, and no others. Arguments: tests/several_gpus.py."""

import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests"))
from several_gpus import SIZE, SeveralGpus, main, ordered, pair, rate  # noqa: E402

COPIES = max(4, min(64, (64 << 20) // SIZE))

# Attributes of the driver: memory for which a file descriptor can stand, and multicast.
MULTICAST = {"103": 1, "132": 1}
WAYS = "engine", "engine_pull", "push", "pull", "bulk_push", "bulk_pull"
BY_KERNEL = "push", "pull", "bulk_push", "bulk_pull"
TWO = "copy/device_to_device/both_ways"


def copies(count, by=WAYS, ways="one"):
    return [
        {"from": a, "to": b, "by": way, "ways": ways, "access": "on", "bytes": SIZE}
        for a, b in ordered(count)
        for way in by
    ]


def loads(count, by=("load", "bulk")):
    return [{"from": a, "to": b, "by": way, "bytes": SIZE} for a, b in ordered(count) for way in by]


class Pairs(SeveralGpus):
    def test_every_pair_copies_at_the_rate_of_its_link(self):
        links = [{"from": 0, "to": 1, "bytes_per_second": 10**9}, {"from": 2, "to": 0, "bytes_per_second": 4 * 10**10}]
        rates = {(0, 1): 1e9, (2, 0): 4e10}
        for line in self.measure("pairs/copy", copies(3), 3, links=links):
            with self.subTest(**line["parameters"]):
                self.assertEqual(line["status"], "ok", line)
                expected = rates.get(pair(line), 1e10)
                self.assertAlmostEqual(rate(line) / expected, 1, delta=0.02)

    def test_copies_in_bulk_need_a_gpu_that_has_them(self):
        sets = copies(2, ("push", "bulk_push", "bulk_pull"))
        lines = self.measure("pairs/copy", sets, 2, figures={"compute_capability": "8.0"})
        for line in lines:
            if line["parameters"]["by"] == "push":
                self.assertEqual(line["status"], "ok", line)
            else:
                self.assertEqual(line["status"], "skipped", line)
                self.assertIn("compute capability 9.0", line["check"])
        [_, bulk] = self.measure("pairs/latency", loads(2)[:2], 2, figures={"compute_capability": "8.0"})
        self.assertIn("compute capability 9.0", bulk["check"])

    def test_both_ways_move_twice_as_much(self):
        lines = self.measure("pairs/copy", copies(2, ("engine",), "both"), 2)
        self.assertAlmostEqual(rate(lines[0]) / 2e10, 1, delta=0.02)
        self.assertEqual(lines[1]["status"], "skipped")
        self.assertIn("measured once", lines[1]["check"])

    def test_a_broken_pair_is_found_by_what_uses_it_and_by_nothing_else(self):
        # GPU 2 also loads from its mirror: bytes that an earlier copy left there, which a new payload shows.
        for fault, uses in (
            ("lost", {((2, 1), "push"), ((2, 1), "bulk_push")}),
            ("mirrored", {((2, 1), "push"), ((1, 2), "pull"), ((2, 1), "bulk_push"), ((1, 2), "bulk_pull")}),
            ("uncopied", {((2, 1), "engine"), ((2, 1), "engine_pull")}),
        ):
            lines = self.measure("pairs/copy", copies(3), 3, [f"peer 2 1 {fault}"])
            wrong = {(pair(line), line["parameters"]["by"]) for line in lines if line["status"] == "wrong"}
            self.assertEqual({line["status"] for line in lines}, {"ok", "wrong"})
            self.assertEqual(wrong, uses, fault)
            for line in lines:
                if line["status"] == "wrong":
                    self.assertRegex(line["check"], "GPU %d to GPU %d: byte" % pair(line))

    def test_patterns_find_a_broken_pair_that_they_use(self):
        faults = ["peer 0 2 lost"]
        for name, end in (("one_to_all", "from"), ("all_to_one", "to")):
            sets = [{end: gpu, "by": by, "bytes": SIZE} for gpu in range(3) for by in ("engine", "push")]
            for line in self.measure(f"pairs/{name}", sets, 3, faults):
                used = line["parameters"][end] == (0 if end == "from" else 2) and line["parameters"]["by"] == "push"
                self.assertEqual(line["status"], "wrong" if used else "ok", line)
        sets = [{"by": by, "bytes": SIZE} for by in ("engine", "push")]
        lines = self.measure("pairs/all_to_all", sets, 3, faults)
        self.assertEqual([line["status"] for line in lines], ["ok", "wrong"])
        self.assertIn("GPU 0 to GPU 2", lines[1]["check"])

    def test_the_patterns_are_read_as_well_as_written(self):
        for name, ends in (("one_to_all", {"from": 1}), ("all_to_one", {"to": 1}), ("all_to_all", {}), ("halves", {})):
            sets = [{**ends, "by": by, "bytes": SIZE} for by in WAYS]
            lines = self.measure(f"pairs/{name}", sets, 3)
            self.assertEqual([line["status"] for line in lines], ["ok"] * len(WAYS), lines)
            for line in lines:
                said = "simulated: kernels at once do not slow each other down" in line["flags"]
                self.assertEqual(said, line["parameters"]["by"] in BY_KERNEL, line)
        done = subprocess.run([self.program, "list", "--json", "pairs/"], capture_output=True, text=True, check=True)
        listed = {one["name"]: one["full"].get("by") for one in json.loads(done.stdout)["benchmarks"]}
        for name in ("copy", "one_to_all", "all_to_one", "all_to_all", "halves"):
            self.assertEqual(listed[f"pairs/{name}"], list(WAYS), name)

    def test_all_to_all_of_eight(self):
        (line,) = self.measure("pairs/all_to_all", [{"by": "engine", "bytes": 1 << 16}], 8)
        self.assertEqual(line["status"], "ok", line)
        self.assertEqual(line["bytes_one_way"] % (56 << 16), 0)

    def test_gpus_are_named_and_nothing_is_said_of_those_that_take_no_part(self):
        for name, sets in (
            ("pairs/copy", copies(3, ("engine", "pull"))),
            ("pairs/latency", loads(3, ("load",))),
        ):
            lines = self.measure(name, sets, 3)
            uuids = {}
            for line in lines:
                first_takes_part = 0 in pair(line)
                self.assertEqual("before" in line, first_takes_part, line)
                unknown = any("only those of GPU 0 are read" in flag for flag in line["flags"])
                self.assertEqual(unknown, not first_takes_part, line)
                for gpu, uuid in zip(pair(line), (line["from_gpu"], line["to_gpu"])):
                    self.assertEqual(uuids.setdefault(gpu, uuid), uuid)
            self.assertEqual(len(set(uuids.values())), 3)
            self.assertEqual(uuids[0], lines[0]["gpu"])

    def test_all_gpus_of_one_to_all_are_named_by_the_one(self):
        (line,) = self.measure("pairs/one_to_all", [{"from": 1, "by": "engine", "bytes": SIZE}], 2)
        self.assertNotEqual(line["from_gpu"], line["gpu"])
        self.assertNotIn("to_gpu", line)
        self.assertIn("before", line)

    def test_a_mirror_is_found_by_the_latency_of_its_pair_and_by_no_other(self):
        lines = self.measure("pairs/latency", loads(3), 3, ["peer 2 1 mirrored"])
        self.assertEqual({pair(line) for line in lines if line["status"] == "wrong"}, {(1, 2)})
        self.assertEqual({line["status"] for line in lines}, {"ok", "wrong"})

    def test_each_gpu_copies_to_the_one_half_the_machine_away(self):
        for fault, wrong in (((0, 2), True), ((3, 1), True), ((0, 1), False), ((2, 3), False)):
            sets = [{"by": "push", "bytes": SIZE}]
            (line,) = self.measure("pairs/halves", sets, 4, ["peer %d %d lost" % fault])
            self.assertEqual(line["status"], "wrong" if wrong else "ok", line)
        self.assertAlmostEqual(rate(line) / 4e10, 1, delta=0.02)
        (line,) = self.measure("pairs/halves", [{"by": "engine", "bytes": SIZE}], 3)
        self.assertAlmostEqual(rate(line) / 3e10, 1, delta=0.02)

    def test_with_access_switched_off_copies_go_through_the_host(self):
        off = [{**each, "access": "off"} for each in copies(2)]
        by_turns = [each for pair in zip(off, copies(2)) for each in pair]
        host = {"host_to_device_bytes_per_second": 2 * 10**9, "device_to_host_bytes_per_second": 4 * 10**9}
        for line in self.measure("pairs/copy", by_turns, 2, figures=host):
            parameters = line["parameters"]
            if parameters["access"] == "on":
                self.assertAlmostEqual(rate(line) / 1e10, 1, delta=0.02)
            elif parameters["by"].startswith("engine"):
                self.assertAlmostEqual(rate(line) / 2e9, 1, delta=0.02)
                self.assertTrue(any("through the host" in flag for flag in line["flags"]))
            else:
                self.assertEqual((line["status"], "access=on" in line["check"]), ("skipped", True), line)
        (line,) = self.measure("pairs/copy", off[:1], 2, peer_access=False)
        self.assertEqual((line["status"], "no peer access that" in line["check"]), ("skipped", True), line)

    def test_nvlink_counts_what_goes_over_it(self):
        links = {"nvlinks": 18}
        sets = copies(2) + [{**each, "access": "off"} for each in copies(2, ("engine",))]
        for line in self.measure("pairs/copy", sets, 2, figures=links):
            on = line["parameters"]["access"] == "on"
            self.assertIn(
                f"NVLink counted {'these bytes, over 18 links' if on else 'none of these bytes'}", line["flags"]
            )
        for name, given, senders in (("halves", {}, 4), ("all_to_one", {"to": 0}, 3), ("one_to_all", {"from": 0}, 1)):
            (line,) = self.measure(f"pairs/{name}", [{**given, "by": "push", "bytes": SIZE}], 4, figures=links)
            self.assertIn(f"NVLink counted these bytes, over {18 * senders} links", line["flags"])
        for name, parameters, figures in (
            ("pairs/copy", copies(2)[0], {}),
            ("pairs/copy", {**copies(2)[0], "bytes": 64}, links),
            (TWO, {"by": "engine", "bytes": SIZE}, links),
        ):
            (line,) = self.measure(name, [parameters], 2, figures=figures)
            self.assertEqual(
                line["flags"],
                ["the time is of 64 copies in a row"],
                "without NVLink, of few bytes, and within a GPU nothing is said of it",
            )

    def test_two_copies_within_a_gpu_share_its_memory(self):
        sets = [{"by": by, "bytes": SIZE} for by in ("engine", "kernel")]
        figures = {"device_to_device_bytes_per_second": 10**9, "memory_clock_khz": 1000, "memory_bus_bits": 1000}
        for line, expected in zip(self.measure(TWO, sets, 1, figures=figures), (1e9, 125e6)):
            self.assertEqual(line["bytes_one_way"], 2 * COPIES * SIZE)
            self.assertAlmostEqual(rate(line) / expected, 1, delta=0.02)
        lines = self.measure(TWO, [*sets, {"by": "push", "bytes": SIZE}], 1, preload=[self.forgetful])
        self.assertEqual([line["status"] for line in lines], ["wrong", "ok", "skipped"])
        self.assertIn("GPU 0 to GPU 0: byte %d of %d" % (SIZE - 1, SIZE), lines[0]["check"])

    def test_latency_is_that_of_the_link(self):
        links = [{"from": 1, "to": 2, "latency_ns": 5000}]
        for line in self.measure("pairs/latency", loads(3), 3, links=links):
            expected = 5e-6 if pair(line) == (1, 2) else 1e-6
            self.assertEqual(line["status"], "ok", line)
            self.assertAlmostEqual(min(line["samples"]) / expected, 1, delta=0.02)

    def test_multicast_reaches_all_gpus_over_the_link_of_each_sender(self):
        sets = [{"bytes": SIZE, "senders": senders} for senders in ("one", "all")]
        for count in (2, 3):
            for line in self.measure("pairs/multicast", sets, count, attributes=MULTICAST):
                senders = 1 if line["parameters"]["senders"] == "one" else count
                self.assertEqual((line["status"], line["clock"]), ("ok", "device"), line)
                self.assertEqual(line["bytes_one_way"], COPIES * senders * SIZE)
                self.assertEqual(line["bytes_touched"], (1 + count) * line["bytes_one_way"])
                self.assertAlmostEqual(rate(line) / (senders * 1e10), 1, delta=0.02)

    def test_multicast_is_skipped_with_its_reason(self):
        for given, attributes, why in (
            ({}, None, "the driver says that GPU 0 has no multicast"),
            ({"bytes": 24}, MULTICAST, "bytes must be a multiple of 16, not 24"),
            ({"senders": "two"}, MULTICAST, "senders must be one of one, all, not two"),
            ({"bytes": 1 << 40}, MULTICAST, "of the memory of GPU 0 are needed"),
        ):
            sets = [{"bytes": SIZE, "senders": "one", **given}]
            (line,) = self.measure("pairs/multicast", sets, 2, attributes=attributes)
            self.assertEqual(line["status"], "skipped", line)
            self.assertIn(why, line["check"])

    def test_multicast_that_misses_a_gpu_is_wrong(self):
        sets = [{"bytes": SIZE, "senders": "all"}]
        (line,) = self.measure("pairs/multicast", sets, 2, ["peer 1 0 lost"], attributes=MULTICAST)
        self.assertEqual(line["status"], "wrong", line)
        self.assertRegex(line["check"], "GPU 0: byte .* from GPU 1 differs")

    def test_without_peer_access_kernels_are_skipped_and_copies_flagged(self):
        for line in self.measure("pairs/copy", copies(2), 2, peer_access=False):
            if line["parameters"]["by"].startswith("engine"):
                self.assertEqual(line["status"], "ok", line)
                self.assertTrue(any("through the host" in flag for flag in line["flags"]))
            else:
                self.assertEqual(line["status"], "skipped")

    def test_without_peer_access_few_copies_are_queued_at_once(self):
        sets = [{"bytes": 4096, "by": "engine"}]
        (direct,) = self.measure("copy/device_to_device/peer", sets, 2)
        (staged,) = self.measure("copy/device_to_device/peer", sets, 2, peer_access=False)
        self.assertEqual((direct["status"], staged["status"]), ("ok", "ok"))
        self.assertGreater(direct["batch"], 8)
        self.assertLessEqual(staged["batch"], 8, "the driver queues each in many pieces")

    def test_wrong_gpus_are_skipped_with_their_reason(self):
        for given, reason in (((0, 0), "no peer of itself"), ((0, 5), "between 0 and 1")):
            sets = [{"from": given[0], "to": given[1], "by": "push", "ways": "one", "access": "on", "bytes": SIZE}]
            (line,) = self.measure("pairs/copy", sets, 2)
            self.assertEqual(line["status"], "skipped")
            self.assertIn(reason, line["check"])

    def test_bench_measures_the_pairs_of_the_machine_and_prints_a_matrix(self):
        environment = {**os.environ, "XDG_STATE_HOME": str(self.folder / "state"), "NO_COLOR": "1"}
        words = ["bench", "pairs/copy", "--simulate", "3x1GiB", "--quick", "ways=one", "by=engine", "bytes=64KiB"]
        done = subprocess.run(
            [self.program, *words, "--output", str(self.folder)],
            capture_output=True,
            text=True,
            env=environment,
            timeout=300,
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("from \\ to", done.stdout)
        (file,) = self.folder.glob("*.jsonl")
        lines = [json.loads(line) for line in file.read_text().splitlines()]
        self.assertEqual({pair(line) for line in lines if line["kind"] == "measurement"}, set(ordered(3)))


if __name__ == "__main__":
    main()
