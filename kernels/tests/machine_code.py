#!/usr/bin/env python3
# tocuda, Apache-2.0.
# Checks the machine code of every kernel: it uses no local memory and no stack, it exists for every architecture, and
# kernels named by their loads in flight issue that many before the first store or arithmetic instruction, atomic
# operations answer (ATOM) only if their result is used, else not (RED), each step of arithmetic is there, steps that
# must wait for each other do so and for nothing else, products are by the instruction of their type, kernels that
# memory or the L1 cache must bound need few instructions for a load, triad needs few registers, and the kernel that
# runs beside others leaves them their registers.
# Arguments: cuobjdump (or ""), the object, the architectures that were built.
import math
import os
import re
import subprocess
import sys
from pathlib import Path

SKIPPED = 77
SPILL = r"\b(LDL|STL)\b"
# Kernels named by their loads: the number of arrays loaded for each one in the name.
NAMED_BY_LOADS = {
    r"UnrolledCopyILj(\d+)E": 1,
    r"7ReadAllILj(\d+)E": 1,
    r"4CastILj(\d+)EfNS_": 1,
    r"5ScaleILj(\d+)E": 1,
    r"3DotILj(\d+)E": 2,
    r"5TriadILj(\d+)E": 2,
    r"3SumILj(\d+)ELb0E": 2,
    r"3SumILj(\d+)ELb1E": 3,
}
# Atomic operations by whether their results are used: what they must be, and what they must not be. A warp must not
# join its operations into one first. A flag is set for the whole system, and without a fence.
ATOMIC = {
    r"Atomically\w+Lb1EE": (r"\bATOMG?\.", r"\bREDG?\.|\bREDUX\b"),
    r"Atomically\w+Lb0EE": (r"\bREDG?\.", r"\bATOMG?\.|\bREDUX\b"),
    r"Swapping\w+E": (r"\bATOMG?\.\S*CAS", r"\bREDG?\."),
    r"12AddToSectorsE": (r"\bREDG?\.\S*ADD\.64", r"\bATOMG?\."),
    r"8PassFlagILb[01]E": (r"\bST\S*\.STRONG\.SYS\b", r"\b(MEMBAR|ERRBAR|CCTL)\b"),
}
# Arithmetic by its operation, its type and its number of chains: the instruction, and the steps of a chain in the loop.
STEPS = r"ComputesILNS_19ArithmeticOperationE"
ARITHMETIC = {
    STEPS + r"0EfLj(\d+)E": (r"\bFFMA\b", 32),
    STEPS + r"0EdLj(\d+)E": (r"\bDFMA\b", 32),
    STEPS + r"0EjLj(\d+)E": (r"\bIMAD\b", 32),
    STEPS + r"0E\w+Lj5ELj10ELb1EEEEELj(\d+)E": (r"\bHFMA2\b", 32),
    STEPS + r"0E\w+Lj8ELj7ELb1EEEEELj(\d+)E": (r"\bHFMA2(?:\.MMA)?\.BF16", 32),
    STEPS + r"1EfLj(\d+)E": (r"\bMUFU\.RCP\b", 4),
    STEPS + r"1EdLj(\d+)E": (r"\bMUFU\.RCP64H\b", 4),
    STEPS + r"2EfLj(\d+)E": (r"\bMUFU\.RSQ\b", 4),
    STEPS + r"2EdLj(\d+)E": (r"\bMUFU\.RSQ64H\b", 4),
    r"8RooflineIfLj(\d+)E": (r"\bFFMA\b", 16),
    r"8RooflineIdLj(\d+)E": (r"\bDFMA\b", 8),
}
WITHOUT_BFLOAT16 = {"sm_75"}
# Kernels that memory or the L1 cache must bound: the most instructions for each load of 128 bits in their loop, and the
# first architecture for which that is so.
FEW_FOR_A_LOAD = {
    r"5curve4ReadE": (8, 75),
    r"5curve10ReadSharedE": (8, 75),
    r"4CastILj\d+EfNS_10SmallFloatIh": (4 * 8, 89),  # four numbers
}
LOAD_OF_128_BITS = r"\bLD[GS]\S*\.128\b"
INSTRUCTION = re.compile(r"/\*([0-9a-f]{4,})\*/\s+([^;]+);")
BACK = re.compile(r"\bBRA\S*\s.*0x([0-9a-f]+)")
# The kernel that computes beside others, by its threads. A scheduler has 16,384 registers, of which a block of NCCL
# (640 threads of 96 registers), or three blocks of a copy (256 of 80), take 15,360.
BESIDE_OTHERS = r"7ComputeILj(\d+)E"
LEFT_BY_OTHERS = 16_384 - 15_360
# Kernels of 256 threads whose loads in flight come from many blocks: the most registers with which five are resident.
OF_FIVE_BLOCKS, LEFT_BY_FIVE = r"5TriadILj\d+ENS_4PairE\w+ELb0EE", 48
# Kernels whose loads stand between other arithmetic: how many follow each other before what one returns is needed.
IN_FLIGHT = {r"11ReadSectorsILj8E": 8, r"13UpdateSectorsILj8E": 8, r"11LoadedChaseE": 8}
IN_FLIGHT_LOAD = re.compile(r"^LDG\S*\.(64|128)\S*\s+R(\d+),")
# Blocks of 1,024 threads run only if a thread has at most 64 registers.
OF_1024_THREADS, LEFT_BY_1024 = r"11LoadedChaseE", 64
# Kernels of steps that wait for each other: each takes its address from the register that the one before wrote.
CHAINS = {
    r"11SharedChainILNS_9ChainStepE0E": r"LDS\b",
    r"11SharedChainILNS_9ChainStepE1E": r"ATOMS\.ADD\b",
    r"11SharedChainILNS_9ChainStepE2E": r"ATOMS\.EXCH\b",
    r"9LineChainILNS_9ChainStepE1E": r"ATOMG?\.\S*ADD\.64\b",
    r"9LineChainILNS_9ChainStepE2E": r"ATOMG?\.\S*EXCH\.64\b",
}
# Products of tensor cores by the type of the factors: the instruction, of which a round has 16 for each chain (one of
# a group of warps has all chains), and the architectures that have it. Elsewhere the kernel must be empty, not a
# conversion to another type.
PRODUCTS = r"\d+Multiplies(?:InGroups)?ILNS_12TensorNumberE"
BY_WARP, BY_GROUP = r"10MultipliesILNS_12TensorNumberE", r"18MultipliesInGroupsILNS_12TensorNumberE"
SINCE_80 = re.compile(r"sm_(?!75)\d+")
WITH_FLOAT8 = re.compile(r"sm_(89|12\d)")
ONLY_90A = re.compile(r"sm_90a")
TENSOR = {
    BY_WARP + r"0ELj(\d+)E": (r"\bHMMA\.16816\.F32 ", SINCE_80),
    BY_WARP + r"1ELj(\d+)E": (r"\bHMMA\.16816\.F32\.BF16 ", SINCE_80),
    BY_WARP + r"2ELj(\d+)E": (r"\bHMMA\.1688\.F32\.TF32 ", SINCE_80),
    BY_WARP + r"3ELj(\d+)E": (r"\bIMMA\.16832\.S8\.S8 ", SINCE_80),
    BY_WARP + r"4ELj(\d+)E": (r"\bQMMA\.16832\.F32\.E4M3\.E4M3 ", WITH_FLOAT8),
    BY_GROUP + r"0EE": (r"\bHGMMA\.64x64x16\.F32 ", ONLY_90A),
    BY_GROUP + r"1EE": (r"\bHGMMA\.64x64x16\.F32\.BF16 ", ONLY_90A),
    BY_GROUP + r"2EE": (r"\bHGMMA\.64x64x8\.F32\.TF32 ", ONLY_90A),
    BY_GROUP + r"3EE": (r"\bIGMMA\.64x64x32\.S8\.S8 ", ONLY_90A),
    BY_GROUP + r"4EE": (r"\bQGMMA\.64x64x32\.F32\.E4M3\.E4M3 ", ONLY_90A),
}
ANY_PRODUCT = r"\b[A-Z]*(?:H|I|Q|D)G?MMA\."
# Two blocks of 256 threads, so that four warps share each scheduler.
LEFT_BY_TWO = 128
# Kernels that load or store by the copy unit, where there is one.
IN_BULK, FIRST_WITH_BULK = r"11ChaseInBulkE|9BulkWriteILj", 90
# A kernel that does nothing but load.
ONLY_LOADS = r"11ReadThroughE"
# Loads of 256 bits, which older GPUs do not have.
WIDE, FIRST_WITH_WIDE = r"8Vector32E|4QuadE", 100
WIDE_AND_STREAMING = r"8Vector32ELNS_4HintE3E"
LOAD = r"\bLDG\S*\.(?:128|256)\b"
# A run of loads ends at a store or at arithmetic on loaded values, which waits for them.
USE = r"\b(STG|DFMA|DMUL|DADD|FADD|FFMA|FMUL|LOP3)\b"


def dumped(cuobjdump, option, subject):
    # cuobjdump looks for nvdisasm on the path: prefer the one beside it.
    path = f"{Path(cuobjdump).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    done = subprocess.run(
        [cuobjdump, option, subject], capture_output=True, text=True, env={**os.environ, "PATH": path}
    )
    if done.returncode != 0:
        sys.exit(f"{cuobjdump} {option}: {done.stderr.strip()}")
    return done.stdout


def by_architecture(text):
    """The text of each function, by (architecture, function)."""
    functions, architecture, function = {}, None, None
    for line in text.splitlines():
        if found := re.match(r"\s*(?:arch = |code for )(sm_\w+)", line):
            architecture, function = found[1], None
        elif found := re.match(r"\s*Function\s*:?\s+(\S+?):?$", line):
            function = found[1]
        elif function:
            functions.setdefault((architecture, function), []).append(line)
    return {key: "\n".join(lines) for key, lines in functions.items()}


def most_loads_before_use(code):
    most = run = 0
    for line in code.splitlines():
        run = run + 1 if re.search(LOAD, line) else 0 if re.search(USE, line) else run
        most = max(most, run)
    return most


def arithmetic_left_out(architecture, name, code):
    for pattern, (instruction, steps) in ARITHMETIC.items():
        found = re.search(pattern, name)
        if not found or ("BF16" in instruction and architecture in WITHOUT_BFLOAT16):
            continue
        count = len(re.findall(instruction, code))
        if count < steps * int(found[1]):
            yield f"has {count} instructions like {instruction}, not {steps * int(found[1])}"


def number_of(architecture):
    return int(re.sub(r"\D", "", architecture))


def products_left_out(architecture, name, code):
    for pattern, (instruction, has) in TENSOR.items():
        if not (found := re.search(pattern, name)):
            continue
        chains = int(found[1]) if found.groups() else 1
        count, wanted = len(re.findall(instruction, code)), 17 * chains if has.match(architecture) else 0
        others = len(re.findall(ANY_PRODUCT, code)) - count
        if (count, others) != (wanted, 0):
            yield f"has {count} instructions like {instruction} and {others} of other types, not {wanted} and 0"


def loads_left_out(architecture, name, code):
    if re.search(WIDE, name) and number_of(architecture) < FIRST_WITH_WIDE:
        return
    if re.search(WIDE_AND_STREAMING, name) and not re.search(r"\bLDG\S*\.EF\S*\.256\b", code):
        yield "has no load of 256 bits that is evicted first"
    if re.search(IN_BULK, name) and number_of(architecture) >= FIRST_WITH_BULK and not re.search(r"\bUBLKCP\b", code):
        yield "moves nothing in bulk"
    for pattern, arrays in NAMED_BY_LOADS.items():
        if (found := re.search(pattern, name)) and most_loads_before_use(code) < arrays * int(found[1]):
            yield f"issues {most_loads_before_use(code)} loads before it uses any, not {arrays * int(found[1])}"


def instructions_of(code):
    """Without their predicates, in the order of their addresses."""
    for line in code.splitlines():
        if found := INSTRUCTION.search(line):
            yield re.sub(r"^@!?U?P\w+\s+", "", found[2].strip())


def most_in_flight(code):
    """The most loads of 64 or 128 bits that follow each other before an instruction needs what one of them returns."""
    most, count, awaited = 0, 0, set()
    for instruction in instructions_of(code):
        load = IN_FLIGHT_LOAD.match(instruction)
        needs = instruction if instruction.startswith(("ST", "RED")) else instruction.partition(",")[2]
        if awaited.intersection(map(int, re.findall(r"\bR(\d+)\b", needs))):
            count, awaited = 0, set()
        if load:
            first = int(load[2])
            awaited.update(range(first, first + int(load[1]) // 32))
            count += 1
            most = max(most, count)
    return most


def longest_chain(code, step):
    """How many of these instructions follow each other of which each addresses what the one before returned."""
    longest, count, returned = 0, 0, None
    for instruction in instructions_of(code):
        if not re.match(step, instruction):
            continue
        to, address = re.search(r"\bR(\d+),", instruction), re.search(r"\[R(\d+)", instruction)
        count = count + 1 if address and address[1] == returned else 1
        longest, returned = max(longest, count), to and to[1]
    return longest


def chain_broken(name, code):
    for pattern, loads in IN_FLIGHT.items():
        if re.search(pattern, name) and (most := most_in_flight(code)) < loads:
            yield f"issues {most} loads before it needs one, not {loads}"
    for pattern, step in CHAINS.items():
        if re.search(pattern, name) and longest_chain(code, step) < 4:
            yield f"has no four steps {step} that wait for each other"


def fewest_for_a_load(code):
    """Of the loops that load at least four times: the fewest instructions for each load."""
    all_of_it = [(int(found[1], 16), found[2]) for found in map(INSTRUCTION.search, code.splitlines()) if found]
    fewest = math.inf
    for end, instruction in all_of_it:
        if back := BACK.search(instruction):
            loop = [text for place, text in all_of_it if int(back[1], 16) <= place <= end]
            loads = sum(bool(re.search(LOAD_OF_128_BITS, text)) for text in loop)
            fewest = min(fewest, len(loop) / loads) if loads >= 4 else fewest
    return fewest


def instructions_too_many(architecture, name, code):
    for pattern, (most, since) in FEW_FOR_A_LOAD.items():
        if not re.search(pattern, name) or number_of(architecture) < since:
            continue
        if (fewest := fewest_for_a_load(code)) > most:
            yield f"needs {fewest:.1f} instructions for each load, more than {most}"


def wrong_with(name, code, usage):
    if spilled := re.search(SPILL, code):
        yield f"spills: {spilled[0]}"
    if not re.search(r"\bSTACK:0\b.*\bLOCAL:0\b", usage):
        yield f"uses a stack: {usage.strip() or 'its resource usage is missing'}"
    if re.search(ONLY_LOADS, name) and not re.search(r"\bLDG\b", code):
        yield "loads nothing"
    for pattern, (wanted, unwanted) in ATOMIC.items():
        if not re.search(pattern, name):
            continue
        if not re.search(wanted, code):
            yield f"has no instruction like {wanted}"
        if found := re.search(unwanted, code):
            yield f"has {found[0]}"


def registers_too_many(name, usage):
    found, used = re.search(BESIDE_OTHERS, name), re.search(r"\bREG:(\d+)", usage)
    if used and re.search(OF_FIVE_BLOCKS, name) and int(used[1]) > LEFT_BY_FIVE:
        yield f"takes {used[1]} registers; five blocks leave it {LEFT_BY_FIVE}"
    if used and re.search(OF_1024_THREADS, name) and int(used[1]) > LEFT_BY_1024:
        yield f"takes {used[1]} registers; 1,024 threads leave it {LEFT_BY_1024}"
    if used and re.search(PRODUCTS, name) and int(used[1]) > LEFT_BY_TWO:
        yield f"takes {used[1]} registers; two blocks leave it {LEFT_BY_TWO}"
    if not found or not used:
        return
    warps, of_a_warp = math.ceil(int(found[1]) / 128), math.ceil(int(used[1]) / 8) * 8 * 32
    if warps * of_a_warp > LEFT_BY_OTHERS:
        yield f"takes {warps * of_a_warp} registers of each scheduler; others leave {LEFT_BY_OTHERS}"


def problems(code, usage, architectures):
    names = {name for _, name in code}
    kinds = (*NAMED_BY_LOADS, *ATOMIC, *ARITHMETIC, *FEW_FOR_A_LOAD, *IN_FLIGHT, *CHAINS, *TENSOR)
    for pattern in (*kinds, BESIDE_OTHERS, OF_FIVE_BLOCKS, IN_BULK, ONLY_LOADS):
        if not any(re.search(pattern, name) for name in names):
            yield f"no kernel has a name like {pattern}"
    for architecture in architectures:
        for name in sorted(names):
            if (architecture, name) not in code:
                yield f"{architecture}: {name} is missing"
                continue
            of = code[architecture, name]
            wrong = [*wrong_with(name, of, usage.get((architecture, name), ""))]
            wrong += loads_left_out(architecture, name, of)
            wrong += instructions_too_many(architecture, name, of)
            wrong += arithmetic_left_out(architecture, name, of)
            wrong += products_left_out(architecture, name, of)
            wrong += chain_broken(name, of)
            wrong += registers_too_many(name, usage.get((architecture, name), ""))
            yield from (f"{architecture}: {name} {each}" for each in wrong)


def main():
    cuobjdump, subject, architectures = sys.argv[1], sys.argv[2], [f"sm_{number}" for number in sys.argv[3:]]
    if not cuobjdump:
        print("cuobjdump was not found; set TOCUDA_CUOBJDUMP or install nvidia-cuda-cuobjdump and nvidia-cuda-nvdisasm")
        return 1 if os.environ.get("CI") == "true" else SKIPPED
    if not architectures:
        sys.exit("no architectures given")
    code = by_architecture(dumped(cuobjdump, "--dump-sass", subject))
    found = list(problems(code, by_architecture(dumped(cuobjdump, "--dump-resource-usage", subject)), architectures))
    count = len({name for _, name in code})
    all_is_well = (
        f"{count} kernels: no spills, no stack, loads first, RED and ATOM told apart, all arithmetic, "
        f"for {', '.join(architectures)}"
    )
    print("\n".join(found) or all_is_well)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
