# tocuda, Apache-2.0.
"""Tests every Python judge on the evidence kept beside its scenario, intact and damaged, by the rules of
scenarios/evidence_test.cpp."""

import json
import sys
import unittest
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "harness/workers"))
from worker_python.evidence import Outcome
from worker_python.judging import judge_row
from worker_python.registry import load_registry
from worker_python.row import row_of
from worker_python.scenario import DECIDED, VERDICTS

# A document's example has no judge.
REGISTRY = {name: entry for name, entry in load_registry(ROOT / "scenarios").items() if entry.scenario.claims}
ROWS = {
    name: [row_of(line) for line in (ROOT / "scenarios" / f"{name}.evidence.jsonl").read_bytes().splitlines()]
    for name in REGISTRY
}
VALUES = (None, True, "true", 1, 1.5, ["cpu"])


def judged(entry, row):
    return {line["claim"]: line["verdict"] for line in judge_row(entry, row)}


def with_observations(row, observations):
    return replace(row, evidence=replace(row.evidence, observations=tuple(observations)))


def kind(value):
    return "number" if type(value) in (int, float) else type(value).__name__


def damages(row):
    """Yields (what was damaged, the row)."""
    seen = row.evidence.observations
    for place, one in enumerate(seen):
        before, after = seen[:place], seen[place + 1 :]
        yield f"'{one.key}' missing", with_observations(row, before + after)
        yield f"'{one.key}' not computed", with_observations(row, before + (replace(one, computed=False),) + after)
        for other in VALUES:
            if kind(other) != kind(one.value):
                yield f"'{one.key}' {other!r}", with_observations(row, before + (replace(one, value=other),) + after)


class RecordedEvidence(unittest.TestCase):
    def for_each_row(self, check):
        for name, entry in REGISTRY.items():
            for number, row in enumerate(ROWS[name], 1):
                with self.subTest(f"{name}.evidence.jsonl:{number}"):
                    check(entry, row)

    def test_gets_the_written_verdicts(self):
        self.for_each_row(lambda entry, row: self.assertEqual((row.name, judged(entry, row)), (entry.name, row.claims)))

    def test_gives_the_written_reasons(self):
        for name, entry in REGISTRY.items():
            lines = (ROOT / "scenarios" / f"{name}.evidence.jsonl").read_bytes().splitlines()
            for number, (row, line) in enumerate(zip(ROWS[name], lines), 1):
                given = {ruling["claim"]: ruling["because"] for ruling in judge_row(entry, row)}
                for claim in json.loads(line)["claims"]:
                    with self.subTest(f"{name}.evidence.jsonl:{number} {claim['id']}"):
                        if claim["verdict"] in DECIDED:
                            self.assertEqual(given[claim["id"]], claim["because"])

    def test_reasons_are_short_and_say_what_was_seen(self):
        def check(entry, row):
            for ruling in judge_row(entry, row):
                self.assertLessEqual(len(ruling["because"]), 80, ruling)
                if ruling["verdict"] in DECIDED:
                    self.assertGreaterEqual(len(ruling["because"]), 12, ruling)
                    self.assertNotRegex(
                        ruling["because"], "claim|reproduce|refute|partial|document|verdict|as expected"
                    )

        self.for_each_row(check)

    def test_shows_expected_and_another_verdict_of_each_claim(self):
        for name, entry in REGISTRY.items():
            by_claim, by_variant = defaultdict(set), defaultdict(set)
            for row in ROWS[name]:
                for claim, verdict in row.claims.items():
                    by_claim[claim].add(verdict)
                    by_variant[row.variant, claim].add(verdict)
            for variant in entry.scenario.variants:
                for claim, expected in variant.expected.items():
                    with self.subTest(name, variant=variant.name, claim=claim):
                        self.assertIn(expected, by_variant[variant.name, claim])
                        self.assertGreaterEqual(len(by_claim[claim]), 2)

    def test_damaged_rows_decide_nothing_else(self):
        def check(entry, row):
            whole = judged(entry, row)
            for damage, damaged in damages(row):
                for claim, verdict in judged(entry, damaged).items():
                    changed = whole[claim] in DECIDED and verdict in DECIDED and verdict != whole[claim]
                    self.assertFalse(changed, f"{claim}: {whole[claim]} became {verdict} with {damage}")

        self.for_each_row(check)

    def test_empty_rows_decide_nothing(self):
        self.for_each_row(
            lambda entry, row: self.assertEqual(
                set(judged(entry, with_observations(row, ())).values()), {"inconclusive"}
            )
        )

    def test_crash_is_broken(self):
        def check(entry, row):
            crashed = replace(row, evidence=replace(row.evidence, outcome=Outcome("signal", 11, 1.0)))
            self.assertEqual(set(judged(entry, crashed).values()), {"broken"})

        self.for_each_row(check)


class Scenarios(unittest.TestCase):
    def test_describing_does_not_import_torch_or_numpy(self):
        self.assertEqual([name for name in ("torch", "numpy") if name in sys.modules], [])

    def test_expected_claims_are_stated_by_the_scenario(self):
        for name, entry in REGISTRY.items():
            for variant in entry.scenario.variants:
                self.assertLessEqual(set(variant.expected), set(entry.scenario.claims), name)
                self.assertLessEqual(set(variant.expected.values()), set(VERDICTS), name)


if __name__ == "__main__":
    unittest.main()
