# tocuda, Apache-2.0.
"""Tests lines: an intact row is read, anything else is refused, and output is always JSON in UTF-8."""

import json
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from worker_python.lines import Malformed, to_line, value_of
from worker_python.observer import Observer
from worker_python.row import row_of

ROW = {
    "kind": "scenario",
    "name": "a/b",
    "variant": "v",
    "device": "none",
    "stand_in": ["driver absent"],
    "outcome": {"ended": "exit", "code": 0, "seconds": 1},
    "evidence": [{"key": "k", "value": [1, None]}],
    "stderr_tail": "",
    "claims": [{"id": "000-01", "verdict": "refuted", "expected": "refuted", "because": ""}],
}


def line(**changes):
    return json.dumps({**ROW, **changes}).encode()


class Rows(unittest.TestCase):
    def test_reads_intact_row(self):
        row = row_of(line())
        self.assertEqual(
            (row.name, row.evidence.list("k"), row.evidence.stand_in, row.claims),
            ("a/b", [1, None], ("driver absent",), {"000-01": "refuted"}),
        )

    def test_ignores_unknown_fields(self):
        self.assertEqual(row_of(line(later={"x": 1})).name, "a/b")

    def test_refuses_malformed_rows(self):
        wrong = {
            "nothing": b"",
            "half": line()[:-2],
            "no object": b"[]",
            "not UTF-8": line().replace(b"a/b", b"\xff"),
            "NaN": line().replace(b"[1, null]", b"NaN"),
            "too deep": b"[" * 100000,
            "name": line(name=1),
            "no variant": line().replace(b"variant", b"other"),
            "device": line(device="moon"),
            "stand_in": line(stand_in=[1]),
            "outcome": line(outcome={"ended": "exit"}),
            "value missing": line(evidence=[{"key": "k"}]),
            "evidence": line(evidence=[1]),
            "value an object": line(evidence=[{"key": "k", "value": [{}]}]),
            "computed": line(evidence=[{"key": "k", "value": 1, "computed": 1}]),
            "verdict": line(claims=[{"id": "x", "verdict": "maybe"}]),
            "claims": line(claims={}),
        }
        for what, text in wrong.items():
            with self.subTest(what), self.assertRaises(Malformed):
                row_of(text)


class Observations(unittest.TestCase):
    def test_json_values_are_kept(self):
        for value in (None, True, -3, 0.5, "ü", [1, [True]]):
            self.assertEqual(value_of(value), value)

    def test_non_finite_numbers_become_null(self):
        self.assertEqual(value_of([float("nan"), float("inf")]), [None, None])

    def test_other_types_are_refused(self):
        for value in ({}, object(), 1 << 63, b"x", [{}]):
            with self.subTest(value=value), self.assertRaises(TypeError):
                value_of(value)

    def test_lines_are_always_utf_8(self):
        self.assertEqual(json.loads(to_line({"key": "a\udcffb"}).decode("utf-8")), {"key": "a?b"})

    def test_values_that_no_gpu_computed_are_marked(self):
        said = []
        see = Observer(said.append, lambda: False)
        see("seen", 1)
        see.computed_by_gpu("came back", 2)
        self.assertEqual([each["computed"] for each in said], [True, False])


if __name__ == "__main__":
    unittest.main()
