#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""scripts/fidelity on two invented files: it prints differences and compares only rows that used a GPU."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

FIDELITY = Path(__file__).resolve().parent / "fidelity"


def row(name, device, verdict="refuted", variant="default", **evidence):
    return {
        "kind": "scenario",
        "name": name,
        "variant": variant,
        "device": device,
        "claims": [{"id": "000-04", "verdict": verdict}],
        "evidence": [{"key": key, "value": value, "computed": key != "sum"} for key, value in evidence.items()],
    }


class Fidelity(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def file(self, name, *rows, gpu="NVIDIA H200"):
        path = self.folder / name
        lines = [{"kind": "run", "gpus": [{"name": gpu}]}, *rows, {"kind": "end"}]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return path

    def compare(self, real, simulated):
        return self.start(self.file("real.jsonl", *real), self.file("simulated.jsonl", *simulated, gpu="simulated"))

    @staticmethod
    def start(*words):
        return subprocess.run([sys.executable, FIDELITY, *words], capture_output=True, text=True, check=False)

    def test_equal_rows_are_only_counted(self):
        done = self.compare(
            [row("dtype/double", "real", place="cuda:0")], [row("dtype/double", "simulated", place="cuda:0")]
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("1 rows: 1 of 1 verdicts and 1 of 1 observations are equal", done.stdout)
        self.assertNotIn("|", done.stdout)
        self.assertIn("real: NVIDIA H200", done.stdout)

    def test_different_verdict_is_printed_with_exit_code_1(self):
        done = self.compare([row("dtype/double", "real", "reproduced")], [row("dtype/double", "simulated")])
        self.assertEqual(done.returncode, 1)
        self.assertIn('! 000-04: "reproduced" | "refuted"', done.stdout)

    def test_different_evidence_is_printed_and_is_no_finding(self):
        done = self.compare(
            [row("capacity/large", "real", free=141, kernels=1)], [row("capacity/large", "simulated", free=8, calls=2)]
        )
        self.assertEqual(done.returncode, 0)
        self.assertIn("free: 141 | 8", done.stdout)
        self.assertIn("kernels: not observed on the simulated GPU", done.stdout)
        self.assertIn("calls: not observed on the real GPU", done.stdout)

    def test_values_that_were_not_computed_are_skipped(self):
        done = self.compare([row("dtype/double", "real", sum=1)], [row("dtype/double", "simulated", sum=0)])
        self.assertNotIn("sum", done.stdout)

    def test_rows_without_a_gpu_are_not_compared(self):
        done = self.compare(
            [row("dtype/double", "real"), row("cpu/a", "none")],
            [row("dtype/double", "simulated"), row("cpu/a", "none", "partial")],
        )
        self.assertEqual(done.returncode, 0)
        self.assertNotIn("cpu/a", done.stdout)

    def test_row_of_only_one_file_is_named(self):
        done = self.compare(
            [row("dtype/double", "real"), row("dtype/sum", "real", variant="computes")],
            [row("dtype/double", "simulated")],
        )
        self.assertIn("only on the real GPU: dtype/sum, computes", done.stdout)

    def test_files_in_the_wrong_order_have_nothing_to_compare(self):
        done = self.compare([row("dtype/double", "simulated")], [row("dtype/double", "real")])
        self.assertEqual(done.returncode, 4)
        self.assertIn("no row of a real GPU", done.stderr)

    def test_truncated_last_line_is_ignored_and_other_bad_lines_are_refused(self):
        real, simulated = (
            self.file("real.jsonl", row("a/b", "real")),
            self.file("simulated.jsonl", row("a/b", "simulated")),
        )
        whole = real.read_text()
        real.write_text(whole + '{"kind":"scen')
        self.assertEqual(self.start(real, simulated).returncode, 0)
        real.write_text('{"kind":\n' + whole)
        done = self.start(real, simulated)
        self.assertEqual(done.returncode, 2)
        self.assertIn("real.jsonl:1:", done.stderr)

    def test_usage_errors_and_missing_files_have_exit_code_2(self):
        self.assertEqual(self.start("one").returncode, 2)
        self.assertEqual(self.start(self.folder / "none", self.folder / "none").returncode, 2)
        self.assertEqual(self.start("--help").returncode, 0)


if __name__ == "__main__":
    sys.exit(unittest.main())
