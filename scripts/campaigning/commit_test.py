#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""The commit file of a tree without .git: Python writes it, the build reads it."""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "scripts"))
from campaigning import building, prepare  # noqa: E402


class Commit(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = Path(folder.name) / "tree"
        self.given = Path(folder.name) / "commit"
        for name in ("CMakeLists.txt", "harness/main.cpp", "results/h200/row.jsonl"):
            (self.tree / name).parent.mkdir(parents=True, exist_ok=True)
            (self.tree / name).write_text(name)
        self.git("init", "-q")
        self.git("add", ".")
        self.git("-c", "user.name=A", "-c", "user.email=a@b", "commit", "-q", "-m", "first")
        self.commit = self.git("rev-parse", "HEAD").strip()

    def git(self, *words):
        return subprocess.run(["git", "-C", self.tree, *words], check=True, capture_output=True, text=True).stdout

    def travel(self):
        self.given.write_text(prepare.commit_of(self.tree))
        shutil.rmtree(self.tree / ".git")

    def facts(self):
        """(commit, dirty) as the build reads them."""
        header = self.given.with_name("suite_facts.hpp")
        given = {"SOURCE": self.tree, "VERSION": 1, "GIVEN": self.given, "OUTPUT": header}
        words = [f"-D{name}={value}" for name, value in given.items()]
        subprocess.run(["cmake", *words, "-P", REPOSITORY / "cmake/suite_header.cmake"], check=True)
        text = header.read_text()
        return text.split('commit = "')[1].split('"')[0], text.split("dirty = ")[1].split(";")[0]

    def test_unchanged_tree_without_git_has_its_commit(self):
        self.travel()
        self.assertEqual(self.facts(), (self.commit, "false"))

    def test_without_the_file_the_commit_is_unknown(self):
        self.travel()
        self.given.unlink()
        self.assertEqual(self.facts(), ("", "false"))

    def test_changed_missing_and_new_sources_make_the_tree_dirty(self):
        self.travel()
        source = self.tree / "harness/main.cpp"
        source.write_text("changed")
        self.assertEqual(self.facts(), (self.commit, "true"))
        self.assertEqual(building.differs(self.tree, self.given), ["harness/main.cpp"])
        source.unlink()
        self.assertEqual(self.facts(), (self.commit, "true"))
        source.write_text("harness/main.cpp")
        self.assertEqual(self.facts(), (self.commit, "false"))
        (self.tree / "harness/new.cpp").write_text("")
        self.assertEqual(self.facts(), (self.commit, "true"))

    def test_other_files_do_not_make_the_tree_dirty(self):
        self.travel()
        (self.tree / "harness/__pycache__").mkdir()
        (self.tree / "harness/__pycache__/a.pyc").write_text("")
        (self.tree / "build").mkdir()
        (self.tree / "build/tocuda").write_text("")
        (self.tree / "results/h200/row.jsonl").unlink()
        self.assertEqual(self.facts(), (self.commit, "false"))

    def test_the_same_holds_for_a_tree_with_git(self):
        for name in ("carried/packages.deb", "notes.txt", "results/h200/new.jsonl"):
            (self.tree / name).parent.mkdir(exist_ok=True)
            (self.tree / name).write_text("")
            self.assertEqual(self.facts(), (self.commit, "false"), name)
        (self.tree / "harness/new.cpp").write_text("")
        self.assertEqual(self.facts(), (self.commit, "true"))
        self.assertEqual(building.differs(self.tree, ""), ["?? harness/new.cpp"])

    def test_dirty_tree_is_recorded_as_dirty(self):
        (self.tree / "harness/main.cpp").write_text("changed")
        self.travel()
        self.assertEqual(self.facts(), (self.commit, "true"))

    def test_git_takes_precedence_over_the_file(self):
        self.given.write_text("commit 1234\ndirty false\n")
        self.assertEqual(self.facts(), (self.commit, "false"))

    def test_repository_around_the_tree_is_ignored(self):
        inner = self.tree / "harness"
        self.tree, outer = inner, self.tree
        self.given.unlink(missing_ok=True)
        self.assertEqual(self.facts(), ("", "false"))
        self.tree = outer


if __name__ == "__main__":
    if not shutil.which("git"):
        print("skipped: git not found")
        sys.exit(77)
    unittest.main()
