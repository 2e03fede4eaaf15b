# tocuda, Apache-2.0.
"""Tests which errors mean that the machine lacks something."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from worker_python.shortage import lacked_by, lacked_memory

FULL = (
    "CUDA out of memory. Tried to allocate 128.00 MiB. GPU 0 has a total capacity of 15.77 GiB of which {} is free. {}"
)


class Coded(RuntimeError):
    def __init__(self, code):
        super().__init__("CUDA error")
        self.error_code = code


class Shortage(unittest.TestCase):
    def test_names_the_memory_that_was_free(self):
        self.assertEqual(
            lacked_memory(FULL.format("84.50 MiB", "")),
            "the GPU's memory did not suffice to begin: 84.50 MiB of 15.77 GiB was free",
        )

    def test_a_cap_of_the_scenario_is_none(self):
        self.assertEqual(lacked_memory(FULL.format("14.00 GiB", "64.00 MiB allowed; Of the")), "")

    def test_under_a_cap_the_gpu_may_be_full_all_the_same(self):
        self.assertNotEqual(lacked_memory(FULL.format("512 bytes", "1.00 GiB allowed; Of the")), "")

    def test_an_error_of_the_runtime_is_known_by_its_code(self):
        self.assertEqual(lacked_by(Coded(46)), "the GPU accepts no further process (error 46)")
        self.assertIn("no kernels", lacked_by(Coded(209)))

    def test_other_errors_are_none(self):
        for error in (RuntimeError("out of memory"), Coded(719), Coded("2")):
            self.assertEqual(lacked_by(error), "", error)


if __name__ == "__main__":
    unittest.main()
