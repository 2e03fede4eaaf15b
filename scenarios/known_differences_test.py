#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""Checks the declared differences between LibTorch versions against the LibTorch that runs here."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOCUDA = os.environ["TOCUDA_PROGRAM"]


def run(*words):
    return subprocess.run(
        [TOCUDA, *words, "--json"], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
    )


class KnownDifferences(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.declared = {
            one["name"]: one["differs"] for one in json.loads(run("list").stdout)["scenarios"] if one.get("differs")
        }
        with tempfile.TemporaryDirectory() as folder:
            done = run("run", "--simulate", "2x8GiB", "--output", folder, *cls.declared)
            lines = [
                json.loads(line) for line in pathlib.Path(json.loads(done.stdout)["file"]).read_text().splitlines()
            ]
        cls.rows = [line for line in lines if line["kind"] == "scenario"]

    def seen(self):
        return [(row, seen) for row in self.rows for seen in row.get("differs", [])]

    def test_some_are_declared_and_observed(self):
        self.assertTrue(self.declared)
        self.assertTrue(self.seen())

    def test_this_libtorch_agrees_with_its_declaration(self):
        for row, seen in self.seen():
            if seen["libtorch"] not in seen["says"]:
                continue  # nothing is declared for this version
            found = next(one["value"] for one in row["evidence"] if one["key"] == seen["key"])
            with self.subTest(f"{row['name']} {row['variant']} {seen['key']}"):
                message = f"LibTorch {seen['libtorch']}: declared {seen['says']}, observed {found!r}"
                self.assertTrue(seen.get("agrees"), message)

    def test_every_declared_difference_is_observed(self):
        seen = {(row["name"], one["key"]) for row, one in self.seen()}
        self.assertEqual(
            [],
            [
                (name, one["key"])
                for name, all_ in self.declared.items()
                for one in all_
                if (name, one["key"]) not in seen
            ],
        )

    def test_each_difference_distinguishes_versions(self):
        for name, all_ in self.declared.items():
            for one in all_:
                with self.subTest(f"{name} {one['key']}"):
                    self.assertEqual(len(set(one["says"].values())), len(one["says"]))
                    self.assertGreaterEqual(len(one["says"]), 2)


if __name__ == "__main__":
    sys.exit(unittest.main())
