# tocuda, Apache-2.0.
"""Tests how the worker handles a judge: every claim gets a ruling, and nothing is decided by accident."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from worker_python.evidence import Evidence, Observation, Outcome, Undecided
from worker_python.judging import judge_each, judge_row
from worker_python.registry import Entry
from worker_python.row import Row
from worker_python.scenario import Scenario, Variant


def judge_in_turn(evidence, say):
    if evidence.flag("first"):
        say.refuted("000-01", "first was seen")
    if evidence.flag("second"):
        say.refuted("000-02", "second was seen")


def rulings(judge, seen, outcome=Outcome("exit", 0, 0.1), judges_ends=False, stderr_tail="", variant="default"):
    expected = {"000-01": "refuted", "000-02": "refuted"}
    entry = Entry(
        "python/example",
        Scenario("", "", "", {}, (Variant("default", expected),), judges_ends=judges_ends),
        None,
        judge,
    )
    evidence = Evidence("none", (), outcome, tuple(Observation(*each) for each in seen.items()), stderr_tail)
    return {
        line["claim"]: (line["verdict"], line["because"])
        for line in judge_row(entry, Row("python/example", variant, evidence, {}))
    }


class JudgeRow(unittest.TestCase):
    def test_rules_on_each_claim(self):
        self.assertEqual(
            rulings(judge_in_turn, {"first": True, "second": True}),
            {"000-01": ("refuted", "first was seen"), "000-02": ("refuted", "second was seen")},
        )

    def test_missing_evidence_is_named_and_inconclusive(self):
        self.assertEqual(
            rulings(judge_in_turn, {"first": True})["000-02"], ("inconclusive", "'second' was not recorded")
        )

    def test_what_the_machine_lacked_leaves_every_claim_open(self):
        why = "the GPU had only 0.1 GiB free"
        self.assertEqual(
            set(rulings(judge_in_turn, {"first": True, "harness.lacked": why}).values()), {("inconclusive", why)}
        )

    def test_undecided_claim_is_inconclusive(self):
        self.assertEqual(
            rulings(judge_in_turn, {"first": False, "second": True})["000-01"],
            ("inconclusive", "the evidence does not decide this claim"),
        )

    def test_crash_is_broken_and_quotes_last_stderr_line(self):
        verdict, because = rulings(
            judge_in_turn, {"first": True, "second": True}, Outcome("signal", 11, 0.1), stderr_tail="a\nlast\n"
        )["000-01"]
        self.assertEqual(
            (verdict, because), ("broken", "ended by signal 11 (SIGSEGV) after 0.10 s; last line of stderr: last")
        )

    def test_scenario_that_judges_ends_sees_crash(self):
        found = rulings(judge_in_turn, {"first": True, "second": True}, Outcome("signal", 11, 0.1), judges_ends=True)
        self.assertEqual(found["000-01"][0], "refuted")

    def test_unknown_variant_has_no_rulings(self):
        self.assertEqual(rulings(judge_in_turn, {}, variant="elsewhere"), {})

    def test_separate_judges_do_not_affect_each_other(self):
        def each(evidence, say):
            judge_each(
                say,
                evidence,
                {"000-01": lambda seen: ("refuted", seen.text("gone")), "000-02": lambda seen: ("partial", "")},
            )

        found = rulings(each, {})
        self.assertEqual((found["000-01"][0], found["000-02"][0]), ("inconclusive", "partial"))

    def test_first_verdict_on_a_claim_stands(self):
        def twice(evidence, say):
            say.partial("000-01", "first")
            say.reproduced("000-01", "second")

        self.assertEqual(rulings(twice, {})["000-01"], ("partial", "first"))


class Accessors(unittest.TestCase):
    READERS = {"flag": True, "integer": 3, "number": 1.5, "text": "x", "list": [1]}

    def evidence(self, value, computed=True):
        return Evidence(observations=(Observation("key", value, computed),))

    def test_each_accessor_reads_its_type(self):
        for reader, value in self.READERS.items():
            self.assertEqual(getattr(self.evidence(value), reader)("key"), value)

    def test_other_types_are_undecided(self):
        for reader in self.READERS:
            for other, value in self.READERS.items():
                if other != reader and (reader, other) != ("number", "integer"):
                    with self.subTest(reader=reader, value=value), self.assertRaises(Undecided):
                        getattr(self.evidence(value), reader)("key")

    def test_missing_key_is_undecided(self):
        for reader in self.READERS:
            with self.subTest(reader), self.assertRaises(Undecided):
                getattr(Evidence(), reader)("key")

    def test_values_that_no_gpu_computed_are_undecided(self):
        for reader, value in self.READERS.items():
            with self.subTest(reader), self.assertRaises(Undecided):
                getattr(self.evidence(value, False), reader)("key")

    def test_integers_beyond_64_bits_are_undecided(self):
        with self.assertRaises(Undecided):
            self.evidence(1 << 63).integer("key")


if __name__ == "__main__":
    unittest.main()
