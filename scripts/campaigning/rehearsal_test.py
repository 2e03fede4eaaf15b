#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""A rehearsal of some steps with the built program on a simulated GPU."""

import os
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from campaigning.tests.tiny_campaign import TinyCampaign, program  # noqa: E402

PROGRAM = Path(os.environ.get("TOCUDA_PROGRAM", ""))


class Rehearsal(TinyCampaign):
    def test_measures_rows_that_verify(self):
        program(self.tree / "scripts/tocuda", f'#!/bin/sh\n[ "$1" = set-up ] || exec "{PROGRAM}" "$@"\n')
        (self.tree / "build").mkdir()
        (self.tree / "build/default").symlink_to(PROGRAM.parent)
        code, _, said = self.rehearse(*self.only("build", "rounds"))
        self.assertEqual(code, 0, said)
        self.assertEqual(self.outcomes("rehearsal.tar.gz"), {"build": "done", "rounds": "done"}, said)
        self.assertIn("files: 1, 1 verified", said)


if __name__ == "__main__":
    if not PROGRAM.is_file():
        print("skipped: TOCUDA_PROGRAM names no program")
        sys.exit(77)
    unittest.main()
