#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""Kernels under sanitizers and profiler, with fake tools."""

import pathlib
import sys
import tempfile
import types
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from campaigning import tools  # noqa: E402
from campaigning.tests.tiny_campaign import BEGIN, TinyCampaign, program  # noqa: E402

# Runs its arguments, as both tools do, and logs the text of the variable SAYS.
TOOL = (
    BEGIN
    + """
while [ "$1" != sh ]; do [ "$1" != --log-file ] || log=$2; shift; done
"$@" || exit
echo "$SAYS" >"$log"
behave
"""
)


class Tools(TinyCampaign):
    def go(self, **environment):
        for name in ("compute-sanitizer", "ncu"):
            program(self.place / "bin" / name, TOOL)
        path = f"{self.place}/bin:{self.environment()['PATH']}"
        words = self.only("build", "sanitizers", "ncu")
        return self.start(*words, PATH=path, **{"SAYS": "nothing", **environment})

    def why(self, step):
        return self.state()["steps"][step].get("why", "")

    def test_each_tool_runs_a_few_kernels_once_and_without_the_gate(self):
        code, calls, said = self.go()
        self.assertEqual(code, 0, said)
        for tool in tools.SANITIZERS:
            self.assertEqual(sum(f"--tool {tool}" in call for call in calls), 2, said)
        profiled = [call for call in calls if call.startswith("ncu --clock-control none ")]
        self.assertEqual(len(profiled), 2)
        self.assertIn("--kernel-name regex:.*on_device<tocuda::kernels::.* --launch-count 1", profiled[0])
        asked = (self.tree / "build/campaign/one/recorded/logs/ncu/memory_read.asked").read_text()
        self.assertIn(f'"bytes": {1 << 30}', asked)

    def test_wrong_kernel_is_named(self):
        _, _, said = self.go(KERNELS="wrong")
        self.assertIn("copy/device_to_device/best: wrong: 1 differs", self.why("ncu"), said)

    def test_missing_permission_for_counters_is_recorded(self):
        code, _, said = self.go(SAYS="==ERROR== ERR_NVGPUCTRPERM - The user does not have permission")
        self.assertEqual(code, 1, said)
        self.assertIn("ERR_NVGPUCTRPERM", self.why("ncu"))

    def test_sanitizer_error_is_that_of_its_tool_and_kernel(self):
        _, calls, said = self.go(FAILS="--tool racecheck", CODE="86")
        self.assertIn(
            "sanitizer-racecheck: copy/device_to_device/best: the tool reported an error", self.why("sanitizers"), said
        )
        self.assertNotIn("memcheck", self.why("sanitizers"))
        self.assertTrue([call for call in calls if "--tool initcheck" in call], "the others still run")

    def test_simulation_of_a_rehearsal_is_compiled_by_tocuda(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            program(folder / "build/default/tocuda", '#!/bin/sh\necho "compiled: $*"\n')
            asked = types.SimpleNamespace(simulate="1xH200")
            campaign = types.SimpleNamespace(repository=folder, recorded=folder / "one/recorded", asked=asked)
            worker, environment = tools.worker(campaign, folder)
            self.assertEqual(worker.name, "tocuda-cuda-simulated")
            simulation = pathlib.Path(environment["TOCUDA_SIMULATION"])
            self.assertEqual(simulation.read_text(), "compiled: __simulation 1xH200\n")


if __name__ == "__main__":
    unittest.main()
