#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""Tests copy/*/node on simulated GPUs and made-up NUMA nodes. Arguments: tocuda-cuda-simulated, tocuda-cuda, tocuda,
the folder of the simulated runtime, a library that makes up nodes."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "simulator"))
import simulated_gpus  # noqa: E402

NAMES = "copy/host_to_device/node", "copy/device_to_host/node"
BOTH = "engine", "kernel"


def sets(by=BOTH, nodes=("near", "far")):
    return [{"bytes": 1 << 20, "by": way, "node": node} for way in by for node in nodes]


class Node(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def measure(self, name, asked, nodes="0-1", worker=None):
        (self.folder / "node0").mkdir(exist_ok=True)
        (self.folder / "node0" / "distance").write_text("10 20\n")
        for said in ("has_memory", "has_cpu", "online"):
            (self.folder / said).write_text(nodes + "\n")
        rates = {f"{way}_bytes_per_second": 10**10 for way in ("host_to_device", "device_to_host")}
        gpu = simulated_gpus.profile(memory_bytes=1 << 30, call_ns=100, copy_latency_ns=0, kernel_ns=0, **rates)
        simulation = self.folder / "simulation"
        simulated_gpus.write_simulation(TOCUDA, simulation, gpu)
        return simulated_gpus.measured(
            worker or SIMULATED, LIBRARIES, simulation, name, asked, [TWO_NODES], TWO_NODES=str(self.folder)
        )

    def test_both_nodes_are_copied_by_the_engine_and_by_a_kernel(self):
        for name in NAMES:
            for line in self.measure(name, sets()):
                self.assertEqual((line["status"], line["clock"]), ("ok", "device"), line)
                self.assertIn("NUMA node 0" if line["parameters"]["node"] == "near" else "NUMA node 1", line["flags"])
                rate = line["bytes_one_way"] / line["samples"][0]
                self.assertAlmostEqual(rate / 1e10, 1, delta=0.1, msg=line["parameters"])

    def test_a_kernel_that_does_not_run_is_wrong(self):
        for name in NAMES:
            [kernel] = self.measure(name, sets(by=["kernel"], nodes=["near"]), worker=REAL)
            self.assertNotEqual(kernel["status"], "ok", kernel)
            self.assertEqual(kernel["samples"], [])

    def test_what_cannot_be_measured_is_skipped_with_its_reason(self):
        for name in NAMES:
            for line in self.measure(name, sets(), nodes="0"):
                self.assertEqual(line["check"], "two NUMA nodes with memory are needed; there is 1")
            for line, why in zip(
                self.measure(name, sets(by=["hand"], nodes=["near"]) + sets(by=["kernel"], nodes=["next"])),
                ("by must be one of engine, kernel, not hand", "node must be one of near, far, not next"),
            ):
                self.assertEqual((line["status"], line["check"]), ("skipped", why))


SIMULATED, REAL, TOCUDA, LIBRARIES, TWO_NODES = sys.argv[1:6]
if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
