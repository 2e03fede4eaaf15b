#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""Checks that the evidence kept beside scenarios separates recorded rows from edited ones: at most one recorded row per
variant, and every other row lists exactly the keys that were changed."""

import json
import sys
import unittest
from pathlib import Path

FILES = sorted(Path(__file__).resolve().parent.glob("*/*.evidence.jsonl"))
MADE_UP = "all of it: "


def facts(row):
    """Returns what rows may differ in: each piece of evidence and, in brackets, the row's other fields."""
    found = {seen["key"]: (seen["value"], seen.get("computed", True)) for seen in row["evidence"]}
    ended = {key: value for key, value in row["outcome"].items() if key != "seconds"}
    return {**found, "(outcome)": ended, "(device)": row["device"], "(stand_in)": row["stand_in"]}


def differing(first, second):
    one, other = facts(first), facts(second)
    return {key for key in one.keys() | other.keys() if key not in one or key not in other or one[key] != other[key]}


def wrong_marks(rows):
    """Returns the problems with the marks of one file's rows, with line numbers."""
    recorded, wrong = {}, []
    for number, row in enumerate(rows, 1):
        if "changed" not in row and recorded.setdefault(row["variant"], row) is not row:
            wrong.append(f"{number}: second row of {row['variant']} without 'changed'")
    for number, row in enumerate(rows, 1):
        changed, of_variant = row.get("changed", []), recorded.get(row["variant"])
        if isinstance(changed, str):
            if not changed.startswith(MADE_UP) or of_variant:
                wrong.append(f"{number}: '{changed}': must be \"{MADE_UP}why\" without a recorded {row['variant']} row")
        elif "changed" in row and of_variant is None:
            wrong.append(f"{number}: {row['variant']} has no recorded row")
        elif "changed" in row and (set(changed) != differing(row, of_variant) or not changed):
            wrong.append(f"{number}: 'changed' lists {sorted(changed)}, not {sorted(differing(row, of_variant))}")
    return wrong


class EvidenceFiles(unittest.TestCase):
    def test_every_row_is_recorded_or_lists_its_changes(self):
        self.assertTrue(FILES)
        for path in FILES:
            with self.subTest(f"{path.parent.name}/{path.name}"):
                self.assertEqual(wrong_marks([json.loads(line) for line in path.read_text().splitlines()]), [])


class Marks(unittest.TestCase):
    @staticmethod
    def row(value, **more):
        return {
            "variant": "default",
            "device": "simulated",
            "stand_in": [],
            "outcome": {"ended": "exit", "code": 0, "seconds": value},
            "evidence": [{"key": "threw", "value": value}],
            **more,
        }

    def test_accepts_marked_changes(self):
        self.assertEqual(wrong_marks([self.row(1), self.row(2, changed=["threw"])]), [])

    def test_refuses_unmarked_duplicates(self):
        self.assertEqual(len(wrong_marks([self.row(1), self.row(2)])), 1)
        self.assertEqual(len(wrong_marks([self.row(1), self.row(1)])), 1)

    def test_refuses_marks_that_do_not_match_the_changes(self):
        self.assertEqual(len(wrong_marks([self.row(1), self.row(2, changed=["(outcome)"])])), 1)
        self.assertEqual(len(wrong_marks([self.row(1), self.row(1, changed=["threw"])])), 1)
        self.assertEqual(len(wrong_marks([self.row(1), self.row(1, changed=[])])), 1)

    def test_refuses_changed_rows_without_a_recorded_one_unless_all_is_made_up(self):
        self.assertEqual(len(wrong_marks([self.row(2, changed=["threw"])])), 1)
        self.assertEqual(wrong_marks([self.row(2, changed=MADE_UP + "no GPU")]), [])
        self.assertEqual(len(wrong_marks([self.row(1), self.row(2, changed=MADE_UP + "no GPU")])), 1)


if __name__ == "__main__":
    sys.exit(unittest.main())
