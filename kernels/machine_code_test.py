#!/usr/bin/env python3
# tocuda, Apache-2.0.
# That machine_code.py finds what it looks for: on dumps as cuobjdump writes them, with one thing wrong in each.
import os
import subprocess
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
import machine_code

CODE = """
	code for sm_90
		Function : _ZN6tocuda9on_deviceINS_10VectorCopyEEEv
        /*0940*/                   LDG.E.128 R4, desc[UR16][R4.64] ;   /* 0x0000001004047981 */
        /*0a00*/                   STG.E.128.SYS desc[UR16][R2.64], R4 ;
"""
USAGE = """
arch = sm_90
Resource usage:
 Function _ZN6tocuda9on_deviceINS_10VectorCopyEEEv:
  REG:28 STACK:0 SHARED:0 LOCAL:0 CONSTANT[0]:560 TEXTURE:0
"""


KERNELS = {"VectorCopy": (1, [(machine_code.ANY, machine_code.LOAD), (machine_code.ANY, machine_code.STORE)])}


def found(code=CODE, usage=USAGE, architectures=("sm_90",), kernels=KERNELS):
    return list(machine_code.problems(machine_code.by_architecture(code), machine_code.by_architecture(usage), architectures, kernels))


class MachineCode(unittest.TestCase):
    def test_nothing_is_wrong(self):
        self.assertEqual(found(), [])

    def test_a_narrow_load(self):
        self.assertIn("has nothing like", found(CODE.replace("LDG.E.128", "LDG.E.64"))[0])

    def test_a_narrow_store(self):
        self.assertIn("has nothing like", found(CODE.replace("STG.E.128", "STG.E"))[0])

    def test_a_spill(self):
        self.assertEqual(found(CODE + "        /*0b00*/   STL [R1], R4 ;\n"), ["sm_90: VectorCopy spills: STL"])

    def test_a_stack(self):
        self.assertIn("keeps something on a stack", found(usage=USAGE.replace("STACK:0", "STACK:16"))[0])

    def test_an_architecture_that_was_not_built(self):
        self.assertIn("is there 0 times", found(architectures=("sm_90", "sm_100"))[0])

    def test_a_kernel_that_is_there_less_often_than_it_should_be(self):
        self.assertIn("is there 1 times, not 2", found(kernels={"VectorCopy": (2, [])})[0])

    def test_what_only_later_architectures_have_is_not_looked_for_in_earlier_ones(self):
        self.assertEqual(found(kernels={"VectorCopy": (1, [(100, "UBLKCP")])}), [])
        self.assertEqual(found(kernels={"VectorCopy": (1, [(90, "UBLKCP")])}), ["sm_90: VectorCopy has nothing like UBLKCP"])

    def test_without_cuobjdump_it_fails_in_continuous_integration_and_is_skipped_elsewhere(self):
        command = [sys.executable, Path(machine_code.__file__), "", "object", "90"]
        for ci, code in (("true", 1), ("", machine_code.SKIPPED)):
            done = subprocess.run(command, env={**os.environ, "CI": ci}, capture_output=True, text=True)
            self.assertEqual((done.returncode, "cuobjdump was not found" in done.stdout), (code, True), f"CI={ci}")


if __name__ == "__main__":
    unittest.main()
