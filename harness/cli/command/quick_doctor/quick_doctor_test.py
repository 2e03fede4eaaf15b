#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""`doctor` compiled alone answers as that of the whole program does. Arguments: tocuda, the fake driver."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[4]
SIMULATOR = "simulator"
MESSAGES = (
    b"RuntimeError: CUDA error: out of memory\n",
    b"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB. GPU 0 has a total capacity of 79.10 GiB "
    b"of which 12.50 MiB is free. Process 3021 has 78.50 GiB memory in use. Of the allocated memory 110.25 MiB is "
    b"allocated by PyTorch, and 1.75 MiB is reserved by PyTorch but unallocated.\n",
    b"NVRM: Xid (PCI:0000:1a:00): 79, pid=1234, GPU has fallen off the bus.\nNVRM: Xid (PCI:0000:1b:00): 43, pid=99\n",
    b"CUDA driver version is insufficient for CUDA runtime version\n",
    b"The NVIDIA driver on your system is too old (found version 11040).\n",
    b"ImportError: libcudnn.so.9: cannot open shared object file: No such file or directory\n",
    b"torch.cuda.is_available() False\nAssertionError: Torch not compiled with CUDA enabled\n",
    b"RuntimeError: CUDA error: no kernel image is available for execution on the device\n",
    b"NCCL WARN Cuda failure 'invalid device ordinal'\n",
    b"RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!\n",
    b"PyTorch version: 2.6.0+cpu\nIs CUDA available: False\nCUDA used to build PyTorch: None\nOS: Ubuntu 24.04\n"
    b"GPU models and configuration: GPU 0: NVIDIA L4\nNvidia driver version: 550.54.15\n",
    b"\xff\xfer\x00u\x00n\x00",  # UTF-16
    b"broken \xe2\x82 bytes \xc3( CUDA error: device-side assert triggered \x1b[31mred\x1b[0m \x7f\x01\n",
    b"nvcc fatal   : Unsupported gpu architecture 'compute_89'\n",
    b"#error -- unsupported GNU version! gcc versions later than 11 are not supported!\n",
    b"/usr/bin/ld: cannot find -lnccl: No such file or directory\n",
    b"Could not load library libcudnn_cnn_infer.so.8. Error: libnvrtc.so: cannot open shared object file\n",
    b"NVRM: Xid (PCI:0000:3b:00): 45, pid=7, name=python, Ch 1 caused by previous Xid 94\n",
    b"nothing of the kind\n",
    b"",
)
# What the C++ libraries of newer compilers declare, whose std::format is found for each std::string.
NEWER_LIBRARY = """#include <string>
#include <type_traits>
#if __has_include(<format>)
#include <format>
#else
namespace std {
template <class... Types>
struct later_pattern {
    template <class Text>
    later_pattern(const Text&);
};
template <class... Types>
string format(later_pattern<type_identity_t<Types>...>, Types&&...);
}  // namespace std
#endif
"""
USAGES = (
    ["--help"],
    ["-h", "--json"],
    ["--jsn"],
    ["--jsn", "--json"],
    ["more"],
    ["--message"],
    ["--message", ""],
    ["--message", "a", "--message=b"],
    ["--message", "a", "--python", "b"],
    ["--pid", "many"],
    ["--pid=0", "--json"],
    ["--pid", "2147483647"],
    ["--python", "/nowhere/python"],
    ["--timeout", "3"],
    ["--timeout", "0"],
    ["--message", "missing.txt", "--json"],
    ["--help-as", "bash"],
    ["--help-as", "man"],
)


class QuickDoctor(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.place.name)
        newer = cls.folder / "newer.hpp"
        newer.write_text(NEWER_LIBRARY)
        compiler = [ROOT / "scripts/set_up/compile_doctor", cls.folder / "doctor", str(os.cpu_count())]
        environment = {**os.environ, "CXX": f"{os.environ.get('CXX') or 'c++'} -include {newer}"}
        compiled = subprocess.run(compiler, capture_output=True, text=True, env=environment)
        if compiled.returncode != 0:
            raise AssertionError(compiled.stderr[-4000:])
        cls.quick = cls.folder / "doctor/tocuda"

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    def expect_equal(self, words, given=b"", **variables):
        """Both answer these words alike; returns the answer."""
        said = []
        for program in (TOCUDA, self.quick):
            done = subprocess.run(
                [program, "doctor", *words],
                input=given,
                capture_output=True,
                cwd=self.folder,
                env={**os.environ, **variables},
                timeout=120,
            )
            said.append((done.returncode, *(text.decode(errors="replace") for text in (done.stdout, done.stderr))))
        self.assertEqual(*said, words)
        return said[0][1]

    def test_texts_are_explained_alike(self):
        for text in MESSAGES:
            for more in ([], ["--json"]):
                self.expect_equal(["--message", "-", *more], text)
        self.assertIn("79", self.expect_equal(["--message", "-"], MESSAGES[2], COLUMNS="120"))

    def test_machines_are_judged_alike(self):
        fake = self.folder / "fake"
        fake.mkdir()
        folders = ["", fake, fake, *(TOCUDA.parent / SIMULATOR / one for one in ("absent", "driver", "simulated"))]
        for name, folder in zip(("", "libcuda.so.1", "libnvidia-ml.so.1", "", "", ""), folders, strict=True):
            if name:
                (folder / name).symlink_to(FAKE)
            for more in ([], ["--json"]):
                self.expect_equal(more, LD_LIBRARY_PATH=str(folder))
        for words in (["--python", sys.executable], ["--pid", str(os.getpid())]):
            self.expect_equal(words)

    def test_a_simulated_gpu_is_found_by_both(self):
        libraries = TOCUDA.parent / SIMULATOR / "simulated"
        if not (libraries / "libcuda.so.1").exists():
            self.skipTest("without simulated GPUs")
        machine = self.folder / "two.simulation"
        with machine.open("wb") as file:
            subprocess.run([TOCUDA, "__simulation", "2xH200"], stdout=file, check=True)
        for more in ([], ["--json"]):
            said = self.expect_equal(more, LD_LIBRARY_PATH=str(libraries), TOCUDA_SIMULATION=str(machine))
            self.assertIn("NVIDIA H200", said)

    def test_usages_are_told_alike(self):
        for words in USAGES:
            self.expect_equal(words)


if __name__ == "__main__":
    FAKE = pathlib.Path(sys.argv.pop()).resolve()
    TOCUDA = pathlib.Path(sys.argv.pop()).resolve()
    unittest.main()
