#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""Tests sustained/ on simulated GPUs, whose minutes pass quickly: a sample and telemetry for each second, and whether
the speed held. Arguments: tocuda-cuda-simulated, tocuda, the folder of the simulated runtime."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "simulator"))
import simulated_gpus  # noqa: E402

MIB = 1 << 20
FIGURES = {
    "memory_bytes": 1 << 30,
    "memory_clock_khz": 1000000,
    "memory_bus_bits": 1000,
    "host_to_device_bytes_per_second": 20 * 10**9,
}
TELEMETRY = [
    "1 sm_clock_mhz 1980",
    "1 temperature_c 40",
    "1 power_mw 300000",
    "work+30 sm_clock_mhz 1500",
    "work+30 temperature_c 80",
]


def gpu(**variations):
    return {**simulated_gpus.profile("Warming", **FIGURES), "telemetry": TELEMETRY, **variations}


class Sustained(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def measure(self, copy, seconds=60, size=64 * MIB, **more):
        simulation = self.folder / "simulation"
        simulated_gpus.write_simulation(TOCUDA, simulation, gpu())
        given = {"bytes": size, "seconds": seconds, **more}
        (line,) = simulated_gpus.measured(SIMULATED, LIBRARIES, simulation, f"sustained/{copy}", [given])
        return line

    def bench(self, **variations):
        described = self.folder / "gpu.json"
        described.write_text(json.dumps(gpu(**variations)))
        words = ["bench", "sustained/host_to_device", "bytes=64MiB", "--simulate", f"1x{described}", "--json"]
        environment = {**os.environ, "XDG_STATE_HOME": str(self.folder / "state")}
        words = [TOCUDA, *words, "--output", str(self.folder / "results")]
        done = subprocess.run(words, capture_output=True, text=True, env=environment, timeout=300)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return json.loads(done.stdout)["rows"]

    def test_every_second_has_a_sample_and_its_telemetry(self):
        for copy, more in (("host_to_device", {}), ("device_to_device", {"by": "engine"})):
            line = self.measure(copy, **more)
            self.assertEqual((line["status"], len(line["samples"]), len(line["course"])), ("ok", 60, 60), line["check"])
            self.assertEqual(line["flags"], [])
            self.assertAlmostEqual(max(line["samples"]) / min(line["samples"]), 1, delta=0.001)
            clocks = [second["sm_clock_mhz"] for second in line["course"]]
            self.assertEqual(sorted(clocks, reverse=True), clocks)
            self.assertEqual((clocks[0], clocks[-1]), (1980, 1500))
            last = line["course"][-1]
            self.assertEqual((last["temperature_c"], last["power_w"]), (80, 300))

    def test_kernels_are_sustained_too(self):
        line = self.measure("device_to_device", seconds=2, by="kernel")
        self.assertEqual((line["status"], len(line["samples"])), ("ok", 2), line)

    def test_what_cannot_be_sustained_is_skipped_with_its_reason(self):
        for given, why in (
            ({"size": MIB}, "bytes must be at least 67108864"),
            ({"seconds": 0}, "seconds must be between 1 and"),
        ):
            line = self.measure("host_to_device", **given)
            self.assertEqual(line["status"], "skipped", line)
            self.assertIn(why, line["check"])

    def test_one_process_measures_it_and_the_row_says_whether_it_held(self):
        (row,) = self.bench()
        self.assertEqual((row["processes"], row["samples"], row["stopped"]), (1, 60, "once"))
        self.assertEqual([second["temperature_c"] for second in row["course"]][::59], [40, 80])
        self.assertTrue(any(flag.startswith("held its speed") for flag in row["flags"]), row["flags"])

    def test_a_gpu_that_becomes_slower_is_found(self):
        (row,) = self.bench(drift_per_second=0.002)
        (flag,) = [flag for flag in row["flags"] if "at the end" in flag]
        self.assertRegex(flag, "^slower at the end: the last 10 s are [0-9.]+ % below .*SM clock 1980 to 1500 MHz$")


SIMULATED, TOCUDA, LIBRARIES = sys.argv[1:4]
if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
