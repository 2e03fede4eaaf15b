#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""Types every command of the README, word for word, in an empty home on a machine without a GPU: each ends as it
should, and what the README and docs/claims.md show is what is printed."""

import os
import pathlib
import subprocess
import sys
import unittest

import readme
from rehearsal import Rehearsal

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SKIPPED = 77


class Typed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.rehearsal = cls.enterClassContext(Rehearsal(ROOT, os.environ["TOCUDA_PROGRAM"]))
        cls.rehearsal.run_all()

    def test_every_command_ends_as_it_should_and_prints_its_sample(self):
        self.assertEqual(self.rehearsal.problems, [], "`scripts/document PROGRAM` refreshes what is shown")
        self.assertGreater(len(self.rehearsal.ran), 8)

    def test_only_the_tests_launchers_and_placeholders_are_not_typed(self):
        self.assertEqual(len(self.rehearsal.ran) + len(self.rehearsal.skipped), len(self.rehearsal.commands))
        for words in self.rehearsal.skipped:
            named = words.startswith(("scripts/test", *readme.LAUNCHERS)) or readme.PLACEHOLDER.search(words)
            self.assertTrue(named, words)

    def test_the_page_of_claims_is_what_this_program_finds(self):
        page = (ROOT / "docs/claims.md").read_text().splitlines()
        found = self.rehearsal.claims().splitlines()
        self.assertEqual([readme.comparable(line) for line in page], [readme.comparable(line) for line in found])

    def test_what_the_readme_counts_is_what_is_listed(self):
        text = self.rehearsal.text
        self.assertEqual(self.rehearsal.counted(text).splitlines(), text.splitlines())
        self.assertNotIn("**1 claims", self.rehearsal.counted("**1 claims, 2 scenarios.** **3 benchmarks**"))

    def test_nothing_is_written_beside_the_results(self):
        """The home stays empty but for what tocuda keeps about sessions."""
        home = self.rehearsal.folder / "home"
        self.assertEqual([path for path in home.rglob("*") if path.is_file() and "tocuda" not in str(path)], [])


def why_skipped():
    if pathlib.Path("/proc/driver/nvidia/gpus").exists():
        return "this machine has a real GPU, where the README's commands measure for minutes"
    known = (ROOT / "docs/claims.md").read_text()
    listed = subprocess.run([os.environ["TOCUDA_PROGRAM"], "list"], capture_output=True, text=True, check=False).stdout
    if "dtype/double_move" not in listed:
        return "this build has no LibTorch"
    wanted = os.environ.get("TOCUDA_TORCH_VERSION", "")
    if wanted and f"LibTorch {wanted} " not in known:
        return f"docs/claims.md was written with another LibTorch than {wanted}"
    return ""


if __name__ == "__main__":
    if why := why_skipped():
        print(f"skipped: {why}")
        sys.exit(SKIPPED)
    sys.exit(unittest.main())
