# tocuda, Apache-2.0.
"""Tests of benchmarks that need several simulated GPUs. Their arguments: tocuda-cuda-simulated, tocuda, the folder of
the simulated runtime, and the libraries whose copies omit their last byte and whose managed pages stay on the host."""

import itertools
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "simulator"))
import simulated_gpus  # noqa: E402

SIZE = 1 << 20
KNOWN = {"memory_bytes": 1 << 30, "peer_bytes_per_second": 10**10, "peer_latency_ns": 1000}
KNOWN |= {"copy_latency_ns": 0, "copy_row_ns": 0, "kernel_ns": 0, "call_ns": 0}


def ordered(count):
    return list(itertools.permutations(range(count), 2))


def rate(line):
    return line["bytes_one_way"] / min(line["samples"])


def pair(line):
    return line["parameters"]["from"], line["parameters"]["to"]


class SeveralGpus(unittest.TestCase):
    worker = program = libraries = forgetful = staying = None  # the arguments

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def measure(self, name, sets, count, faults=(), preload=(), figures=None, attributes=None, **machine):
        path = str(self.folder / "simulation")
        gpu = simulated_gpus.profile(**{**KNOWN, **(figures or {})})
        if machine:
            gpu["machine"] = machine
        if attributes:
            gpu["attributes"] = attributes
        simulated_gpus.write_simulation(self.program, path, gpu, count, faults)
        lines = simulated_gpus.measured(self.worker, self.libraries, path, name, sets, preload=preload)
        self.assertEqual([line["parameters"] for line in lines], list(sets))
        return lines


def main():
    if len(sys.argv) < 6:
        print("this build has no simulated runtime")
        sys.exit(77)
    names = "worker", "program", "libraries", "forgetful", "staying"
    for name, argument in zip(names, sys.argv[1:6]):
        setattr(SeveralGpus, name, argument)
    sys.exit(unittest.main(argv=sys.argv[:1]))
