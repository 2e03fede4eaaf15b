#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""Compares the tables of docs/measured.md with the result files that they name."""

import json
import re
import statistics
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/measured.md"
ROW = re.compile(r"^\| `([^`]+)` \| (\d+) ([GM]iB) \| ([\d.]+) \| ([\d.]+) to ([\d.]+) \| ([\d.]+) % \|$", re.M)
UNITS = {"MiB": 1 << 20, "GiB": 1 << 30}


def measured(path):
    """(benchmark, bytes) -> the median seconds of each process, and a row of it."""
    found = {}
    for row in map(json.loads, path.read_text().splitlines()):
        if row["kind"] == "measurement" and row["status"] == "ok":
            seconds, _ = found.setdefault((row["benchmark"], row["parameters"].get("bytes")), ([], row))
            seconds.append(statistics.median(row["samples"]))
    return found


def rounded_as(text, value):
    """The value with as many decimals as the text has."""
    return f"{value:.{len(text.partition('.')[2])}f}"


class Measured(unittest.TestCase):
    def test_the_tables_say_what_their_files_say(self):
        sections = re.split(r"^## ", PAGE.read_text(), flags=re.M)[1:]
        self.assertGreater(len(sections), 1)
        for text in sections:
            found = measured((PAGE.parent / re.search(r"\]\((\.\./results/[^)]*bench[^)]*)\)", text)[1]).resolve())
            rows = ROW.findall(text)
            self.assertGreater(len(rows), 10)
            for benchmark, count, unit, *told in rows:
                with self.subTest(benchmark, size=f"{count} {unit}"):
                    self.compare(found[benchmark, int(count) * UNITS[unit]], *told)

    def compare(self, found, rate, least, most, share):
        seconds, row = found
        within = row["peak_counted"] == "touched"
        moved = row["bytes_touched" if within else "bytes_one_way"]
        times = (statistics.median(seconds), max(seconds), min(seconds))
        for told, each in zip((rate, least, most), times):
            self.assertEqual(rounded_as(told, moved / each / 1e9), told)
        self.assertEqual(rounded_as(share, 100 * moved / times[0] / row["peak_bytes_per_second"]), share)


if __name__ == "__main__":
    unittest.main()
