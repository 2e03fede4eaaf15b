#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""A copy, a computation, a latency and a benchmark of two GPUs, each added by one file in added/ and by nothing else:
all that tocuda knows of them is what these files say. Arguments: the folder of a worker that has them, tocuda."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

FILES = {"added/copy", "added/computation", "added/latency", "added/between_gpus"}
LINES = {
    "a copy of 64 KiB", "a copy of 128 KiB", "a copy of 256 KiB", "halves of 64 KiB", "halves of 128 KiB",
    "the time of halves of 256 KiB", "wait once", "wait twice", "wait thrice", "to the other GPU", "from GPU 0",
    "from GPU 1",
}  # fmt: skip
TWO = "--simulate", "2xH200"


def say(*words):
    environment = {**os.environ, "TOCUDA_WORKERS": WORKERS}
    done = subprocess.run([TOCUDA, *words], capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def ours(rows):
    return {row["benchmark"] for row in rows if row["benchmark"].startswith("added/")}


class Added(unittest.TestCase):
    def test_each_is_listed(self):
        listed = {one["name"] for one in json.loads(say("list", "--json"))["benchmarks"]}
        self.assertEqual({name for name in listed if name.startswith("added/")}, FILES)

    def test_each_is_characterised(self):
        forecast = json.loads(say("bench", "characterise", *TWO, "--forecast", "--json"))
        self.assertEqual(ours(forecast["units"]), FILES)

    def test_each_is_measured_and_has_its_lines_in_the_data_sheet(self):
        with tempfile.TemporaryDirectory() as folder:
            measured = json.loads(say("bench", "added/", *TWO, "--quick", "--json", "--output", folder))
            self.assertEqual({row["status"] for row in measured["rows"]}, {"ok"})
            self.assertEqual(ours(measured["rows"]), FILES)
            page = pathlib.Path(folder, "page.html")
            say("report", folder, "-o", str(page))
            sheet = page.read_text().split("<h2 id=sheet>")[1].split("<h2 ")[0]
        found = [line for line in LINES if not re.search(rf"<td[^>]*>{line}\b", sheet)]
        self.assertEqual(found, [], sheet)


if __name__ == "__main__":
    WORKERS, TOCUDA = sys.argv[1:3]
    sys.exit(unittest.main(argv=sys.argv[:1]))
