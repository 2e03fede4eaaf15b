#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""Tests that `verify` accepts what the real workers record of every benchmark."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOCUDA = os.environ["TOCUDA_PROGRAM"]


class Verified(unittest.TestCase):
    def test_every_benchmark(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            environment = {**os.environ, "XDG_STATE_HOME": str(folder / "state"), "NO_COLOR": "1"}

            def tocuda(*words):
                return subprocess.run(
                    [TOCUDA, *words], capture_output=True, text=True, check=False, timeout=240, env=environment
                )

            # sustained/ measures no copies as small as these.
            known = {
                one["name"]
                for one in json.loads(tocuda("list", "--json").stdout)["benchmarks"]
                if "bytes" in one["parameters"] and not one["name"].startswith(("tune/", "sustained/"))
            }
            few = ("--simulate", "2xH200", "--bytes", "1MiB", "--quick", "--budget", "120")
            measured = tocuda("bench", *sorted(known), *few, "--quiet", "--output", name)
            self.assertEqual(measured.returncode, 0, measured.stdout + measured.stderr)
            (file,) = folder.glob("*.jsonl")
            rows = [json.loads(line) for line in file.read_text().splitlines()]
            said = {(row["benchmark"], row["status"]) for row in rows if row["kind"] == "measurement"}
            self.assertEqual({status for _, status in said} - {"ok", "skipped"}, set())
            self.assertEqual(known - {name for name, _ in said}, set())
            self.assertGreater(sum(status == "ok" for _, status in said), 30)
            verified = tocuda("verify", str(file))
            self.assertEqual(verified.returncode, 0, verified.stdout + verified.stderr)


if __name__ == "__main__":
    sys.exit(unittest.main())
