#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""Tests the load path on a simulated GPU: what is read of the file and from where, and that a page cache that lies is
found out.

Arguments: tocuda-cuda-simulated, tocuda, the folder of the simulated runtime, and the library whose page cache lies."""

import os
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "simulator"))
import simulated_gpus  # noqa: E402

SIZE = 9 << 20


def a_set(by, cache="warm", threads=1, place="TMPDIR", size=SIZE):
    return {"bytes": size, "by": by, "cache": cache, "place": place, "threads": threads}


COLD = [a_set("mapped", "cold"), a_set("read", "cold"), a_set("read_ring", "cold", 3), a_set("direct_ring", "cold", 2)]
WARM = [a_set("mapped"), a_set("mapped_ring", threads=2), a_set("read"), a_set("read_ring", threads=4)]


def blocks(by="read", cache="warm", block=4096, order="random", threads=3, size=1 << 20):
    return {"block": block, "by": by, "bytes": size, "cache": cache, "order": order, "threads": threads}


def saved(by, until="synced", threads=1, size=SIZE):
    return {"by": by, "bytes": size, "threads": threads, "until": until}


def saved_blocks(by="write", until="synced", block=4096, order="random", threads=3, size=1 << 20):
    return {"block": block, "by": by, "bytes": size, "order": order, "threads": threads, "until": until}


class Load(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.files = self.folder / "files"
        self.files.mkdir()
        self.simulation = str(self.folder / "simulation")
        self.simulate()

    def simulate(self, **figures):
        gpu = simulated_gpus.profile(memory_bytes=1 << 30, call_ns=10_000, copy_latency_ns=2000, **figures)
        simulated_gpus.write_simulation(TOCUDA, self.simulation, gpu)

    def measure(self, name, sets, preload=(), **variables):
        variables = {"TMPDIR": str(self.files), **variables}
        lines = simulated_gpus.measured(WORKER, FAKES, self.simulation, name, sets, preload, **variables)
        self.assertEqual(list(self.files.iterdir()), [])
        return lines

    def require_a_disk(self):
        (line,) = self.measure("load/file", COLD[:1])
        if line["status"] == "skipped":
            self.skipTest(line["check"])

    def test_a_warm_file_arrives_by_every_way(self):
        for line in self.measure("load/file", WARM + [a_set("read", place="shared_memory")]):
            with self.subTest(**line["parameters"]):
                self.assertEqual(line["status"], "ok", line)
                self.assertEqual(line["bytes_one_way"], SIZE)
                self.assertTrue(all(each > 0 for each in line["samples"]))

    def test_a_cold_file_arrives_by_every_way(self):
        self.require_a_disk()
        for line in self.measure("load/file", COLD + [a_set("read", "cold", size=4096)]):
            with self.subTest(**line["parameters"]):
                self.assertEqual(line["status"], "ok", line)

    def test_a_cold_row_says_that_the_disk_is_virtual_and_a_warm_one_does_not(self):
        self.require_a_disk()
        device = os.stat(self.files).st_dev
        name = f"/sys/dev/block/{os.major(device)}:{os.minor(device)}"
        if "/virtio" not in os.path.realpath(name):
            self.skipTest("the disk is no virtio disk")
        for benchmark, sets in (("load/file", [COLD[1], WARM[2]]), ("load/blocks", [blocks(cache="cold"), blocks()])):
            cold, warm = self.measure(benchmark, sets)
            self.assertTrue([flag for flag in cold["flags"] if "is virtual" in flag], cold)
            self.assertFalse([flag for flag in warm.get("flags", []) if "virtual" in flag], warm)

    def test_mapped_pages_that_the_gpu_accesses_are_never_cold(self):
        self.require_a_disk()
        self.simulate(pageable_memory_access=1)
        mapped, read = self.measure("load/file", [a_set("mapped", "cold"), a_set("read", "cold")])
        self.assertEqual(mapped["status"], "skipped", mapped)
        self.assertIn("the GPU accesses mapped pages by itself", mapped["check"])
        self.assertEqual(read["status"], "ok", read)

    def test_shared_memory_is_never_cold(self):
        (line,) = self.measure("load/file", [a_set("read", "cold", place="shared_memory")])
        self.assertEqual(line["status"], "skipped")
        self.assertIn("tmpfs", line["check"])

    def test_what_is_not_measured_is_skipped_with_its_reason(self):
        for given, reason in (
            (a_set("direct_ring"), "cache=cold"),
            (a_set("mapped", threads=2), "only a ring"),
            (a_set("read", size=1000), "multiple of 4096"),
            (a_set("read", size=1 << 50), "are needed"),
        ):
            (line,) = self.measure("load/file", [given])
            self.assertEqual(line["status"], "skipped", given)
            self.assertIn(reason, line["check"])

    def test_a_page_cache_that_lies_fails_cold_rows_and_no_others(self):
        self.require_a_disk()
        for lie, reason in (("", "were in the page cache"), ("mincore", "bytes were read from a disk")):
            lines = self.measure("load/file", COLD[:3] + WARM, preload=[LYING], LYING_CACHE=lie)
            for line in lines:
                with self.subTest(lie, **line["parameters"]):
                    cold = line["parameters"]["cache"] == "cold"
                    self.assertEqual(line["status"], "failed" if cold else "ok", line)
                    if cold:
                        self.assertIn(reason, line["check"])

    def test_blocks_arrive_in_every_order_and_size(self):
        sets = [blocks(order=order, block=block, size=2 << 20) for order in ("random", "sequential")
                for block in (4096, 64 << 10, 1 << 20)]  # fmt: skip
        for line in self.measure("load/blocks", [*sets, blocks(threads=1), blocks(size=4096)]):
            with self.subTest(**line["parameters"]):
                self.assertEqual(line["status"], "ok", line)
                self.assertEqual(line["bytes_one_way"], line["parameters"]["bytes"])
                self.assertTrue(all(each > 0 for each in line["samples"]))

    def test_cold_blocks_come_from_the_disk(self):
        self.require_a_disk()
        sets = [blocks(by, "cold", order=order, size=4 << 20) for by in ("read", "direct")
                for order in ("random", "sequential")]  # fmt: skip
        for line in self.measure("load/blocks", sets):
            self.assertEqual(line["status"], "ok", line)
        for lie, reason in (("", "were in the page cache"), ("mincore", "bytes were read from a disk")):
            for line in self.measure("load/blocks", [sets[0], blocks()], preload=[LYING], LYING_CACHE=lie):
                cold = line["parameters"]["cache"] == "cold"
                self.assertEqual(line["status"], "failed" if cold else "ok", line)
                if cold:
                    self.assertIn(reason, line["check"])

    def test_what_the_gpu_holds_is_saved_by_every_way(self):
        self.require_a_disk()
        ways = [saved("write"), saved("write_ring", threads=3), saved("direct_ring", threads=2)]
        sets = [*ways, *({**each, "until": "written"} for each in ways), saved("direct_ring", size=4096)]
        for line in self.measure("save/file", sets):
            with self.subTest(**line["parameters"]):
                self.assertEqual(line["status"], "ok", line)
                self.assertEqual(line["bytes_one_way"], line["parameters"]["bytes"])
                self.assertTrue(all(each > 0 for each in line["samples"]))

    def test_blocks_are_saved_in_every_order_and_size(self):
        self.require_a_disk()
        sets = [saved_blocks(by, until, order=order) for by in ("write", "direct")
                for until in ("written", "synced") for order in ("random", "sequential")]  # fmt: skip
        sets += [saved_blocks(block=block, size=4 << 20, threads=threads) for block in (64 << 10, 1 << 20)
                 for threads in (1, 8)]  # fmt: skip
        for line in self.measure("save/blocks", [*sets, saved_blocks(size=4096)]):
            with self.subTest(**line["parameters"]):
                self.assertEqual(line["status"], "ok", line)
                self.assertEqual(line["bytes_one_way"], line["parameters"]["bytes"])
                self.assertTrue(all(each > 0 for each in line["samples"]))

    def test_a_file_that_stays_in_the_page_cache_is_not_saved(self):
        self.require_a_disk()
        for name, asked in (("save/file", saved), ("save/blocks", saved_blocks)):
            synced, written = self.measure(
                name, [asked("write"), asked("write", "written")], preload=[LYING], LYING_CACHE=""
            )
            self.assertEqual(synced["status"], "wrong", synced)
            self.assertIn("stayed in the page cache", synced["check"])
            self.assertEqual(written["status"], "ok", written)

    def test_a_block_that_is_lost_or_strays_is_found(self):
        self.require_a_disk()
        for lie, wrong in (
            ("lost", "differs from the reference"),
            ("astray", "differs from the reference|was changed"),
        ):
            for by in ("write", "direct"):
                sets = [saved_blocks(by, until, order=order) for until in ("written", "synced")
                        for order in ("random", "sequential")]  # fmt: skip
                for line in self.measure("save/blocks", sets, preload=[LYING], LYING_CACHE=lie):
                    self.assertEqual(line["status"], "wrong", line)
                    self.assertRegex(line["check"], wrong)

    def test_blocks_and_saved_files_that_are_not_measured_say_why(self):
        for name, given, reason in (
            ("load/blocks", blocks("direct"), "cache=cold"),
            ("load/blocks", blocks(block=1000), "block must be one of 4096, 8192,"),
            ("load/blocks", blocks(block=12288, size=12288), "block must be one of 4096, 8192,"),
            ("load/blocks", blocks(block=8192, size=12288), "multiple of the block"),
            ("load/blocks", blocks(size=4097), "and a multiple of 4096, not 4097"),
            ("load/blocks", blocks(order="backwards"), "order must be one of sequential, random"),
            ("load/blocks", blocks(size=1 << 49), "are needed"),
            ("load/blocks", blocks(threads=0), "threads must be between 1 and 256"),
            ("save/file", saved("write", threads=2), "only a ring"),
            ("save/file", saved("mapped"), "by must be one of write, direct_ring, write_ring"),
            ("save/file", saved("write", "later"), "until must be one of written, synced"),
            ("save/file", saved("write", size=1000), "multiple of 4096"),
            ("save/file", saved("write", size=1 << 50), "are needed|set TMPDIR"),
            ("save/blocks", saved_blocks("direct_ring"), "by must be one of write, direct, not direct_ring"),
            ("save/blocks", saved_blocks(until="later"), "until must be one of written, synced"),
            ("save/blocks", saved_blocks(order="backwards"), "order must be one of sequential, random"),
            ("save/blocks", saved_blocks(block=1000), "block must be one of 4096, 8192,"),
            ("save/blocks", saved_blocks(block=8192, size=12288), "multiple of the block"),
            ("save/blocks", saved_blocks(threads=257), "threads must be between 1 and 256"),
            ("save/blocks", saved_blocks(size=1 << 49), "are needed|set TMPDIR"),
        ):
            (line,) = self.measure(name, [given])
            self.assertEqual(line["status"], "skipped", given)
            self.assertRegex(line["check"], reason)

    def test_a_file_in_memory_is_not_saved(self):
        if not pathlib.Path("/dev/shm").is_dir():
            self.skipTest("there is no /dev/shm")
        for name, given in (("save/file", saved("write")), ("save/blocks", saved_blocks())):
            lines = simulated_gpus.measured(WORKER, FAKES, self.simulation, name, [given], TMPDIR="/dev/shm")
            self.assertEqual(lines[0]["status"], "skipped")
            self.assertIn("tmpfs", lines[0]["check"])

    def test_tensors_arrive_by_every_way_and_batches_cost_one_call(self):
        ways = ("pageable", "one"), ("pageable", "loop"), ("pinned", "one"), ("pinned", "loop")
        ways += ("pinned", "batch"), ("pinned", "gather"), ("pageable", "gather")
        sets = [{"bytes": 1 << 20, "by": by, "count": 100, "memory": memory} for memory, by in ways]
        lines = dict(zip(ways, self.measure("load/tensors", sets)))
        self.assertEqual(lines["pageable", "gather"]["status"], "skipped")
        for way in ways[:-1]:
            self.assertEqual(lines[way]["status"], "ok", lines[way])
            self.assertEqual(lines[way]["bytes_one_way"], 100 * ((1 << 20) // 100 // 256 * 256))
        seconds = {by: min(lines["pinned", by]["samples"]) for by in ("one", "loop", "batch")}
        self.assertLess(seconds["one"], seconds["batch"])
        self.assertLess(seconds["batch"], seconds["loop"])

    def look_at_huge_pages(self, kind):
        sets = [{"bytes": 8 << 20, "by": by} for by in ("copy", "ring")]
        lines = self.measure(f"load/{kind}_huge_pages", sets)
        skipped = [line for line in lines if line["status"] == "skipped"]
        for line in skipped:
            self.assertIn(f"{kind} huge pages are needed", line["check"])
        if skipped:
            self.skipTest(skipped[0]["check"])
        self.assertEqual([line["status"] for line in lines], ["ok", "ok"], lines)

    def test_transparent_huge_pages_are_copied(self):
        self.look_at_huge_pages("transparent")

    def test_reserved_huge_pages_are_copied(self):
        self.look_at_huge_pages("reserved")


if __name__ == "__main__":
    if len(sys.argv) < 5:
        print("this build has no simulated runtime")
        sys.exit(77)
    WORKER, TOCUDA, FAKES, LYING = sys.argv[1:5]
    sys.exit(unittest.main(argv=sys.argv[:1]))
