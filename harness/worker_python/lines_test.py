# tocuda, Apache-2.0.
"""Lines: a row that is whole is read, anything else is refused, and what is written is JSON in UTF-8 whatever it holds."""
import json
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from worker_python.lines import Malformed, to_line, value_of
from worker_python.observer import Observer
from worker_python.row import row_of

ROW = {"kind": "scenario", "name": "a/b", "variant": "v", "device": "none", "stand_in": ["driver absent"],
       "outcome": {"ended": "exit", "code": 0, "seconds": 1}, "evidence": [{"key": "k", "value": [1, None]}], "stderr_tail": "",
       "claims": [{"id": "000-01", "verdict": "refuted", "expected": "refuted", "because": ""}]}


def line(**changes):
    return json.dumps({**ROW, **changes}).encode()


class Rows(unittest.TestCase):
    def test_a_whole_row(self):
        row = row_of(line())
        self.assertEqual((row.name, row.evidence.list("k"), row.evidence.stand_in, row.claims),
                         ("a/b", [1, None], ("driver absent",), {"000-01": "refuted"}))

    def test_unknown_fields_are_passed_over(self):
        self.assertEqual(row_of(line(later={"x": 1})).name, "a/b")

    def test_what_is_no_row_is_refused(self):
        wrong = {"nothing": b"", "half": line()[:-2], "no object": b"[]", "not UTF-8": line().replace(b"a/b", b"\xff"),
                 "NaN": line().replace(b"[1, null]", b"NaN"), "too deep": b"[" * 100000,
                 "name": line(name=1), "no variant": line().replace(b"variant", b"other"),
                 "device": line(device="moon"), "stand_in": line(stand_in=[1]),
                 "outcome": line(outcome={"ended": "exit"}), "value missing": line(evidence=[{"key": "k"}]), "evidence": line(evidence=[1]),
                 "value an object": line(evidence=[{"key": "k", "value": [{}]}]),
                 "computed": line(evidence=[{"key": "k", "value": 1, "computed": 1}]),
                 "verdict": line(claims=[{"id": "x", "verdict": "maybe"}]), "claims": line(claims={})}
        for what, text in wrong.items():
            with self.subTest(what), self.assertRaises(Malformed):
                row_of(text)


class Observations(unittest.TestCase):
    def test_what_json_can_say_is_kept(self):
        for value in (None, True, -3, 0.5, "ü", [1, [True]]):
            self.assertEqual(value_of(value), value)

    def test_what_is_not_finite_becomes_nothing(self):
        self.assertEqual(value_of([float("nan"), float("inf")]), [None, None])

    def test_anything_else_is_an_error_of_the_scenario(self):
        for value in ({}, object(), 1 << 63, b"x", [{}]):
            with self.subTest(value=value), self.assertRaises(TypeError):
                value_of(value)

    def test_a_line_is_utf_8_whatever_a_message_holds(self):
        self.assertEqual(json.loads(to_line({"key": "a\udcffb"}).decode("utf-8")), {"key": "a?b"})

    def test_values_from_a_gpu_that_does_not_compute_are_marked(self):
        said = []
        see = Observer(said.append, lambda: False)
        see("seen", 1)
        see.computed_by_gpu("came back", 2)
        self.assertEqual([each["computed"] for each in said], [True, False])


if __name__ == "__main__":
    unittest.main()
