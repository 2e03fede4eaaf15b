#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""Tests collectives/ on simulated GPUs. Arguments: tocuda-cuda-simulated, tocuda-cuda, tocuda, the folder of the
simulated runtime with its NCCL, a libnccl.so.2 that does nothing."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "simulator"))
import simulated_gpus  # noqa: E402

SIZE = 1 << 20
LINK = 10**10
# What each GPU sends over its link for each byte, with three of them, as nccl-tests counts.
IN_PARTS = ("reduce_scatter", "all_gather", "all_to_all", "gather", "scatter")
BUS = {"all_reduce": 4 / 3, **{name: 2 / 3 for name in IN_PARTS}}
NAMES = (*BUS, "broadcast", "reduce", "send_receive")


def sets_of(name, *sizes):
    reduces = "reduce" in name
    types = [{"type": one} for one in ("float", "bfloat16")] if reduces else [{}]
    return [{"bytes": size, **one} for size in sizes for one in types]


class Collectives(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def measure(self, name, sets, gpus=3, worker=None, machine=None, **variables):
        figures = {"memory_bytes": 1 << 30, "peer_bytes_per_second": LINK, "kernel_ns": 0, "call_ns": 100}
        profile = simulated_gpus.profile(**figures, host_to_device_bytes_per_second=LINK // 4)
        simulation = self.folder / "simulation"
        simulated_gpus.write_simulation(TOCUDA, simulation, {**profile, "machine": machine or {}}, gpus)
        measured = simulated_gpus.measured
        name = name if "/" in name else f"collectives/{name}"
        return measured(worker or SIMULATED, LIBRARIES, simulation, name, sets, **variables)

    def test_all_are_right_and_counted_as_nccl_tests_does(self):
        for name in NAMES:
            for line in self.measure(name, sets_of(name, 3 << 18)):
                self.assertEqual((line["status"], line["clock"]), ("ok", "device"), line)
                self.assertEqual(line["bytes_one_way"], 3 << 18)
                self.assertEqual(line["bytes_touched"], round(BUS.get(name, 1) * (3 << 18)), line)
                self.assertAlmostEqual(line["bytes_touched"] / line["samples"][0] / LINK, 1, delta=0.02, msg=name)

    def test_a_narrow_link_of_the_ring_and_missing_peer_access_are_seen(self):
        for name in NAMES:
            ends = {"from": 0, "to": 2} if name == "scatter" else {"from": 2, "to": 0}
            narrow = {"links": [{**ends, "bytes_per_second": LINK // 4}]}
            for machine in (narrow, {"peer_access": False}):
                [line] = self.measure(name, sets_of(name, 3 << 18)[:1], machine=machine)
                self.assertEqual(line["status"], "ok", line)
                rate = line["bytes_touched"] / line["samples"][0]
                self.assertLess(rate, LINK / 2, (name, machine))

    def test_all_ranks_are_timed_from_when_the_first_begins(self):
        for name in NAMES:
            for line in self.measure(name, sets_of(name, 3 << 18)):
                ranks = line["ranks"]
                self.assertEqual(ranks["of"], 3)
                self.assertLessEqual(ranks["mean"], ranks["slowest"] * (1 + 1e-9))
                self.assertAlmostEqual(ranks["slowest"] / line["samples"][0], 1, delta=0.02, msg=name)

    def test_a_few_bytes_and_two_to_sixteen_gpus(self):
        for name in NAMES:
            for gpus in (2, 8, 16):
                for line in self.measure(name, sets_of(name, 4 * gpus), gpus):
                    self.assertEqual(line["status"], "ok", line)

    def test_the_version_of_nccl_is_recorded(self):
        [line] = self.measure("all_gather", [{"bytes": 12}])
        self.assertRegex(" ".join(line["flags"]), r"NCCL 2\.\d+\.\d+, 3 GPUs")

    def test_an_nccl_that_does_nothing_is_wrong(self):
        for name in NAMES:
            for line in self.measure(name, sets_of(name, SIZE), 2, LD_LIBRARY_PATH=f"{IDLE.parent}:{LIBRARIES}"):
                self.assertEqual((line["status"], line["samples"]), ("wrong", []), line)
                self.assertIn("GPU 0: byte 0 of", line["check"])
                self.assertIn("NCCL 1.23.45, 2 GPUs", line["flags"])

    def test_checks_that_do_not_run_find_that(self):
        for line in self.measure("all_reduce", sets_of("all_reduce", SIZE), worker=REAL):
            self.assertIn(line["status"], ("wrong", "failed"), line)

    def test_a_kernel_on_every_gpu_outlasts_what_is_timed(self):
        sets = [{"bytes": 3 << 18, "type": "float", "beside": beside} for beside in ("nothing", "compute")]
        alone, beside = self.measure("busy/all_reduce", sets)
        for line in (alone, beside):
            self.assertEqual((line["status"], line["clock"]), ("ok", "device"), line)
            self.assertNotIn("load_ended_early", line["flags"])
        self.assertEqual(len(alone["samples"]), len(beside["samples"]))
        idle = self.measure("busy/all_reduce", sets, LD_LIBRARY_PATH=f"{IDLE.parent}:{LIBRARIES}")
        self.assertEqual([line["status"] for line in idle], ["wrong", "wrong"])

    def test_what_cannot_be_measured_is_skipped_with_its_reason(self):
        for name, given, gpus, why in [
            ("broadcast", {"bytes": SIZE}, 1, "2 GPUs are needed; there is 1"),
            ("all_gather", {"bytes": 8}, 3, "bytes must be a multiple of 12, not 8"),
            ("send_receive", {"bytes": 0}, 2, "bytes must be a multiple of 4, not 0"),
            ("all_reduce", {"bytes": 3, "type": "bfloat16"}, 2, "bytes must be a multiple of 2, not 3"),
            (
                "busy/all_reduce",
                {"bytes": 8, "type": "float", "beside": "music"},
                2,
                "beside must be one of nothing, compute, not music",
            ),
            ("all_reduce", {"bytes": 8, "type": "half"}, 2, "type must be one of float, bfloat16, not half"),
        ]:
            [line] = self.measure(name, [given], gpus)
            self.assertEqual((line["status"], line["check"]), ("skipped", why))
        [line] = self.measure("broadcast", [{"bytes": 1 << 40}])
        self.assertEqual(line["status"], "skipped")
        self.assertIn("of the memory of GPU 0 are needed", line["check"])

    def test_without_nccl_it_says_so(self):
        alone = self.folder / "alone"
        alone.mkdir()
        for library in Path(LIBRARIES).iterdir():
            if library.name != IDLE.name:
                (alone / library.name).symlink_to(library.resolve())
        (alone / IDLE.name).write_text("no library")
        [line] = self.measure("all_reduce", sets_of("all_reduce", SIZE)[:1], LD_LIBRARY_PATH=str(alone))
        self.assertEqual(line["status"], "skipped", line)
        self.assertIn("NCCL is needed; libnccl.so.2 ", line["check"])


if __name__ == "__main__":
    if len(sys.argv) < 6:
        print("this build has no simulated NCCL")
        sys.exit(77)
    SIMULATED, REAL, TOCUDA, LIBRARIES = sys.argv[1:5]
    IDLE = Path(sys.argv[5])
    sys.exit(unittest.main(argv=sys.argv[:1]))
