#!/usr/bin/env python3
# tocuda, Apache-2.0.
# Tests for which compute capabilities kernels are compiled, with made-up GPUs, drivers and compilers. Argument: cmake.
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
DRIVER = r"""
int cuInit(unsigned f) { return 0; }
int cuDeviceGetCount(int* n) { *n = 1; return 0; }
int cuDeviceGet(int* d, int n) { *d = n; return 0; }
int cuDeviceGetAttribute(int* v, int a, int d) { *v = a == 75 ? CAPABILITY / 10 : CAPABILITY % 10; return 0; }
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
            env={**os.environ, "PATH": f"{self.folder}:/usr/bin:/bin", "LD_LIBRARY_PATH": str(self.folder)},
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

    def test_a_gpu_older_than_the_compiler_does_not_break_the_build(self):
        self.program("nvidia-smi", "7.0")
        self.assertEqual(self.chosen(), "120;90")
        self.program("nvidia-smi", "7.0", "8.0")
        self.assertEqual(self.chosen(), "80")

    def test_a_gpu_newer_than_the_compiler_gets_the_newest_that_it_knows(self):
        self.program("nvidia-smi", "13.0")
        self.assertEqual(self.chosen(), "120")
        self.program("nvidia-smi", "8.6", "8.0")
        self.assertEqual(self.chosen(), "80")

    def test_a_hopper_gets_the_instructions_that_only_it_has(self):
        self.program("nvidia-smi", "9.0", "8.0")
        self.assertEqual(self.chosen(), "80;90a")
        self.program("nvcc", "compute_80", "compute_90")
        self.program("nvidia-smi", "10.0")
        self.assertEqual(self.chosen(), "90")

    def test_without_nvidia_smi_the_driver_is_asked(self):
        source = self.folder / "driver.c"
        for capability, nearest in ((90, "90a"), (130, "120"), (70, "120;90")):
            source.write_text(DRIVER.replace("CAPABILITY", str(capability)))
            words = ["cc", "-shared", "-fPIC", source, "-o", self.folder / "libcuda.so.1"]
            subprocess.run(words, check=True)
            self.assertEqual(self.chosen(f"-DTOCUDA_PYTHON={sys.executable}"), nearest)

    def test_those_that_are_asked_for_whatever_gpus_there_are(self):
        self.program("nvidia-smi", "9.0")
        self.assertEqual(self.chosen("-DTOCUDA_CUDA_ARCHITECTURES=80;90a"), "80;90a")

    def test_all(self):
        self.program("nvidia-smi", "9.0")
        self.assertEqual(self.chosen("-DTOCUDA_CUDA_ARCHITECTURES=all"), "75;80;86;89;90;100;110;120")


if __name__ == "__main__":
    unittest.main()
