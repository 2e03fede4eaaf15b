#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""Where recordings are kept, which are refused, and that results/README.md says what the recordings say."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parent
sys.path.insert(0, str(SCRIPTS))
import kept  # noqa: E402

DEBIAN = {
    "kind": "run",
    "verb": "run",
    "device": "simulated",
    "machine": {"os": "Debian GNU/Linux 12 (bookworm)"},
    "libtorch": {"version": "2.15.0+cu132"},
    "suite": {"commit": "1234", "dirty": False},
}
H200 = {**DEBIAN, "device": "real", "gpus": [{"name": "NVIDIA H200"}], "driver": {"kernel_module": "580.95.05"}}


def results(*words):
    return subprocess.run([SCRIPTS / "results", *words], capture_output=True, text=True, check=False)


class Folder(unittest.TestCase):
    def test_machine_without_gpu_by_torch_and_system(self):
        self.assertEqual(kept.folder_of(DEBIAN), "no-gpu/torch-2.15/debian-12")
        ubuntu = {**DEBIAN, "machine": {"os": "Ubuntu 24.04.1 LTS"}, "libtorch": {"version": "2.11.0"}}
        self.assertEqual(kept.folder_of(ubuntu), "no-gpu/torch-2.11/ubuntu-24.04")

    def test_gpu_by_name_and_driver(self):
        self.assertEqual(kept.folder_of(H200), "nvidia-h200/580.95.05")

    def test_hostile_names_stay_in_results(self):
        hostile = {**H200, "gpus": [{"name": "../../etc"}], "driver": {"kernel_module": ".."}}
        self.assertEqual(kept.folder_of(hostile), "etc/unknown")


class Refused(unittest.TestCase):
    def why_not(self, code=0, **changed):
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "tocuda"
            program.write_text(f"#!/bin/sh\necho damaged\nexit {code}\n")
            program.chmod(0o755)
            file = Path(folder) / "file.jsonl"
            file.write_text("{}\n")
            return kept.why_not(file, {**DEBIAN, **changed}, program)

    def test_verdicts_of_a_committed_tree_are_kept(self):
        self.assertEqual(self.why_not(), "")

    def test_each_reason(self):
        self.assertIn("measured on a simulated GPU", self.why_not(verb="bench"))
        self.assertIn("uncommitted", self.why_not(suite={"commit": "1234", "dirty": True}))
        self.assertIn("commit", self.why_not(suite={"dirty": False}))
        self.assertIn("verify: exit code 1: damaged", self.why_not(code=1))

    def test_what_is_no_result_file_is_a_usage_error(self):
        done = results("keep", __file__)
        self.assertEqual(done.returncode, 2, done)
        self.assertIn("not a line of a result file", done.stderr)


@unittest.skipUnless("TOCUDA_PROGRAM" in os.environ, "TOCUDA_PROGRAM names no program to judge with")
class Table(unittest.TestCase):
    def test_is_up_to_date(self):
        done = results("table", "--check")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_links_lead_to_rows_with_the_claim(self):
        links = 0
        for line in (SCRIPTS.parent / "results/README.md").read_text().splitlines():
            if "](" not in line:
                continue
            claim = line.split("|")[1].strip()
            for link in [part.split(")")[0] for part in line.split("](")[1:]]:
                file, number = link.split("#L")
                row = json.loads((SCRIPTS.parent / "results" / file).read_text().splitlines()[int(number) - 1])
                self.assertIn(claim, [one["id"] for one in row["claims"]], link)
                links += 1
        self.assertGreaterEqual(links, 86)


if __name__ == "__main__":
    unittest.main()
