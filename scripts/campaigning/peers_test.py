#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""Peers: how they are built and run, and the table of their numbers beside ours."""

import json
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from campaigning import peers  # noqa: E402
from campaigning.tests.tiny_campaign import OTHER, TinyCampaign, program  # noqa: E402

BABELSTREAM = """BabelStream
phase,n_elements,sizeof,max_mbytes_per_sec,runtime
Init,134217728,8,100,1
function,num_times,n_elements,sizeof,max_mbytes_per_sec,min_runtime,max_runtime,avg_runtime
Copy,100,134217728,8,4000000,0.0006,0.0007,0.00065
"""
# A compiler whose programs print their own name.
COMPILER = OTHER.replace(
    "behave\n",
    """behave
while [ "$1" != -o ]; do shift; done
printf '#!/bin/sh\\necho %s speaks\\n' "$(basename "$2")" >"$2"
chmod +x "$2"
""",
    1,
)


class Table(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.recorded = Path(folder.name)

    def write(self, name, text):
        file = self.recorded / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def rows(self, size, *samples, variant=0):
        row = {"kind": "measurement", "benchmark": "copy/device_to_device/best", "status": "ok", "id": variant}
        sizes = {"bytes_one_way": size, "bytes_touched": 2 * size}
        return "".join(json.dumps({**row, **sizes, "samples": one}) + "\n" for one in samples)

    def test_line_says_what_is_compared(self):
        self.write("peers/babelstream.txt", BABELSTREAM)
        slower = self.rows(peers.GIB, [9], [9], variant=1)
        other_size = self.rows(4 * peers.GIB, [1e-6])
        ours = self.rows(peers.GIB, [1e-3], [peers.GIB / 2e12, 9, 9], [peers.GIB / 1e12] * 3)
        self.write("results/rounds/a.jsonl", slower + other_size + ours + '{"kind": "measurement", "torn')
        [head, line] = peers.lines(self.recorded)
        self.assertIn("GB/s at 1 GiB", head)
        self.assertEqual(
            line.split(),
            "babelstream Copy 4000.0 best of 100 2000.0 4000.0 copy/device_to_device/best, touched".split(),
        )

    def test_output_of_each_peer_is_parsed_and_what_is_no_output_is_not(self):
        cases = [{"name": "host_to_device_memcpy_ce", "sum": 55.6}, {"name": "device_local_copy", "status": "Waived"}]
        self.write("peers/nvbandwidth.txt", "a warning\n" + json.dumps({"nvbandwidth": {"testcases": cases}}))
        self.write("peers/babelstream.txt", "Segmentation fault")
        [line] = peers.lines(self.recorded)[1:]
        self.assertEqual(line.split()[:3], ["nvbandwidth", "host_to_device_memcpy_ce", "55.6"])


class Built(TinyCampaign):
    def go(self, **environment):
        program(self.place / "cuda/bin/nvcc", COMPILER)
        (self.place / "cuda/lib64/stubs").mkdir(parents=True)
        for name in ("tree/src/cuda/CUDAStream.cu", "tree/src/main.cpp", "needs/include/nvml.h"):
            file = self.folder / "peers/babelstream" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("")
        (self.programs / "CMakeCache.txt").write_text(f"CMAKE_CUDA_COMPILER:FILEPATH={self.place}/cuda/bin/nvcc\n")
        return self.start(*self.only("build", "peers"), "--cores", "16", **environment)

    def test_peer_is_built_and_run_and_its_output_kept(self):
        _, calls, said = self.go()
        [built] = [call for call in calls if "CUDAStream.cu" in call]
        self.assertIn("-arch=native", built, said)
        self.assertIn(f"-L{self.place}/cuda/lib64/stubs", built)
        file = self.tree / "build/campaign/one/recorded/peers/babelstream.txt"
        self.assertEqual(file.read_text(), "babelstream speaks\n")

    def test_failed_build_of_a_peer_is_recorded(self):
        code, _, said = self.go(FAILS="CUDAStream.cu")
        self.assertEqual((code, self.outcomes()["peers"]), (1, "failed"), said)
        self.assertIn("babelstream: exit code 1: it failed, as requested", self.state()["steps"]["peers"]["why"])


if __name__ == "__main__":
    unittest.main()
