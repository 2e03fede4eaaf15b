#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""Tests every scenario on a machine of machines.py, as if its GPUs were real: none is broken, and each verdict is the
expected one or open because of what the machine is. Argument: the machine, then patterns of scenarios."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import machines

TOCUDA = os.environ["TOCUDA_PROGRAM"]


class OnThisMachine(unittest.TestCase):
    def test_verdicts_are_expected_or_open_for_a_reason(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                [TOCUDA, "run", "--json", "--simulate", machines.spec(MACHINE, folder), "--output", folder, *PATTERNS],
                capture_output=True,
                text=True,
                env={**os.environ, "XDG_STATE_HOME": folder},
                stdin=subprocess.DEVNULL,
                check=False,
            )
            self.assertTrue(done.stdout, done.stderr)
            file = pathlib.Path(json.loads(done.stdout)["file"])
            rows = [json.loads(line) for line in file.read_text().splitlines()]
        seen = 0
        for row in rows:
            for claim in row.get("claims", []):
                seen += 1
                with self.subTest(scenario=row["name"], variant=row["variant"], claim=claim["id"]):
                    self.judge(row, claim)
        self.assertGreater(seen, 0)

    def judge(self, row, claim):
        said = f"{claim['verdict']} instead of {claim['expected']}: {claim['because']}"
        is_open = claim["verdict"] in ("skipped", "inconclusive")
        allowed = is_open and machines.may_be_open(MACHINE, row["name"], claim["because"])
        self.assertTrue(claim["verdict"] == claim["expected"] or allowed, said)


if __name__ == "__main__":
    MACHINE, *PATTERNS = sys.argv[1:]
    sys.exit(unittest.main(argv=sys.argv[:1]))
