# tocuda, Apache-2.0.
"""Tests exceptions as evidence: what a handler of RuntimeError catches, the classes, the code."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from worker_python.attempt import attempt, opening, say_attempt
from worker_python.mapped_drivers import mapped_drivers


class Coded(RuntimeError):
    error_code = 101


def throws(error):
    def action():
        raise error

    return action


class Attempts(unittest.TestCase):
    def test_no_exception(self):
        self.assertEqual(attempt(lambda: None).handled, "no error")

    def test_runtime_error_is_caught(self):
        tried = attempt(throws(RuntimeError("why")))
        self.assertEqual((tried.handled, tried.classes[0], tried.message), ("caught", "RuntimeError", "why"))

    def test_subclass_is_caught_and_keeps_its_code(self):
        tried = attempt(throws(Coded()))
        self.assertEqual((tried.handled, tried.code, "RuntimeError" in tried.classes), ("caught", 101, True))

    def test_assertion_error_escapes(self):
        tried = attempt(throws(AssertionError("not compiled")))
        self.assertEqual((tried.handled, tried.classes), ("escaped", ("AssertionError", "Exception", "BaseException")))

    def test_success_has_no_message(self):
        said = {}
        say_attempt(said.__setitem__, "move", attempt(lambda: None))
        self.assertEqual(said, {"move.handled": "no error"})

    def test_opening_is_the_first_clause_cut_at_a_word(self):
        self.assertEqual(opening("a\nb"), "a")
        self.assertEqual(opening("out of memory. Tried to allocate"), "out of memory")
        self.assertEqual(opening("too old (found version 12080). Please"), "too old")
        self.assertEqual(opening("word " * 20), "word " * 8 + "word...")
        self.assertEqual(opening("x" * 200), "x" * 45 + "...")


class MappedDrivers(unittest.TestCase):
    def test_distinguishes_our_libraries_from_real_driver(self):
        for path, found in {
            "/x/simulator/driver/libcuda.so.1": (True, False),
            "/x/simulator/simulated/libcudart.so.13": (True, False),
            "/usr/lib/libcuda.so.580.95.05": (False, True),
            "/opt/nvidia/cu13/lib/libcudart.so.13": (False, False),
        }.items():
            with self.subTest(path):
                self.assertEqual(mapped_drivers([f"7f r-xp 0 0 0 {path}\n"]), found)


if __name__ == "__main__":
    unittest.main()
