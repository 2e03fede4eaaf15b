# tocuda, Apache-2.0.
"""What the pictures show and what the tables of `tocuda bench` say are the same numbers: both are made from one made-up file.

agreement_test.py PROGRAM: the one that prints the document which bench would have printed."""
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

import made_up
from line_fit import fit_line
from result_file import read
from source import sources_of

PROGRAM = sys.argv.pop(1) if len(sys.argv) > 1 and not sys.argv[1].startswith(("-", "Agreement")) else ""
PINNED = "copy/host_to_device/pinned"


def troubled(rows):
    """Some of every kind of row that does not count or has a flag, and processes that differ much."""
    chance = random.Random("troubled")
    for row in rows:
        row["samples"] = [sample * chance.lognormvariate(0, 0.2) for sample in row["samples"]]
        row["during"] = {"sm_clock_mhz": chance.choice([1980, 1975, 1980, 1860]), "link_width": chance.choice([16, 16, 8])}
        drawn = chance.random()
        if drawn < 0.06:
            row["status"] = chance.choice(["wrong", "failed", "timeout", "crashed", "skipped", "invalid"])
        elif drawn < 0.12:
            row |= {"before": {"violation_ns": {"hw_thermal": 1, "sw_power_cap": 2}}, "after": {"violation_ns": {"hw_thermal": 2, "sw_power_cap": 9}}}
        elif drawn < 0.3:
            row["after"] = {"reasons": ["sw_power_cap", "gpu_idle"], "foreign_processes": chance.randrange(2), "link_width": 8}
        elif drawn < 0.33:
            row["samples"] = []
    return rows


def file_content():
    run = made_up.run_line()
    run["gpus"][0]["pcie"] = {"width_max": 16}
    rows = made_up.links() + made_up.memory() + made_up.framework() + made_up.start()
    for processes in (1, 2, 5, 7, 9, 20):
        rows += made_up.rows("memory/odd", 2e-6, 1e12, [4, 64, 4096], processes, parameters={"of": processes}, noise=0.3)
    rows += made_up.rows("copy/host_to_device/flat", 1e-5, 1e30) + made_up.rows("copy/host_to_device/no_start", 1e-30, 1e9)
    for number, size in enumerate(made_up.POWERS):
        rows += made_up.rows("copy/host_to_device/bent", 1e-6 * (number % 2 * 50 + 1), 1e9 * (number % 3 * 20 + 1), [size])
    return made_up.section(run, troubled(rows))


def key_of(one):
    size = one["parameters"].get("bytes")
    rest = tuple(sorted((name, value if isinstance(value, str) else json.dumps(value)) for name, value in one["parameters"].items() if name != "bytes"))
    return one["benchmark"], rest, size


@unittest.skipUnless(PROGRAM, "no program to agree with")
class Agreement(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "made_up.jsonl"
            path.write_bytes(file_content())
            cls.document = json.loads(subprocess.run([PROGRAM, str(path)], check=True, capture_output=True, text=True).stdout)
            source, = sources_of(read(path, lambda _: None), lambda _: None)
        cls.curves = {(curve.benchmark, curve.parameters): curve for curve in source.curves}

    def alike(self, ours, theirs, what):
        if theirs is None or ours is None:
            self.assertEqual(ours, theirs, what)
        else:
            self.assertAlmostEqual(ours / theirs, 1, 9, what)

    def test_every_row_has_its_point(self):
        points = {(*key, point.bytes) for key, curve in self.curves.items() for point in curve.points}
        self.assertEqual(points, {key_of(row) for row in self.document["rows"]})

    def test_status_median_interval_and_speeds_are_the_same(self):
        for row in self.document["rows"]:
            benchmark, rest, size = key_of(row)
            point = self.curves[benchmark, rest].at(size)
            self.assertEqual(point.status, row["status"], row)
            if row["status"] != "ok":
                continue
            self.assertEqual(len(point.process_medians), row["processes"], row)
            self.alike(point.median, row["median_seconds"], row)
            for ours, theirs in zip(point.interval or (None, None), row["interval"] or (None, None)):
                self.alike(ours, theirs, row)
            self.alike(point.one_way / point.median or None, row["bytes_per_second_one_way"], row)
            self.alike(point.touched / point.median or None, row["bytes_per_second_touched"], row)

    def test_what_does_not_count_is_the_same(self):
        for row in self.document["rows"]:
            benchmark, rest, size = key_of(row)
            theirs = sorted(one["status"] for one in row["left_out"])
            ours = sorted(status for _, status, _ in self.curves[benchmark, rest].at(size).left_out)
            self.assertEqual(ours, theirs, row)

    def test_flags_are_the_same(self):
        for row in self.document["rows"]:
            benchmark, rest, size = key_of(row)
            ours = {flag for one in self.curves[benchmark, rest].at(size).rows for flag in one.flags}
            self.assertEqual(ours, set(row["flags"]), row)

    def test_shares_of_the_peak_are_the_same(self):
        for row in self.document["rows"]:
            benchmark, rest, size = key_of(row)
            curve = self.curves[benchmark, rest]
            point = curve.at(size)
            if row["status"] == "ok" and "percent_of_peak" in row:
                self.alike(100 * point.rate(point.median, curve.convention) / point.peak, row["percent_of_peak"], row)

    def test_fits_are_the_same_and_are_refused_for_the_same_reason(self):
        self.assertGreater(sum(fit["t0_seconds"] is not None for fit in self.document["fits"]), 10)
        for theirs in self.document["fits"]:
            benchmark, rest, _ = key_of(theirs)
            ours, because = fit_line([(point.one_way, point.median) for point in self.curves[benchmark, rest].sound if point.one_way > 0])
            self.assertEqual(because, theirs.get("because", ""), theirs)
            for name in ("t0_seconds", "bytes_per_second", "half_bandwidth_bytes", "residual"):
                self.alike(getattr(ours, name) if ours else None, theirs[name], theirs)


if __name__ == "__main__":
    unittest.main()
