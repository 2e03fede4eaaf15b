#!/usr/bin/env python3
# tocuda, Apache-2.0.
# Tests for which compute capabilities kernels are compiled, with made-up GPUs and compilers. Argument: cmake.
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CMAKE = sys.argv.pop(1)
CHOICE = Path(__file__).resolve().parents[2] / "cmake/cuda_architectures.cmake"
SCRIPT = """cmake_minimum_required(VERSION 3.25.1)
set(CMAKE_CUDA_COMPILER nvcc)
include({choice})
tocuda_choose_architectures(chosen)
message(STATUS "chosen: ${{chosen}}")
"""


class Choice(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.program("nvcc", "compute_75", "compute_80", "compute_90", "compute_120")

    def program(self, name, *lines, code=0):
        path = self.folder / name
        path.write_text("#!/bin/sh\n" + "".join(f"echo '{line}'\n" for line in lines) + f"exit {code}\n")
        path.chmod(0o755)

    def said(self, *given):
        script = self.folder / "script.cmake"
        script.write_text(SCRIPT.format(choice=CHOICE))
        done = subprocess.run(
            [CMAKE, *given, "-P", script],
            stdout=subprocess.PIPE,
            check=True,
            text=True,
            env={**os.environ, "PATH": f"{self.folder}:/usr/bin:/bin"},
        )
        return done.stdout

    def chosen(self, *given):
        return self.said(*given).splitlines()[-1].removeprefix("-- chosen: ")

    def test_those_of_the_gpus_with_the_newest_last(self):
        self.program("nvidia-smi", "12.0", "8.0", "12.0")
        self.assertEqual(self.chosen(), "80;120")

    def test_no_gpu(self):
        self.program("nvidia-smi", "No devices were found", code=6)
        self.assertEqual(self.chosen(), "120;90")
        self.assertIn("TOCUDA_CUDA_ARCHITECTURES=all", self.said())

    def test_a_gpu_that_the_compiler_does_not_know(self):
        self.program("nvidia-smi", "7.0")
        self.assertEqual(self.chosen(), "120;90")
        self.program("nvidia-smi", "7.0", "8.0")
        self.assertEqual(self.chosen(), "80")

    def test_those_that_are_asked_for_whatever_gpus_there_are(self):
        self.program("nvidia-smi", "9.0")
        self.assertEqual(self.chosen("-DTOCUDA_CUDA_ARCHITECTURES=80;90a"), "80;90a")

    def test_all(self):
        self.program("nvidia-smi", "9.0")
        self.assertEqual(self.chosen("-DTOCUDA_CUDA_ARCHITECTURES=all"), "75;80;86;89;90;100;110;120")


if __name__ == "__main__":
    unittest.main()
