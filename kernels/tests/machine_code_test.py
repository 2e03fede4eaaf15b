#!/usr/bin/env python3
# tocuda, Apache-2.0.
# Tests that machine_code.py finds each error, on dumps as cuobjdump writes them with one error each.
import os
import subprocess
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
import machine_code

COPY = "_ZN6tocuda9on_deviceINS_12UnrolledCopyILj2ELNS_4HintE0ELj256EEEJPSt4bytePKS4_mEEEvT_DpT0_"
TRIAD = "_ZN6tocuda9on_deviceINS_5TriadILj1ENS_4PairELNS_4HintE0ELb0EEEJPdPKdS6_mEEEvT_DpT0_"
LOADS = """        /*0940*/                   LDG.E.128 R4, desc[UR16][R4.64] ;   /* 0x0000001004047981 */
        /*0950*/                   LDG.E.128 R8, desc[UR16][R8.64] ;
"""
READ = "_ZN6tocuda9on_deviceINS_7kernels4read7ReadAllILj2ENS_8Vector16EEEJPjPKSt4bytemEEEvT_DpT0_"
WIDE = COPY.replace("ELNS_4HintE0E", "ENS_8Vector32ELNS_4HintE3E")
READ_THROUGH = "_ZN6tocuda9on_deviceINS_7kernels13emptied_cache11ReadThroughEJPVKmmEEEvT_DpT0_"
# Kernels named by their loads, of which this test needs no more than the names.
OTHERS = [f"_ZN6tocuda9on_deviceINS_{name}EEEJPdPKdmEEEvT_DpT0_" for name in ("5ScaleILj0E", "3DotILj0E")]
OTHERS += ["_ZN6tocuda9on_deviceINS_7kernels4cast4CastILj0EfNS_10SmallFloatItLj5EEEEEvT_DpT0_"]
OTHERS += [f"_ZN6tocuda9on_deviceINS_3SumILj0ELb{adds}EdEEJPdPKdmEEEvT_DpT0_" for adds in (0, 1)]
USED = "_ZN6tocuda9on_deviceINS_7kernels7atomics10AtomicallyILNS_15AtomicOperationE0EjLb1EEEJPjmjPmEEEvT_DpT0_"
UNUSED = USED.replace("Lb1EE", "Lb0EE")
SWAPPING = "_ZN6tocuda9on_deviceINS_7kernels7atomics8SwappingIjEEJPjmjPmEEEvT_DpT0_"
COMPUTE = "_ZN6tocuda9on_deviceINS_7kernels12compute_load7ComputeILj128EEEJPNS_14ComputeReportsEPjjEEEvT_DpT0_"
NARROWING = "_ZN6tocuda9on_deviceINS_7kernels4cast4CastILj4EfNS_10SmallFloatIhLj5ELj2ELb1EEEEEJPS6_PKfmEEEvT_DpT0_"
CURVES = [
    f"_ZN6tocuda9on_deviceINS_7kernels5curve{of}EJNS_5CurveEPKSt4bytePjEEEvT_DpT0_" for of in ("4Read", "10ReadShared")
]
LOOP = "".join(
    f"        /*{place:04x}*/                   LDG.E.128 R4, desc[UR6][R4.64] ;\n" for place in range(0, 64, 16)
)
LOOP += "".join(f"        /*{place:04x}*/                   IADD3 R4, R5, R4, R8 ;\n" for place in range(64, 496, 16))
LOOP += "        /*01f0*/               @P1 BRA 0x0 ;\n"
INSIDE = "_ZN6tocuda9on_deviceINS_7kernels{}EEJPSt4bytemEEEvT_DpT0_"
SECTORS = [INSIDE.format(f"14random_sectors{of}") for of in ("11ReadSectorsILj8EE", "13UpdateSectorsILj8EE")]
LOADED_CHASE = INSIDE.format("12loaded_chase11LoadedChaseE")
TO_SECTORS = INSIDE.format("14random_sectors12AddToSectorsE")
FLAGS = [INSIDE.format(f"4flag8PassFlagILb{begins}EE") for begins in (0, 1)]
IN_BULK = INSIDE.format("5chase11ChaseInBulkE")


def flight(bits):
    """Eight loads between other arithmetic, then the first instruction that needs one of them."""
    at = "        /*{:04x}*/                   {} ;\n"
    loads = [f"LDG.E.{bits} R{4 * i + 20}, desc[UR6][R{4 * i + 20}.64]" for i in range(8)]
    between = [text for load in loads for text in ("LOP3.LUT R2, R2, R3, RZ, 0x3c, !PT", load)]
    return "".join(at.format(16 * i, text) for i, text in enumerate([*between, "IADD3 R2, R21, R20, R2"]))


# The chains, and an instruction of each with its register and the one that has the address.
CHAINS = {
    "10step_chain11SharedChainILNS_9ChainStepE0EE": "LDS R{}, [R{}]",
    "10step_chain11SharedChainILNS_9ChainStepE1EE": "ATOMS.ADD R{}, [R{}], R2",
    "10step_chain11SharedChainILNS_9ChainStepE2EE": "ATOMS.EXCH R{}, [R{}], R2",
    "10step_chain9LineChainILNS_9ChainStepE1EE": "ATOMG.E.ADD.64.STRONG.GPU PT, R{}, desc[UR4][R{}.64], R2",
    "10step_chain9LineChainILNS_9ChainStepE2EE": "ATOMG.E.EXCH.64.STRONG.GPU PT, R{}, desc[UR4][R{}.64], R2",
}
CHAINS = {
    INSIDE.format(name): "".join(
        f"        /*{16 * i:04x}*/                   {step.format(2 * i + 6, 2 * i + 4)} ;\n" for i in range(4)
    )
    for name, step in CHAINS.items()
}
# Products with a single chain, of which sm_90 has no float8.
PRODUCTS = {
    INSIDE.format(f"6tensor10MultipliesILNS_12TensorNumberE{number}ELj1EE"): instruction
    for number, instruction in enumerate(("HMMA.16816.F32", "HMMA.16816.F32.BF16", "HMMA.1688.F32.TF32"))
}
PRODUCTS[INSIDE.format("6tensor10MultipliesILNS_12TensorNumberE3ELj1EE")] = "IMMA.16832.S8.S8"
FLOAT8 = INSIDE.format("6tensor10MultipliesILNS_12TensorNumberE4ELj1EE")
# Products of groups of warps, which sm_90 lacks and sm_90a has.
GROUPS = {
    INSIDE.format(f"6tensor18MultipliesInGroupsILNS_12TensorNumberE{number}EEE"): instruction
    for number, instruction in enumerate(
        ("HGMMA.64x64x16.F32", "HGMMA.64x64x16.F32.BF16", "HGMMA.64x64x8.F32.TF32", "IGMMA.64x64x32.S8.S8")
    )
}
GROUPS[INSIDE.format("6tensor18MultipliesInGroupsILNS_12TensorNumberE4EEE")] = "QGMMA.64x64x32.F32.E4M3.E4M3"
# A kernel of each kind of arithmetic with a single chain, and its instructions.
SMALL = "NS2_3TwoINS_10SmallFloatItLj{}ELj{}ELb1EEEEE"
ARITHMETIC = {
    f"_ZN6tocuda9on_deviceINS_7kernels10arithmetic8ComputesILNS_19ArithmeticOperation{kind}Lj1EEEJEEEvT_DpT0_": steps
    for kind, steps in {
        "E0Ef": ["FFMA R1, R1, R2, R3 ;"] * 32,
        "E0Ed": ["DFMA R4, R4, R6, R8 ;"] * 32,
        "E0Ej": ["IMAD R1, R1, R2, R3 ;"] * 32,
        "E0E" + SMALL.format(5, 10): ["HFMA2 R1, R1, R2, R3 ;", "HFMA2.MMA R1, R1, R2, R3 ;"] * 16,
        "E0E" + SMALL.format(8, 7): ["HFMA2.BF16_V2 R1, R1, R2, R3 ;", "HFMA2.MMA.BF16_V2 R1, R1, R2, R3 ;"] * 16,
        "E1Ef": ["MUFU.RCP R1, R1 ;"] * 4,
        "E1Ed": ["MUFU.RCP64H R1, R1 ;"] * 4,
        "E2Ef": ["MUFU.RSQ R1, R1 ;"] * 4,
        "E2Ed": ["MUFU.RSQ64H R1, R1 ;"] * 4,
    }.items()
} | {
    f"_ZN6tocuda9on_deviceINS_7kernels8roofline8RooflineI{number}Lj1EEEJEEEvT_DpT0_": steps
    for number, steps in {"f": ["FFMA R1, R1, R2, R3 ;"] * 16, "d": ["DFMA R4, R4, R6, R8 ;"] * 8}.items()
}
CODE = f"""
\tcode for sm_90
\t\tFunction : {COPY}
{LOADS}        /*0a00*/                   STG.E.128.SYS desc[UR16][R2.64], R4 ;
        /*0a10*/                   STG.E.128.SYS desc[UR16][R2.64], R8 ;
\t\tFunction : {TRIAD}
{LOADS}        /*0a00*/                   DFMA R4, R4, 3, R8 ;
        /*0a10*/                   STG.E.128.SYS desc[UR16][R2.64], R4 ;
\t\tFunction : {READ}
{LOADS}        /*0a00*/                   LOP3.LUT R4, R5, R4, R8, 0x96, !PT ;
\t\tFunction : {WIDE}
        /*0940*/                   LDG.E.EF.ENL2.256 R8, R4, desc[UR8][R16.64] ;
        /*0950*/                   LDG.E.EF.ENL2.256 R20, R24, desc[UR8][R18.64] ;
\t\tFunction : {READ_THROUGH}
        /*0940*/                   LDG.E.64.STRONG.SYS R4, desc[UR4][R4.64] ;
\t\tFunction : {USED}
        /*0a20*/                   ATOMG.E.ADD.STRONG.GPU PT, R9, desc[UR4][R2.64], R9 ;
\t\tFunction : {UNUSED}
        /*0a20*/                   REDG.E.ADD.STRONG.GPU desc[UR4][R2.64], R9 ;
\t\tFunction : {SWAPPING}
        /*0a20*/                   ATOMG.E.CAS.STRONG.GPU PT, R9, [R2], R8, R9 ;
\t\tFunction : {COMPUTE}
        /*0a20*/                   FFMA R1, R1, R2, R3 ;
"""
CODE += "".join(f"\t\tFunction : {name}\n{LOOP}" for name in (*CURVES, NARROWING))
CODE += "".join(f"\t\tFunction : {name}\n        /*0a20*/                   EXIT ;\n" for name in OTHERS)
CODE += f"""\t\tFunction : {SECTORS[0]}
{flight(128)}\t\tFunction : {SECTORS[1]}
{flight(64)}\t\tFunction : {LOADED_CHASE}
{flight(128)}\t\tFunction : {TO_SECTORS}
        /*0a20*/                   REDG.E.ADD.64.STRONG.GPU desc[UR6][R8.64], R6 ;
"""
CODE += "".join(
    f"\t\tFunction : {name}\n        /*0a20*/                   STG.E.STRONG.SYS desc[UR8][R2.64], R5 ;\n"
    for name in FLAGS
)
CODE += f"\t\tFunction : {IN_BULK}\n        /*0a20*/                   UBLKCP [UR4], [UR6], UR7 ;\n"
CODE += "".join(f"\t\tFunction : {name}\n{steps}" for name, steps in CHAINS.items())
CODE += "".join(f"\t\tFunction : {name}\n" + f"{step} R4, R8, R6, R4 ;\n" * 17 for name, step in PRODUCTS.items())
CODE += "".join(f"\t\tFunction : {name}\n        /*0a20*/                   EXIT ;\n" for name in (FLOAT8, *GROUPS))
CODE += "".join(f"\t\tFunction : {name}\n" + "\n".join(steps) + "\n" for name, steps in ARITHMETIC.items())
USAGE = f"""
arch = sm_90
Resource usage:
"""
NAMES = [
    COPY,
    TRIAD,
    READ,
    WIDE,
    READ_THROUGH,
    USED,
    UNUSED,
    SWAPPING,
    COMPUTE,
    *CURVES,
    NARROWING,
    *OTHERS,
    *SECTORS,
    LOADED_CHASE,
    TO_SECTORS,
    *FLAGS,
    IN_BULK,
    *CHAINS,
    *PRODUCTS,
    FLOAT8,
    *GROUPS,
    *ARITHMETIC,
]
USAGE += "".join(f" Function {name}:\n  REG:28 STACK:0 SHARED:0 LOCAL:0 CONSTANT[0]:560 TEXTURE:0\n" for name in NAMES)


def found(code=CODE, usage=USAGE, architectures=("sm_90",)):
    functions, resources = machine_code.by_architecture(code), machine_code.by_architecture(usage)
    return list(machine_code.problems(functions, resources, architectures))


class MachineCode(unittest.TestCase):
    def test_finds_nothing_in_good_code(self):
        self.assertEqual(found(), [])

    def test_finds_a_store_between_the_loads(self):
        moved = CODE.replace("LDG.E.128 R8", "STG.E.128 R9").replace("R2.64], R8", "R2.64], R8 ;\n LDG.E.128 R8", 1)
        self.assertIn("issues 1 loads before it uses any, not 2", found(moved)[0])

    def test_finds_arithmetic_between_the_loads(self):
        split = CODE.replace("LDG.E.128 R8", "DFMA R4, R4, 3, R8 ;\n LDG.E.128 R8")
        said = [line.split(" ", 2)[2] for line in found(split)]
        self.assertEqual(said, ["issues 1 loads before it uses any, not 2"] * 3)

    def test_finds_loads_of_256_bits_without_their_hint(self):
        newer = CODE.replace("sm_90", "sm_100"), USAGE.replace("sm_90", "sm_100"), ("sm_100",)
        self.assertEqual(found(*newer), [])
        plain = newer[0].replace(".EF.ENL2", ".ENL2")
        self.assertIn("has no load of 256 bits that is evicted first", found(plain, *newer[1:])[0])

    def test_expects_no_loads_of_256_bits_where_there_are_none(self):
        self.assertEqual(found(CODE.replace(".256", ".64")), [])

    def test_finds_that_loads_were_left_out(self):
        said = [line.split(" ", 2)[2] for line in found(CODE.replace("LDG.E.64.STRONG.SYS", "NOP"))]
        self.assertEqual(said, ["loads nothing"])

    def test_finds_that_a_bulk_load_was_left_out(self):
        said = [line.split(" ", 2)[2] for line in found(CODE.replace("UBLKCP", "LDG.E.64"))]
        self.assertEqual(said, ["moves nothing in bulk"])

    def test_finds_a_fence_behind_a_flag(self):
        fenced = CODE.replace(
            "STG.E.STRONG.SYS desc[UR8][R2.64], R5 ;", "STG.E.STRONG.SYS [R2], R5 ;\n MEMBAR.SC.SYS ;"
        )
        self.assertEqual([line.split(" ", 2)[2] for line in found(fenced)], ["has MEMBAR"] * 2)

    def test_finds_a_spill(self):
        self.assertEqual(
            found(CODE + "        /*0b00*/   STL [R1], R4 ;\n"), [f"sm_90: {[*ARITHMETIC][-1]} spills: STL"]
        )

    def test_finds_a_stack(self):
        self.assertIn("uses a stack", found(usage=USAGE.replace("STACK:0", "STACK:16", 1))[0])

    def test_finds_an_answer_that_nobody_uses(self):
        answered = CODE.replace("REDG.E.ADD.STRONG.GPU", "ATOMG.E.ADD.STRONG.GPU PT, RZ,")
        said = [line.split(" ", 2)[2] for line in found(answered)]
        self.assertEqual(said, [r"has no instruction like \bREDG?\.", "has ATOMG."])

    def test_finds_an_answer_that_is_missing(self):
        silent = CODE.replace("ATOMG.E.ADD.STRONG.GPU PT, R9,", "REDG.E.ADD.STRONG.GPU")
        self.assertEqual([line.split(" ", 2)[2] for line in found(silent)][1], "has REDG.")

    def test_finds_operations_that_a_warp_has_joined(self):
        joined = CODE.replace(
            "        /*0a20*/                   REDG", "        /*0a10*/   REDUX.SUM UR8, R3 ;\n    REDG"
        )
        self.assertEqual([line.split(" ", 2)[2] for line in found(joined)], ["has REDUX"])

    def test_finds_loads_that_wait_for_each_other(self):
        for name, bits in zip(SECTORS, (128, 64)):
            early = flight(bits).replace("R2, R2, R3, RZ, 0x3c", "R2, R2, R32, RZ, 0x3c")
            [said] = found(CODE.replace(f"{name}\n{flight(bits)}", f"{name}\n{early}"))
            self.assertIn("issues 4 loads before it needs one, not 8", said)

    def test_finds_steps_that_do_not_wait_for_each_other(self):
        for name, steps in CHAINS.items():
            apart = steps.replace("[R8", "[R4")
            [said] = found(CODE.replace(f"{name}\n{steps}", f"{name}\n{apart}"))
            self.assertIn("has no four steps", said)

    def test_finds_products_that_were_left_out_or_are_of_another_type(self):
        for name, step in PRODUCTS.items():
            fewer = CODE.replace(f"{name}\n{step} R4, R8, R6, R4 ;\n", f"{name}\n")
            [said] = found(fewer)
            self.assertIn("has 16 instructions", said)
        converted = CODE.replace(f"{FLOAT8}\n", f"{FLOAT8}\nHMMA.16816.F32 R4, R8, R6, R4 ;\n")
        [said] = found(converted)
        self.assertIn("and 1 of other types, not 0 and 0", said)

    def test_expects_float8_where_it_exists(self):
        newer = CODE.replace("sm_90", "sm_120"), USAGE.replace("sm_90", "sm_120"), ("sm_120",)
        [said] = found(*newer)
        self.assertIn("not 17 and 0", said)

    def test_expects_products_of_groups_where_they_exist(self):
        newer = CODE.replace("sm_90", "sm_90a"), USAGE.replace("sm_90", "sm_90a"), ("sm_90a",)
        self.assertEqual([line.split(" has ")[0].split()[1] for line in found(*newer)], sorted(GROUPS))
        steps = {name: f"{step} R24, R4, gdesc[UR4], R24 ;\n" for name, step in GROUPS.items()}
        for few, said in ((17, 0), (16, len(GROUPS))):
            code = newer[0]
            for name, step in steps.items():
                code = code.replace(f"{name}\n", f"{name}\n{step * few}")
            self.assertEqual(len(found(code, *newer[1:])), said)

    def test_finds_that_a_block_of_1024_threads_would_not_run(self):
        usage = USAGE.replace(f"{LOADED_CHASE}:\n  REG:28", f"{LOADED_CHASE}:\n  REG:66")
        said = [line.split(" ", 2)[2] for line in found(usage=usage)]
        self.assertEqual(said, ["takes 66 registers; 1,024 threads leave it 64"])

    def test_finds_arithmetic_that_was_left_out(self):
        for name, steps in ARITHMETIC.items():
            code = CODE.replace(f"{name}\n{steps[0]}", name, 1)
            [said] = found(code)
            self.assertRegex(said, f"has {len(steps) - 1} instructions like .*, not {len(steps)}")

    def test_expects_no_bfloat16_where_there_is_none(self):
        code = CODE.replace("BF16_V2", "F32").replace("sm_90", "sm_75")
        said = found(code, USAGE.replace("sm_90", "sm_75"), ("sm_75",))
        self.assertEqual([each for each in said if "10MultipliesI" not in each], [])
        self.assertEqual(len(found(CODE.replace("BF16_V2", "F32"))), 1)

    def test_finds_too_many_instructions_for_a_load(self):
        longer = CODE.replace("/*01f0*/               @P1", "/*01f0*/   IADD3 R4, R5, R4, R8 ;\n        /*0200*/   @P1")
        said = [line.split(" ", 2)[2] for line in found(longer)]
        self.assertEqual(said, ["needs 8.2 instructions for each load, more than 8"] * 2)
        without_loop = CODE.replace("@P1 BRA 0x0", "@P1 BRA 0x200")
        self.assertEqual(len(found(without_loop)), 3)

    def test_lets_casts_without_an_instruction_be_long(self):
        older = CODE.replace("@P1 BRA 0x0", "@P1 BRA 0x200").replace("sm_90", "sm_86")
        self.assertEqual(len(found(older, USAGE.replace("sm_90", "sm_86"), ("sm_86",))), 2)

    def test_finds_that_the_kernel_beside_others_takes_their_registers(self):
        usage = USAGE.replace(f"{COMPUTE}:\n  REG:28", f"{COMPUTE}:\n  REG:33")
        self.assertEqual(
            [line.split(" ", 2)[2] for line in found(usage=usage)],
            ["takes 1280 registers of each scheduler; others leave 1024"],
        )
        wider = CODE.replace("ComputeILj128", "ComputeILj256"), USAGE.replace("ComputeILj128", "ComputeILj256")
        self.assertEqual(len(found(*wider)), 1)

    def test_finds_a_triad_of_which_too_few_blocks_are_resident(self):
        usage = USAGE.replace(f"{TRIAD}:\n  REG:28", f"{TRIAD}:\n  REG:77")
        self.assertEqual(
            [line.split(" ", 2)[2] for line in found(usage=usage)], ["takes 77 registers; five blocks leave it 48"]
        )
        ahead = [text.replace("ELb0EEEJPdPKdS6_m", "ELb1EEEJPdPKdS6_m") for text in (CODE, usage)]
        self.assertIn("no kernel has a name like", found(*ahead)[0])

    def test_finds_missing_resource_usage(self):
        self.assertIn("resource usage is missing", found(usage="")[0])

    def test_finds_a_missing_architecture(self):
        self.assertEqual(len(found(architectures=("sm_90", "sm_100"))), len(NAMES))
        self.assertIn("is missing", found(architectures=("sm_90", "sm_100"))[0])

    def test_finds_a_missing_kind_of_kernel(self):
        self.assertIn("no kernel has a name like", found(CODE.replace("UnrolledCopy", "OtherCopy"))[0])

    def test_without_cuobjdump_fails_in_ci_and_is_skipped_elsewhere(self):
        command = [sys.executable, Path(machine_code.__file__), "", "object", "90"]
        for ci, code in (("true", 1), ("", machine_code.SKIPPED)):
            done = subprocess.run(command, env={**os.environ, "CI": ci}, capture_output=True, text=True)
            self.assertEqual((done.returncode, "cuobjdump was not found" in done.stdout), (code, True), f"CI={ci}")


if __name__ == "__main__":
    unittest.main()
