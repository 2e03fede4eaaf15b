#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""Kernels under sanitizers and profiler, and facts about the machine: with fake tools and a fake PCI bus."""

import os
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from campaigning import facts  # noqa: E402
from campaigning.tests.tiny_campaign import BEGIN, TinyCampaign, program  # noqa: E402

# Runs its arguments, as both tools do, and logs the text of the variable SAYS.
TOOL = (
    BEGIN
    + r"""
while [ "$1" != sh ]; do
  [ "$1" != --log-file ] || log=$2
  shift
done
"$@" || exit
echo "$SAYS" >"$log"
behave
"""
)


class Tools(TinyCampaign):
    def go(self, **environment):
        self.built()
        for name in ("compute-sanitizer", "ncu"):
            program(self.place / "bin" / name, TOOL)
        path = f"{self.place}/bin:{os.environ['PATH']}"
        return self.start("--part", "3", PATH=path, **{"SAYS": "nothing", **environment})

    def steps(self):
        return self.state("campaign.tar.gz")["steps"]

    def test_each_tool_runs_each_kernel_without_the_gate(self):
        code, calls, said = self.go()
        self.assertEqual(code, 0, said)
        for tool in ("memcheck", "racecheck", "synccheck", "initcheck"):
            self.assertEqual(sum(f"--tool {tool}" in call for call in calls), 5, said)
            self.assertEqual(self.steps()[f"sanitizer-{tool}"]["outcome"], "done")
        profiled = [call for call in calls if call.startswith("ncu --clock-control none ")]
        self.assertEqual(len(profiled), 5)
        self.assertEqual(sum(call.startswith("tocuda-cuda measure memory/read") for call in calls), 5)

    def test_missing_permission_for_counters_is_recorded(self):
        code, _, said = self.go(SAYS="==ERROR== ERR_NVGPUCTRPERM - The user does not have permission")
        self.assertEqual(code, 1, said)
        self.assertIn("ERR_NVGPUCTRPERM", self.steps()["ncu"]["why"])
        self.assertEqual(self.steps()["bench"]["outcome"], "done")

    def test_sanitizer_error_fails_its_kernel(self):
        _, _, said = self.go(FAILS="--tool racecheck", CODE="86")
        found = self.steps()["sanitizer-racecheck"]["why"]
        self.assertIn("copy/device_to_device/best: the tool reported an error", found, said)
        self.assertEqual(self.steps()["sanitizer-memcheck"]["outcome"], "done")


class Bus(unittest.TestCase):
    def test_links_of_gpus_and_their_bridges_are_read(self):
        with tempfile.TemporaryDirectory() as place:
            bus, bridge = Path(place) / "bus", Path(place) / "devices/0000:00:01.0"
            gpu = bridge / "0000:01:00.0"
            gpu.mkdir(parents=True)
            bus.mkdir()
            (gpu / "vendor").write_text("0x10de\n")
            (gpu / "current_link_speed").write_text("32.0 GT/s PCIe\n")
            (gpu / "numa_node").write_text("1\n")
            (bridge / "current_link_speed").write_text("16.0 GT/s PCIe\n")
            (bus / gpu.name).symlink_to(gpu)
            self.assertEqual(
                facts.links(bus).splitlines(),
                [
                    "0000:01:00.0: vendor 0x10de, current_link_speed 32.0 GT/s PCIe, numa_node 1",
                    "0000:00:01.0: current_link_speed 16.0 GT/s PCIe",
                ],
            )
            self.assertEqual(facts.links(Path(place)), "no NVIDIA device on the PCI bus")


if __name__ == "__main__":
    unittest.main()
