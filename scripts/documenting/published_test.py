#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""Tests the published numbers: their form, that their benchmarks exist, and that the document shows them."""

import json
import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import published  # noqa: E402

NUMBERS = json.loads(published.NUMBERS.read_text())
ALL = [(source, number) for source in NUMBERS["sources"] for number in source["numbers"]]
KINDS = {"measured", "complaint", "limit", "best_case"}
UNITS = {"payload": {"GB/s", "MB/s", "TB/s", "GiB/s", "MiB/s"}, "operations": {"TFLOPS"}}
UNITS["touched"] = UNITS["payload"]
FIELDS = {
    "kind": str,
    "gpu": (str, type(None)),
    "form": (str, type(None)),
    "link": (str, type(None)),
    "gpus": int,
    "benchmark": str,
    "parameters": dict,
    "bytes": (int, type(None)),
    "value": (int, float),
    "unit": str,
    "counts": str,
    "driver": (str, type(None)),
    "note": str,
}


def benchmarks():
    lines = (published.ROOT / "harness/supervisor/request/descriptions").glob("*.jsonl")
    found = [json.loads(line) for file in lines for line in file.read_text().splitlines() if line]
    return {one["name"]: set(one["parameters"]) for one in found if one["kind"] == "benchmark"}


class Published(unittest.TestCase):
    def test_there_are_enough_from_enough_sources(self):
        self.assertGreaterEqual(len(ALL), 60)
        self.assertGreaterEqual(len({source["by"] for source in NUMBERS["sources"]}), 15)

    def test_each_source_is_listed_once_with_its_address_and_date(self):
        addresses = [source["address"] for source in NUMBERS["sources"]]
        self.assertEqual(len(addresses), len(set(addresses)))
        for source in NUMBERS["sources"]:
            self.assertEqual(list(source), ["by", "address", "date", "numbers"])
            self.assertRegex(source["address"], r"^https://[^ ]+$")
            self.assertTrue(source["date"] is None or re.fullmatch(r"20\d\d-\d\d-\d\d", source["date"]), source["date"])

    def test_each_number_has_all_fields_of_known_kinds_and_units(self):
        for source, number in ALL:
            with self.subTest(source=source["address"], number=number):
                self.assertEqual(list(number), list(FIELDS))
                for name, kind in FIELDS.items():
                    self.assertIsInstance(number[name], kind, name)
                self.assertIn(number["kind"], KINDS)
                self.assertIn(number["unit"], UNITS[number["counts"]])
                self.assertGreater(number["value"], 0)
                self.assertGreaterEqual(number["gpus"], 1)
                self.assertIn(number["form"], {None, "SXM", "PCIe"})
                self.assertFalse(number["kind"] == "measured" and number["gpu"] is None)

    def test_no_number_is_listed_twice(self):
        keys = [json.dumps([source["by"], number], sort_keys=True) for source, number in ALL]
        self.assertEqual(len(keys), len(set(keys)))

    def test_each_is_of_a_benchmark_and_parameters_that_exist(self):
        known = benchmarks()
        quantities = {one["benchmark"] for one in NUMBERS["quantities"]}
        for _, number in ALL:
            self.assertIn(number["benchmark"], quantities)
            self.assertLessEqual(set(number["parameters"]), known[number["benchmark"]], number)
        self.assertEqual(quantities, {number["benchmark"] for _, number in ALL})

    def test_rows_of_other_tools_stand_for_parameters_that_exist(self):
        known = benchmarks()
        for quantity in NUMBERS["quantities"]:
            for one in quantity.get("also", []):
                self.assertLessEqual(set(one), {"benchmark", "where", "stands_for"})
                self.assertRegex(one["benchmark"], r"^(nvbandwidth|babelstream|nccl-tests)/\w+$")
                self.assertLessEqual(set(one.get("stands_for", {})), known[quantity["benchmark"]], one)

    def test_the_document_is_current(self):
        self.assertEqual(published.PAGE.read_text(), published.page(), "scripts/document writes it")


if __name__ == "__main__":
    unittest.main()
