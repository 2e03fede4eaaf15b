#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""scripts/choose_best on invented result files: it chooses the best variant, rewrites the table and ignores rows that
must not count."""

import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parent / "choose_best"
TABLE = """// Text around the entries is kept.
inline constexpr std::array chosen_variants{
    ChosenVariant{75, "copy", "unrolled", "hint=streaming in_flight=8 threads=256", "not measured yet: reasoned"},
    ChosenVariant{75, "triad", "triad_vectors", "hint=plain in_flight=4 tiles=1", "not measured yet: reasoned"},
    ChosenVariant{90, "triad", "triad_vectors", "hint=plain in_flight=4 tiles=1", "not measured yet: reasoned"},
    // clang-format on
};
"""
TRIAD = {"bytes": 1 << 30, "hint": "plain", "in_flight": 4, "tiles": 1}
RUN = {"kind": "run", "run": "1234abcd-0000", "gpus": [{"uuid": "GPU-1", "compute_capability": "9.0"}]}
TMA = {"bytes": 1 << 30, "blocks_each": 2, "stages": 4, "tile_bytes": 8192}


def rows(benchmark, parameters, rate, processes=3, **more):
    moved = 3 << 30
    row = {
        "kind": "measurement",
        "benchmark": benchmark,
        "parameters": parameters,
        "device": "real",
        "gpu": "GPU-1",
        "status": "ok",
        "bytes_touched": moved,
        "samples": [moved / rate],
        "flags": ["by triad_vectors (a flag that says something)"],
        **more,
    }
    return [row] * processes


class ChooseBest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.table = self.folder / "table.hpp"
        self.table.write_text(TABLE)

    def choose(self, lines, *words, text=None):
        result = self.folder / "tuned.jsonl"
        result.write_text(text if text is not None else "".join(json.dumps(line) + "\n" for line in [RUN, *lines]))
        command = [sys.executable, "-B", SCRIPT, "--table", self.table, result, *words]
        done = subprocess.run(command, capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr

    def entries(self):
        return [line.strip() for line in self.table.read_text().splitlines() if line.startswith("    ChosenVariant")]

    def test_fastest_is_printed_and_nothing_is_written_by_default(self):
        before = self.table.read_text()
        code, said, _ = self.choose(rows("tune/triad_by_vectors", TRIAD, 4e12) + rows("tune/triad_by_tma", TMA, 4.4e12))
        self.assertEqual((code, self.table.read_text()), (0, before))
        self.assertIn("triad on 9.0: triad_tma blocks_each=2 stages=4 tile_bytes=8192, 4400.0 GB/s", said)
        self.assertIn("the table has triad_vectors hint=plain in_flight=4 tiles=1: -9.09%", said)

    def test_only_its_entry_is_rewritten_with_the_name_of_the_result_file(self):
        before = self.entries()
        measured = rows("tune/triad_by_vectors", TRIAD, 4e12) + rows("tune/triad_by_tma", TMA, 4.4e12)
        code, _, said = self.choose(measured, "--write")
        self.assertEqual(code, 0, said)
        new = 'ChosenVariant{90, "triad", "triad_tma", "blocks_each=2 stages=4 tile_bytes=8192", "run 1234abcd"},'
        self.assertEqual(set(self.entries()) - set(before), {new})
        self.assertEqual(len(self.entries()), len(before))
        old = [line for line in before if '{90, "triad"' in line]
        self.assertEqual(set(before) - set(self.entries()), set(old))
        around = [re.sub(r"    ChosenVariant.*\n", "", text) for text in (self.table.read_text(), TABLE)]
        self.assertEqual(around[0], around[1])

    def test_script_can_read_the_real_table(self):
        real = SCRIPT.parent.parent / "harness/workers/measurement/chosen_variants.hpp"
        self.table.write_text(real.read_text())
        code, said, wrong = self.choose(rows("tune/triad_by_tma", TMA, 4.4e12), "--write")
        self.assertEqual((code, "the table has nothing" in said), (0, False), wrong)
        self.assertEqual(len(self.entries()), real.read_text().count("\n    ChosenVariant{"))

    def test_processes_of_several_files_count_together(self):
        other = self.folder / "other.jsonl"
        run = {**RUN, "run": "5678abcd-0000"}
        other.write_text("".join(json.dumps(line) + "\n" for line in [run, *rows("tune/triad_by_tma", TMA, 5e12, 2)]))
        code, said, wrong = self.choose(rows("tune/triad_by_tma", TMA, 5e12, 1), other, "--write")
        self.assertEqual(code, 0, wrong)
        self.assertIn("triad on 9.0: triad_tma", said)
        self.assertIn('"run 5678abcd"},', "".join(self.entries()))

    def test_of_two_models_the_variant_that_serves_both_is_chosen(self):
        gpus = [{**gpu, "name": name, "uuid": name} for gpu in RUN["gpus"] for name in ("Fast", "Slow")]
        small = {**TMA, "tile_bytes": 4096}
        rates = {("Fast", 8192): 4.3e12, ("Fast", 4096): 4.25e12, ("Slow", 8192): 2.8e12, ("Slow", 4096): 3e12}
        measured = [
            row
            for (gpu, tile), rate in rates.items()
            for row in rows("tune/triad_by_tma", TMA if tile == 8192 else small, rate, gpu=gpu)
        ]
        only_one = rows("tune/triad_by_tma", {**TMA, "stages": 6}, 4.4e12, gpu="Fast")
        code, said, wrong = self.choose([{**RUN, "gpus": gpus}, *measured, *only_one])
        self.assertEqual(code, 0, wrong)
        self.assertIn("tile_bytes=4096, 4250.0 GB/s on Fast, 3000.0 GB/s on Slow", said)

    def test_what_one_model_did_not_measure_stays_unless_something_is_faster_on_the_other(self):
        gpus = [{**gpu, "name": name, "uuid": name} for gpu in RUN["gpus"] for name in ("Fast", "Slow")]
        both = [row for gpu in ("Fast", "Slow") for row in rows("tune/triad_by_tma", TMA, 3e12, gpu=gpu)]
        for rate, chosen in ((3.2e12, "triad_vectors"), (2.9e12, "triad_tma")):
            held = rows("tune/triad_by_vectors", TRIAD, rate, gpu="Slow")
            _, said, _ = self.choose([{**RUN, "gpus": gpus}, *both, *held])
            self.assertIn(f"triad on 9.0: {chosen}", said)

    def test_gpu_without_an_entry_gets_one(self):
        run = {"kind": "run", "run": "1234abcd-0000", "gpus": [{"uuid": "GPU-2", "compute_capability": "8.9"}]}
        code, _, said = self.choose([run, *rows("tune/triad_by_vectors", TRIAD, 4e11, gpu="GPU-2")], "--write")
        self.assertEqual(code, 0, said)
        new = 'ChosenVariant{89, "triad", "triad_vectors", "hint=plain in_flight=4 tiles=1", "run 1234abcd"},'
        self.assertIn(new, self.entries())

    def test_table_keeps_a_variant_that_is_as_good(self):
        measured = rows("tune/triad_by_vectors", TRIAD, 4e12) + rows("tune/triad_by_tma", TMA, 4.01e12)
        code, said, _ = self.choose(measured, "--write")
        self.assertEqual(code, 0)
        self.assertIn("triad on 9.0: triad_vectors hint=plain in_flight=4 tiles=1, 4000.0 GB/s", said)

    def test_distrusted_rows_do_not_count(self):
        good = rows("tune/triad_by_vectors", TRIAD, 4e12)
        for bad in (
            rows("tune/triad_by_tma", TMA, 9e12, processes=2),
            rows("tune/triad_by_tma", TMA, 9e12, status="wrong"),
            rows("tune/triad_by_tma", TMA, 9e12, flags=["clock_not_steady"]),
            rows("tune/triad_by_tma", TMA, 9e12, flags=["budget"]),
            rows("memory/triad", TMA, 9e12),
        ):
            code, said, _ = self.choose(good + bad)
            self.assertEqual((code, "9000" in said), (0, False), bad[0])

    def test_rate_is_the_median_of_processes_and_not_the_best(self):
        lucky = rows("tune/triad_by_tma", TMA, 3e12) + rows("tune/triad_by_tma", TMA, 9e12, processes=1)
        self.assertIn(
            "triad_vectors", self.choose(rows("tune/triad_by_vectors", TRIAD, 4e12) + lucky)[1].splitlines()[0]
        )

    def test_simulated_gpus_choose_nothing(self):
        before = self.table.read_text()
        code, _, said = self.choose(rows("tune/triad_by_tma", TMA, 9e12, device="simulated"), "--write")
        self.assertEqual((code, self.table.read_text()), (1, before))
        self.assertIn("simulated", said)

    def test_files_without_tuning_rows_and_other_files_are_refused(self):
        self.assertEqual(self.choose([])[0], 4)
        self.assertEqual(self.choose([], text="no json\nat all\n")[0], 2)
        self.assertEqual(
            self.choose(
                [],
                text=json.dumps(RUN)
                + "\n"
                + "".join(json.dumps(row) + "\n" for row in rows("tune/triad_by_tma", TMA, 4e12))
                + '{"kind":"mea',
            )[0],
            0,
            "its last line was cut off",
        )


if __name__ == "__main__":
    unittest.main()
