# tocuda, Apache-2.0.
"""Draws several invented files, and verdicts: medians, bands, changes, fleets and claims are those of the documents."""

import pathlib
import re
import unittest

import with_matplotlib  # noqa: F401  first: exits as skipped without matplotlib

import made_up
import several_runs
from made_up_album import PINNED, OTHER, drawn, bench, judged, words, badly_placed, lines_of


class Several(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.sheets, cls.documents = drawn(*made_up.drivers())

    def test_many_files_have_one_picture_for_each_question(self):
        self.assertEqual(set(self.sheets), {"bandwidth-by-size", "mechanisms-at-one-size", "runs-by-driver", "changes"})
        for name, sheet in self.sheets.items():
            self.assertEqual(list(badly_placed(sheet)), [], name)

    def test_long_names_are_neither_cut_off_nor_cover_another(self):
        first, second = (
            bench(made_up.links()),
            bench(made_up.links(0.9, seed=2), session="other", boot="other", **OTHER),
        )
        for sheet in drawn(first, second)[0].values():
            self.assertEqual(list(badly_placed(sheet)), [], sheet.name)

    def test_medians_of_drivers_are_those_of_compare(self):
        places = lines_of(self.sheets["runs-by-driver"])
        (compared,) = self.documents.compared
        for row in compared["rows"]:
            for side in ("old", "new"):
                size = row["parameters"]["bytes"]
                self.assertIn((size, size / row[side]["seconds"]), places)

    def test_band_holds_every_run(self):
        table = self.sheets["runs-by-driver"].table
        self.assertEqual({row[1] for row in table}, {"driver 570.86.15 (11 runs)", "driver 580.95.05 (11 runs)"})
        for row in self.documents.judged[0]["rows"]:
            size, rate = row["parameters"]["bytes"], row["bytes_per_second_one_way"]
            self.assertTrue(any(x == size and low <= rate <= high for _, _, x, _, low, high in table))

    def test_changes_are_those_of_compare_and_plus_is_slower(self):
        sheet = self.sheets["changes"]
        (compared,) = self.documents.compared
        self.assertEqual(
            sorted((row["change"], *row["change_interval"]) for row in compared["rows"]),
            sorted((value, low, high) for _, _, _, value, low, high in sheet.table),
        )
        self.assertEqual({row["verdict"] for row in compared["rows"]}, {"slower"})
        self.assertTrue(all(row[3] > 0 for row in sheet.table))
        self.assertIn("+ is slower", words(sheet))

    def test_every_verdict_of_compare_is_drawn_or_has_no_change(self):
        header = pathlib.Path(__file__).resolve().parents[2] / "harness/values/model/comparison.hpp"
        words = re.findall('"([a-z ]+)"', header.read_text().split("change_words{")[1].split("}")[0])
        self.assertEqual({*several_runs.LOOKS, "invalid"}, set(words))

    def test_two_runs_of_one_driver_have_changes_without_intervals(self):
        rows = made_up.rows(PINNED, 1e-6, 5e10)
        runs = [bench(rows, session=name, boot=name, run=f"{name * 8}-0000-4000-8000-000000000000") for name in "ab"]
        sheet = drawn(*runs)[0]["changes"]
        self.assertEqual({row[4] for row in sheet.table}, {""})
        self.assertIn("no intervals", sheet.facts)
        self.assertIn("run aaaaaaaa to run bbbbbbbb", sheet.question)

    def test_real_and_simulated_runs_never_share_a_picture(self):
        rows = made_up.rows(PINNED, 1e-6, 5e10)
        sheets, _ = drawn(bench(rows), bench([row | {"device": "real"} for row in rows], device="real", **OTHER))
        self.assertEqual(set(sheets), {"bandwidth-by-size", "mechanisms-at-one-size"})
        self.assertNotIn("SIMULATED", sheets["bandwidth-by-size"].words)

    def test_gpu_that_stands_out_is_the_one_that_compare_finds(self):
        sheets, documents = drawn(*made_up.fleet(slow=7))
        (fleet,) = documents.fleets
        self.assertTrue(fleet["found"])
        self.assertEqual({row["node"] for row in fleet["found"]}, {"node07 cuda:0"})
        self.assertIn("node07 Made-up GPU: ", words(sheets["fleet"]))
        self.assertEqual(list(badly_placed(sheets["fleet"])), [])
        times = {row["median_seconds"] for row in documents.judged[0]["rows"]}
        self.assertEqual({row[3] for row in sheets["fleet"].table}, times)
        self.assertEqual({x for x, _ in lines_of(sheets["fleet"])}, times)


class Verdicts(unittest.TestCase):
    def test_claims_are_drawn_by_run_with_the_verdicts_of_the_document(self):
        later = judged(made_up.verdict_rows([("002-07", "refuted")]), libtorch={"version": "2.15.0"}, **OTHER)
        sheets, documents = drawn(judged(libtorch={"version": "2.11.0"}), later)
        said = {(run["about"]["libtorch"]["version"], claim["id"], claim["verdict"])
                for run in documents.judged[0]["runs"] for claim in run["claims"]}  # fmt: skip
        letters = {letter: version for letter, version in zip("AB", ("2.15.0", "2.11.0"))}
        self.assertEqual({(letters[row[0]], row[1], row[3]) for row in sheets["verdicts"].table}, said)
        self.assertIn("A  LibTorch 2.15.0, simulated device", words(sheets["verdicts"]))
        self.assertEqual(list(badly_placed(sheets["verdicts"])), [])

    def test_unexpected_verdicts_show_the_expected_one(self):
        claims = [made_up.claim("000-01", "refuted", "reproduced"), made_up.claim("000-02", "skipped", "partial")]
        sheets, _ = drawn(judged([made_up.scenario("capacity/made_up", "default", "simulated", claims)]))
        self.assertIn("✗ (✓)", words(sheets["verdicts"]))
        self.assertIn("1 unexpected", words(sheets["verdicts"]))

    def test_fragmentation_has_a_column_for_each_setting(self):
        rows = [
            made_up.scenario(
                "fragmentation/made_up", setting, "simulated", [made_up.claim("002-05", verdict, "partial")]
            )
            for setting, verdict in (("default", "partial"), ("expandable_segments", "refuted"))
        ]
        sheets, _ = drawn(judged(rows))
        (axes,) = sheets["fragmentation"].figure.axes
        self.assertEqual([text.get_text() for text in axes.get_xticklabels()], ["default", "expandable\nsegments"])
        self.assertEqual([row[2:4] for row in sheets["fragmentation"].table],
                         [("default", "partial"), ("expandable_segments", "refuted")])  # fmt: skip
        self.assertNotIn("fragmentation", drawn(judged())[0])


if __name__ == "__main__":
    unittest.main()
