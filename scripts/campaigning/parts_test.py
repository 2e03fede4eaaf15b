#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""Pairs of GPUs are measured where there are several."""

import pathlib
import sys
import types
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from campaigning import measuring, parts  # noqa: E402
from campaigning.outcome import Absent  # noqa: E402


def measured(simulate, listed=()):
    campaign = types.SimpleNamespace(asked=types.SimpleNamespace(simulate=simulate))
    with (
        mock.patch.object(measuring, "benchmarks", return_value=dict(enumerate(listed))),
        mock.patch.object(measuring, "bench") as bench,
    ):
        parts.pairs(campaign, 100)
    return bench.call_args.args[3]


class Pairs(unittest.TestCase):
    def test_are_measured_among_several_gpus(self):
        real = [{"needs": {"gpus": 2}, "runnable": "real"}]
        for simulate, listed in (("2xH200", []), ("", real)):
            self.assertEqual(measured(simulate, listed), ("pairs/*", "collectives/*"))

    def test_are_absent_with_one(self):
        one = [{"needs": {"gpus": 2}, "runnable": "no"}, {"needs": {"gpus": 1}, "runnable": "real"}]
        for simulate, listed in (("1xH200", []), ("", one)):
            with self.assertRaises(Absent):
                measured(simulate, listed)


if __name__ == "__main__":
    sys.exit(unittest.main())
