#!/usr/bin/env python3
# tocuda, Apache-2.0.
# That the prediction counts as it says: loads that wait, blocks that fit, and a kernel that keeps too little in flight.
import sys
import unittest

sys.dont_write_bytecode = True
import predicted

FOUR_LOADS = """
        /*0010*/                   LDG.E.128 R4, desc[UR16][R2.64] ;
        /*0020*/                   LDG.E.128 R8, desc[UR16][R2.64+0x1000] ;
        /*0030*/                   LDG.E.NA.128.CONSTANT R12, desc[UR16][R2.64+0x2000] ;
        /*0040*/              @!P0 LDG.E.128.SYS R16, desc[UR16][R2.64+0x3000] ;
        /*0050*/                   STG.E.128 desc[UR16][R24.64], R4 ;
"""
USAGE = "  REG:{} STACK:0 SHARED:0 LOCAL:0 CONSTANT[0]:560 TEXTURE:0"


def row(name="Copy", threads=256, registers=32, code=FOUR_LOADS, best="best", staged=0, shared=0, gpu="H200"):
    [shape] = predicted.shapes(f"{name} {threads} {shared} {staged} 100 0 {best}\n")
    key = ("sm_90", "_Z4Copy")
    rows = list(predicted.rows([shape], {key: code}, {key: USAGE.format(registers)}, ["90"]))
    return next(each for each in rows if each[0] == gpu)


class Predicted(unittest.TestCase):
    def test_loads_wait_until_one_is_used(self):
        self.assertEqual(predicted.loaded_at_once(FOUR_LOADS), 64)
        self.assertEqual(predicted.loaded_at_once(FOUR_LOADS.replace("R12,", "R4,")), 48)

    def test_a_load_that_is_used_waits_no_longer(self):
        used = FOUR_LOADS.replace("/*0030*/", "/*0028*/ IADD3 R5, R7, 0x1, RZ ;\n        /*0030*/")
        self.assertEqual(predicted.loaded_at_once(used), 48)

    def test_nothing_waits_across_a_jump(self):
        self.assertEqual(predicted.loaded_at_once(FOUR_LOADS.replace("/*0030*/", "/*0028*/ BRA 0x10 ;\n        /*0030*/")), 32)

    def test_256_bits_come_in_two_runs_of_registers(self):
        code = "        /*0010*/ LDG.E.ENL2.256 R8, R4, desc[UR4][R2.64] ;\n        /*0020*/ LDG.E.ENL2.256 R16, R12, desc[UR4][R2.64+0x20] ;\n"
        self.assertEqual(predicted.loaded_at_once(code), 64)
        self.assertEqual(predicted.loaded_at_once(code.replace("R2.64+0x20", "R4.64")), 32)

    def test_blocks_are_limited_by_registers_threads_and_shared_memory(self):
        self.assertEqual(row(registers=32)[3], 8)
        self.assertEqual(row(registers=33)[3], 6)
        self.assertEqual(row(threads=1024, registers=64)[3], 1)
        self.assertEqual(row(threads=32, shared=32896, staged=24576)[3:5], (6, 6 * 24576))

    def test_a_kernel_is_held_to_what_the_gpu_needs(self):
        self.assertEqual(row()[4:], (8 * 256 * 64, 48 << 10, True))
        self.assertEqual(row(best="plain")[6], False)

    def test_a_kernel_that_is_missing_is_not_enough(self):
        self.assertEqual(row(name="Another")[4:], (0, 48 << 10, True))

    def test_gpus_differ_in_what_they_need(self):
        self.assertEqual(row(gpu="H100")[5], 32 << 10)


if __name__ == "__main__":
    unittest.main()
