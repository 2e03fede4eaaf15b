#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""Evidence that is kept beside scenarios tells what was recorded from what was changed by hand: one recorded row for each variant at most, and
every other row names what it has otherwise, exactly."""
import json
import sys
import unittest
from pathlib import Path

FILES = sorted(Path(__file__).resolve().parent.glob("*/*.evidence.jsonl"))
MADE_UP = "all of it: "


def facts(row):
    """What a row may differ in: each piece of evidence, and, in brackets, what stands beside them."""
    found = {seen["key"]: (seen["value"], seen.get("computed", True)) for seen in row["evidence"]}
    ended = {key: value for key, value in row["outcome"].items() if key != "seconds"}
    return {**found, "(outcome)": ended, "(device)": row["device"], "(stand_in)": row["stand_in"]}


def differing(first, second):
    one, other = facts(first), facts(second)
    return {key for key in one.keys() | other.keys() if key not in one or key not in other or one[key] != other[key]}


def wrong_marks(rows):
    """What is wrong with the marks of one file's rows, with the numbers of their lines."""
    recorded, wrong = {}, []
    for number, row in enumerate(rows, 1):
        if "changed" not in row and recorded.setdefault(row["variant"], row) is not row:
            wrong.append(f"{number}: a second row of {row['variant']} that does not say what was changed")
    for number, row in enumerate(rows, 1):
        changed, of_variant = row.get("changed", []), recorded.get(row["variant"])
        if isinstance(changed, str):
            if not changed.startswith(MADE_UP) or of_variant:
                wrong.append(f"{number}: '{changed}' where a row of {row['variant']} was recorded, or not as \"{MADE_UP}why\"")
        elif "changed" in row and of_variant is None:
            wrong.append(f"{number}: no row of {row['variant']} is the recorded one")
        elif "changed" in row and (set(changed) != differing(row, of_variant) or not changed):
            wrong.append(f"{number}: says {sorted(changed)}, is {sorted(differing(row, of_variant))}")
    return wrong


class EvidenceFiles(unittest.TestCase):
    def test_every_row_is_recorded_or_says_what_was_changed(self):
        self.assertTrue(FILES)
        for path in FILES:
            with self.subTest(f"{path.parent.name}/{path.name}"):
                self.assertEqual(wrong_marks([json.loads(line) for line in path.read_text().splitlines()]), [])


class Marks(unittest.TestCase):
    @staticmethod
    def row(value, **more):
        return {"variant": "default", "device": "simulated", "stand_in": [], "outcome": {"ended": "exit", "code": 0, "seconds": value},
                "evidence": [{"key": "threw", "value": value}], **more}

    def test_a_changed_row_that_says_so_is_accepted(self):
        self.assertEqual(wrong_marks([self.row(1), self.row(2, changed=["threw"])]), [])

    def test_a_duplicate_without_a_mark_is_refused(self):
        self.assertEqual(len(wrong_marks([self.row(1), self.row(2)])), 1)
        self.assertEqual(len(wrong_marks([self.row(1), self.row(1)])), 1)

    def test_a_mark_that_names_something_else_is_refused(self):
        self.assertEqual(len(wrong_marks([self.row(1), self.row(2, changed=["(outcome)"])])), 1)
        self.assertEqual(len(wrong_marks([self.row(1), self.row(1, changed=["threw"])])), 1)
        self.assertEqual(len(wrong_marks([self.row(1), self.row(1, changed=[])])), 1)

    def test_a_changed_row_of_what_was_never_recorded_is_refused_unless_all_of_it_is_made_up(self):
        self.assertEqual(len(wrong_marks([self.row(2, changed=["threw"])])), 1)
        self.assertEqual(wrong_marks([self.row(2, changed=MADE_UP + "no GPU")]), [])
        self.assertEqual(len(wrong_marks([self.row(1), self.row(2, changed=MADE_UP + "no GPU")])), 1)


if __name__ == "__main__":
    sys.exit(unittest.main())
