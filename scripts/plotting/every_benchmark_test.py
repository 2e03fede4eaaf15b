# tocuda, Apache-2.0.
"""Every benchmark that `tocuda list` names has a picture, alone and beside all others, and every row of it is drawn."""

import unittest

import with_matplotlib  # noqa: F401  first: exits as skipped without matplotlib

import made_up_list
from album import album
from document import Documents
from made_up_album import badly_placed, bench, drawn, words
from source import sources_of

OF_THE_HOST = {"host-memory", "nodes-of-the-host", "host-latency-by-working-set", "rest-of-host"}
VALUES = "median_seconds", "items_per_second", "bytes_per_second_one_way", "bytes_per_second_touched"


def values_of(row):
    """All figures that a picture may show of a row; heat maps have GB/s and ns."""
    found = [row.get(name) for name in VALUES]
    return {value * scale for value in found if value for scale in (1, 1e9)} | {value / 1e9 for value in found if value}


def missing(sheets, rows):
    figures = {row[3] for sheet in sheets for row in sheet.table}
    return [(row["benchmark"], row["parameters"]) for row in rows if not values_of(row) & figures]


class EveryBenchmark(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        listed = made_up_list.benchmarks()
        cls.names = [one["name"] for one in listed]
        rows = [row for one in listed for row in made_up_list.rows_of(one)]
        cls.sheets, cls.documents = drawn(bench(rows, machine={"host": "made-up", "cpu": "Made-up CPU"}))
        (cls.document,) = cls.documents.judged

    def test_each_row_is_drawn_where_all_are_in_one_file(self):
        self.assertEqual({row["benchmark"] for row in self.document["rows"]}, set(self.names))
        self.assertEqual(missing(self.sheets.values(), self.document["rows"]), [])

    def test_each_row_is_drawn_where_a_benchmark_is_alone(self):
        for name in self.names:
            parts = {
                part: [one for one in self.document.get(part, []) if one.get("benchmark") == name]
                for part in ("rows", "fits", "taxes")
            }
            alone = Documents([{**self.document, **parts}], [], [])
            sheets = [sheet for sheet in album(sources_of(alone.judged), alone, None) if sheet]
            self.assertEqual(missing(sheets, parts["rows"]), [], name)

    def test_no_text_is_cut_off_or_covers_another(self):
        for name, sheet in self.sheets.items():
            self.assertEqual(list(badly_placed(sheet)), [], name)

    def test_only_rows_of_the_host_are_not_labelled_as_simulated(self):
        others = {name for name, sheet in self.sheets.items() if "SIMULATED" not in words(sheet)}
        self.assertEqual(others, OF_THE_HOST)


if __name__ == "__main__":
    unittest.main()
