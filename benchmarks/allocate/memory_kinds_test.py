#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""Tests the kinds of memory that few programs use, on simulated GPUs. Arguments: tocuda-cuda-simulated, tocuda-cuda,
tocuda, the folder of the simulated runtime, the library whose copies omit their last byte, and the one whose driver
has MIG instances."""

import itertools
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "simulator"))
import simulated_gpus  # noqa: E402

MIB = 1 << 20
FIGURES = {"memory_bytes": 1 << 30, "memory_clock_khz": 2000000, "memory_bus_bits": 2000, "call_ns": 1000}
# What a profile must say so that a simulated GPU has these: numbers of CUdevice_attribute.
EXPORTABLE, COMPRESSIBLE, FABRIC = {"103": 1}, {"107": 1}, {"128": 1}


class OnSimulatedGpu(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.simulation = Path(folder.name) / "simulation"

    def measure(self, name, sets, attributes=None, worker=None, faults=(), preload=(), **figures):
        gpu = simulated_gpus.profile("Kinds", **{**FIGURES, **figures})
        gpu["attributes"] = attributes or {}
        simulated_gpus.write_simulation(TOCUDA, self.simulation, gpu, faults=faults)
        return simulated_gpus.measured(worker or SIMULATED, LIBRARIES, self.simulation, name, sets, preload)

    def assert_ok(self, lines):
        for line in lines:
            self.assertEqual(line["status"], "ok", line)
            self.assertTrue(all(each > 0 for each in line["samples"]), line)

    def assert_skipped(self, lines, reason):
        for line in lines:
            self.assertEqual(line["status"], "skipped", line)
            self.assertIn(reason, line["check"])

    def assert_unmeasured(self, line):
        """With a worker whose kernels do not run on simulated GPUs, neither copies nor checks are made."""
        self.assertEqual(line["samples"], [], line)
        self.assertRegex(line["status"] + line["check"], "^wrong|^failedthe check compared only 0 of")


class Virtual(OnSimulatedGpu):
    NAME = "allocate/virtual"

    def sets(self, steps=("create", "map", "access", "all"), handle="none", compressible="no", size=5 * MIB + 1):
        each = itertools.product([size], steps)
        return [{"bytes": size, "step": step, "handle": handle, "compressible": compressible} for size, step in each]

    def test_each_step_costs_its_calls(self):
        lines = self.measure(self.NAME, self.sets())
        self.assert_ok(lines)
        microseconds = [round(1e6 * line["samples"][0], 3) for line in lines]
        self.assertEqual(microseconds, [1, 1, 1, 5])

    def test_what_the_driver_denies_is_skipped_with_its_reason(self):
        for kind, reason in [
            (
                {"handle": "file_descriptor"},
                "needs memory that can be shared through a file descriptor; the driver says",
            ),
            ({"handle": "fabric"}, "needs memory that can be shared through a fabric handle; the driver says"),
            ({"compressible": "yes"}, "needs compressible memory; the driver says that this GPU has none"),
        ]:
            self.assert_skipped(self.measure(self.NAME, self.sets(**kind), attributes={"103": 0}), reason)
        self.assert_skipped(self.measure(self.NAME, self.sets(), virtual_memory=0), "virtual memory management")

    def test_a_kind_that_only_cumemcreate_denies_is_skipped_with_the_driver_s_error(self):
        lines = self.measure(self.NAME, self.sets(handle="fabric"), attributes=FABRIC)
        self.assert_skipped(lines, "cuMemCreate: cudaErrorNotSupported")

    def test_kinds_that_the_driver_has_are_measured(self):
        for kind, attributes in [
            ({"handle": "file_descriptor"}, EXPORTABLE),
            ({"compressible": "yes"}, COMPRESSIBLE),
            ({"handle": "file_descriptor", "compressible": "yes"}, {**EXPORTABLE, **COMPRESSIBLE}),
        ]:
            self.assert_ok(self.measure(self.NAME, self.sets(**kind), attributes=attributes))

    def test_memory_that_no_kernel_reached_is_wrong(self):
        for line in self.measure(self.NAME, self.sets(), worker=REAL):
            self.assert_unmeasured(line)

    def test_a_failing_step_fails_its_row_and_names_the_function(self):
        for function in ("cuMemMap", "cuMemSetAccess", "cuMemUnmap"):
            lines = self.measure(self.NAME, self.sets(), faults=[f"{function} 1 2"])
            self.assertEqual([line["status"] for line in lines], ["failed", "ok", "ok", "ok"], lines)
            self.assertEqual(lines[0]["check"][: len(function) + 2], f"{function}: ")


class Compressible(OnSimulatedGpu):
    NAME = "memory/compressible"
    SETS = [
        {"bytes": size, "data": data, "memory": memory}
        for size in (1, 3 * MIB + 5)
        for data in ("random", "zeros")
        for memory in ("plain", "compressible")
    ]

    def test_without_compression_it_is_skipped_with_the_driver_s_reason(self):
        lines = self.measure(self.NAME, self.SETS)
        self.assert_skipped(lines, "needs compressible memory; the driver says that this GPU has none")

    def test_every_copy_is_right_and_only_compressed_zeros_have_no_peak(self):
        lines = self.measure(self.NAME, self.SETS, attributes=COMPRESSIBLE, l2_bytes=MIB)
        self.assert_ok(lines)
        without = [line["parameters"] for line in lines[4:] if "peak_bytes_per_second" not in line]
        self.assertEqual(without, [{"bytes": 3 * MIB + 5, "data": "zeros", "memory": "compressible"}])

    def test_a_copy_that_is_not_made_is_wrong(self):
        for line in self.measure(self.NAME, self.SETS, attributes=COMPRESSIBLE, worker=REAL):
            self.assert_unmeasured(line)


class Oversubscribed(OnSimulatedGpu):
    NAME = "managed/oversubscribed"

    def test_every_pass_reads_all_bytes(self):
        lines = self.measure(self.NAME, [{"bytes": size} for size in (1, 4097, 48 * MIB)], l2_bytes=MIB)
        self.assert_ok(lines)
        self.assertEqual([line["bytes_touched"] for line in lines], [1, 4097, 48 * MIB])
        self.assertTrue(all("peak_bytes_per_second" not in line for line in lines))

    def test_ballast_leaves_two_gibibytes_free(self):
        [line] = self.measure(self.NAME, [{"bytes": 4096}], memory_bytes=5 << 30)
        self.assertEqual((line["status"], line["flags"]), ("ok", ["2147483648 bytes of the GPU's memory left free"]))

    def test_more_than_one_gibibyte_too_much_is_never_tried(self):
        for size, gpu, reason in [
            ((3 << 30) + 1, 5 << 30, "at most 3221225472 bytes of managed memory"),
            (3 << 30, 1 << 30, "2147483648 bytes of the GPU's memory are needed"),
        ]:
            self.assert_skipped(self.measure(self.NAME, [{"bytes": size}], memory_bytes=gpu), reason)

    def test_a_gpu_without_managed_pages_skips_it(self):
        self.assert_skipped(self.measure(self.NAME, [{"bytes": 4096}], managed_memory=0), "this one has none")

    def test_a_pass_that_reads_nothing_is_wrong(self):
        [line] = self.measure(self.NAME, [{"bytes": 4096}], worker=REAL)
        self.assert_unmeasured(line)


class Filled(OnSimulatedGpu):
    def sets(self, filled, steps=("take", "give_back", "both"), sizes=(1, 4097, 5 * MIB + 1)):
        each = itertools.product(sizes, steps, filled)
        return [{"bytes": size, "step": step, "filled": how} for size, step, how in each]

    def test_every_allocation_is_right(self):
        self.assert_ok(self.measure("allocate/managed", self.sets(("no", "by_gpu", "by_host"))))
        self.assert_ok(self.measure("allocate/host", self.sets(("no", "by_host"))))

    def test_what_is_filled_costs_its_pages_too(self):
        figures = {"malloc_ns": 7000, "managed_fault_ns": 10000, "copy_latency_ns": 0, "memset_bytes_per_second": 10**9}
        sets = self.sets(("no", "by_gpu", "by_host"), ("take",), (MIB,))
        lines = self.measure("allocate/managed", sets, **figures)
        alone, by_gpu, by_host = (1e6 * line["samples"][0] for line in lines)
        self.assertAlmostEqual(alone, 1 + 7)
        self.assertAlmostEqual(by_gpu, alone + 1 + 16 * 10 + MIB / 1e3)
        self.assertAlmostEqual(by_host, alone + 16 * 10 + MIB / 1e4)

    def test_a_fill_that_omits_the_last_byte_is_wrong(self):
        lines = self.measure("allocate/managed", self.sets(("by_gpu",)), preload=[FORGETFUL])
        for line in lines:
            self.assertEqual((line["status"], line["samples"]), ("wrong", []), line)
            self.assertIn("does not hold what it was filled with", line["check"])

    def test_managed_memory_that_no_kernel_reached_is_wrong(self):
        for line in self.measure("allocate/managed", self.sets(("no", "by_gpu")), worker=REAL):
            self.assert_unmeasured(line)

    def test_a_gpu_that_moves_all_pages_at_once_has_managed_memory_too(self):
        sets = self.sets(("no", "by_host"))
        self.assert_ok(self.measure("allocate/managed", sets, concurrent_managed_access=0))
        self.assert_skipped(self.measure("allocate/managed", sets, managed_memory=0), "this one has none")

    def test_other_values_are_skipped(self):
        for name, filled, size, reason in [
            ("managed", "no", 2 << 30, "at most 1073741824 bytes are supported"),
            ("host", "by_gpu", 4096, "filled must be one of no, by_host, not by_gpu"),
            ("host", "no", 0, "0 bytes cannot be allocated"),
        ]:
            self.assert_skipped(self.measure(f"allocate/{name}", self.sets((filled,), ("take",), (size,))), reason)


class Managed(OnSimulatedGpu):
    def test_both_directions_are_right_and_take_their_time(self):
        sets = [{"bytes": size, "how": how} for size in (1, 4097, 4 * MIB) for how in ("prefetch", "touch")]
        lines = self.measure("copy/both_ways/managed", sets)
        self.assert_ok(lines)
        self.assertEqual([line["bytes_one_way"] for line in lines], [2 * each["bytes"] for each in sets])
        slow = self.measure("copy/both_ways/managed", sets, device_to_host_bytes_per_second=10**9)
        self.assertTrue(all(one["samples"] < other["samples"] for one, other in zip(lines[2:], slow[2:])))

    def test_a_kernel_that_touches_nothing_is_wrong_both_ways(self):
        [line] = self.measure("copy/both_ways/managed", [{"bytes": 4096, "how": "touch"}], worker=REAL)
        self.assert_unmeasured(line)

    def test_several_threads_touch_every_page(self):
        sets = [{"bytes": size, "how": "touch_by_threads"} for size in (0, 1, 4097, 5 * MIB)]
        lines = self.measure("copy/device_to_host/managed", sets)
        self.assert_ok(lines[1:])
        self.assertEqual({flag for line in lines for flag in line["flags"]}, {"8 threads"})
        lines = self.measure("copy/host_to_device/managed", sets[1:])
        self.assert_skipped(lines, "how must be one of prefetch, touch, advice, not touch_by_threads")

    def test_only_pages_that_move_are_moved_both_ways(self):
        lines = self.measure("copy/both_ways/managed", [{"bytes": 4096, "how": "advice"}])
        self.assert_skipped(lines, "how must be one of prefetch, touch, not advice")


class Coherent(OnSimulatedGpu):
    WAYS = ("host_to_device", "device_to_host")
    # An invented coherent GPU, whose memory is node 0 too.
    FIGURES = {
        "pageable_memory_access": 1,
        "host_to_device_bytes_per_second": 400 * 10**9,
        "device_to_host_bytes_per_second": 300 * 10**9,
        "pageable_bytes_per_second": 20 * 10**9,
    }
    NODE = {"130": 1, "131": 0}

    def sets(self, by=("kernel", "engine"), pages=("small",), node="host", sizes=(64 * MIB,)):
        each = itertools.product(sizes, by, pages)
        return [{"bytes": size, "by": way, "node": node, "pages": page} for size, way, page in each]

    def both_ways(self, sets, **more):
        return [line for way in self.WAYS for line in self.measure(f"coherent/{way}", sets, **more)]

    def test_kernels_use_the_link_and_copies_are_pageable(self):
        lines = self.both_ways(self.sets(), **self.FIGURES)
        self.assert_ok(lines)
        rates = [line["bytes_one_way"] / line["samples"][0] / 1e9 for line in lines]
        for rate, expected in zip(rates, [400, 20, 300, 20]):
            self.assertAlmostEqual(rate / expected, 1, delta=0.05)

    def test_bytes_arrive_from_pages_of_each_kind(self):
        sets = self.sets(pages=("small", "huge"), sizes=(1, 4097, 3 * MIB + 5))
        for line in self.both_ways(sets, **self.FIGURES):
            if line["status"] == "skipped":
                self.assertIn("transparent huge pages are needed", line["check"])
            else:
                self.assert_ok([line])
                self.assertEqual(any("in huge pages" in flag for flag in line["flags"]), "huge" in str(line))

    def test_the_node_of_the_gpu_is_used_if_it_is_one(self):
        for line in self.both_ways(self.sets(node="gpu"), attributes=self.NODE, **self.FIGURES):
            if "mbind" not in line["check"]:  # which some containers refuse
                self.assert_ok([line])
                self.assertIn("NUMA node 0", line["flags"])
        for line in self.both_ways(self.sets(node="gpu"), attributes={**self.NODE, "131": 500}, **self.FIGURES):
            self.assertEqual(line["status"], "failed", line)
            self.assertIn("mbind to node 500", line["check"])
        lines = self.both_ways(self.sets(node="gpu"), **self.FIGURES)
        self.assert_skipped(lines, "needs a GPU whose memory is a NUMA node")

    def test_pages_that_move_are_told_of(self):
        for attributes, told in [({}, True), ({"100": 1}, False)]:
            for line in self.both_ways(self.sets(), attributes=attributes, **self.FIGURES):
                self.assertEqual(any("host's page tables" in flag for flag in line["flags"]), told, line)

    def test_more_than_a_gibibyte_needs_the_hosts_page_tables(self):
        lines = self.both_ways(self.sets(sizes=(2 << 30,)), **self.FIGURES)
        self.assert_skipped(lines, "without the host's page tables")

    def test_other_gpus_skip_it(self):
        self.assert_skipped(self.both_ways(self.sets()), "needs a GPU that accesses pageable memory")

    def test_a_copy_that_is_not_made_is_wrong(self):
        lines = self.both_ways(self.sets(by=("kernel",)), worker=REAL, **self.FIGURES)
        for line in lines + self.both_ways(self.sets(by=("engine",)), preload=[FORGETFUL], **self.FIGURES):
            self.assert_unmeasured(line)


class Shared(OnSimulatedGpu):
    def test_rows_of_a_gpu_behind_a_server_say_so(self):
        for attributes, flags in [({}, []), ({"133": 1}, ["mps_server"])]:
            [line] = self.measure("copy/host_to_device/pinned", [{"bytes": MIB}], attributes=attributes)
            self.assertEqual((line["status"], line["flags"]), ("ok", flags))

    def test_rows_of_an_instance_have_its_uuid_and_a_flag(self):
        [line] = self.measure("copy/host_to_device/pinned", [{"bytes": MIB}], preload=[MIG])
        self.assertEqual((line["status"], line["flags"]), ("ok", ["mig_instance"]))
        self.assertRegex(line["gpu"], "^MIG-.*5a$")


SIMULATED, REAL, TOCUDA, LIBRARIES, FORGETFUL, MIG = sys.argv[1:7]
if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
