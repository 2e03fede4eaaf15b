#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""Checks docs/coverage.md: each line has a command that this program understands, or says why not."""

import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs/coverage.md"
OPTIONS = {"--gpus": 1, "--together": 0}  # with the number of their arguments
NVBANDWIDTH = 44 + 13  # test cases of version 0.10 on one node, and of 0.8 on several


def lines(text):
    """Yields the chapter and the three cells of each line of a table."""
    chapter = ""
    for line in text.splitlines():
        if line.startswith("## "):
            chapter = line[3:]
        if line.startswith("| ") and not re.match(r"\| [^|]* \| tocuda \|", line.replace("\\|", "")):
            theirs, ours, remark = (cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1])
            yield chapter, theirs, ours, remark


def words_of(ours):
    words = shlex.split(ours.strip("`"))
    return words[2:] if words[:2] == ["scripts/tocuda", "bench"] else []


def benchmarks():
    done = subprocess.run([os.environ["TOCUDA_PROGRAM"], "list", "--json"], capture_output=True, text=True, check=True)
    return {one["name"]: one for one in json.loads(done.stdout)["benchmarks"]}


def problems(words, known):
    """Yields what is wrong with the words behind `scripts/tocuda bench`."""
    rest, named, given = list(words), [], []
    while rest:
        word = rest.pop(0)
        if word.startswith("--"):
            if word not in OPTIONS:
                yield f"no option {word}"
            del rest[: OPTIONS.get(word, 0)]
        else:
            (given if "=" in word else named).append(word)
    for name in named:
        if name not in known:
            yield f"no benchmark {name}"
    for key, values in (word.split("=") for word in given):
        for name in named:
            yield from wrong_parameter(name, known.get(name), key, values)


def wrong_parameter(name, benchmark, key, values):
    if benchmark is None:
        return
    if key not in benchmark["parameters"]:
        yield f"{name} has no parameter {key}"
        return
    listed = {value for when in ("parameters", "full") for value in benchmark.get(when, {}).get(key, [])}
    words = {value for value in listed if isinstance(value, str)}
    yield from (f"{name}: {key} is never {value}" for value in values.split(",") if words and value not in words)


class Coverage(unittest.TestCase):
    def setUp(self):
        self.text = PAGE.read_text()
        self.lines = list(lines(self.text))

    def test_every_command_names_benchmarks_and_parameters_of_this_program(self):
        known = benchmarks()
        commands = [words_of(ours) for _, _, ours, _ in self.lines if ours != "-"]
        self.assertNotIn([], commands)
        self.assertEqual([(words, why) for words in commands for why in problems(words, known)], [])

    def test_a_line_without_a_command_says_why(self):
        without = [remark for _, _, ours, remark in self.lines if ours == "-"]
        self.assertEqual([remark for remark in without if not remark], [])

    def test_every_test_case_of_nvbandwidth_has_a_line(self):
        names = [theirs for chapter, theirs, _, _ in self.lines if chapter == "nvbandwidth"]
        self.assertEqual((len(names), len(set(names))), (NVBANDWIDTH, NVBANDWIDTH))

    def test_a_command_that_is_not_understood_is_found(self):
        known = {"a/b": {"parameters": {"by": ["push"], "bytes": [1]}, "full": {"by": ["pull"]}}}
        right = ["a/b", "by=push,pull", "bytes=2MiB", "--gpus", "all", "--together"]
        self.assertEqual(list(problems(right, known)), [])
        for word, why in {
            "a/c": "no benchmark a/c",
            "--now": "no option --now",
            "width=1": "a/b has no parameter width",
            "by=engine": "a/b: by is never engine",
        }.items():
            self.assertEqual(list(problems(["a/b", word], known)), [why])

    def test_list_says_what_to_type_for_benchmarks_that_need_it(self):
        known = benchmarks()
        if known["coherent/host_to_device"]["runnable"] != "simulated":
            self.skipTest("benchmarks do not run simulated here")
        for name, given in (
            ("coherent/host_to_device", "--simulate 1xGH200`"),
            ("copy/device_to_device/vector32", "--simulate 1xB200`"),
            ("managed/oversubscribed", "--simulate 1xH200`"),
            ("load/reserved_huge_pages", "--simulate 1xH200`, if this machine has reserved huge pages"),
        ):
            self.assertEqual(known[name]["because"], f"with `bench {given}")


if __name__ == "__main__":
    sys.exit(unittest.main())
