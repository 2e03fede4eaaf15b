#!/usr/bin/env python3
# tocuda, Apache-2.0.
# Predicts before anything is measured: how many bytes each kernel keeps in flight on a multiprocessor, from the registers and the machine
# code that the compiler made of it, against what GPUs need to keep their memory busy. A kernel that is meant to be the best has to reach it.
# Arguments: cuobjdump (or nothing), the object, the program that prints the shapes, the architectures that were built.
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import machine_code

KIB = 1024
# What keeps the memory of each busy, as the tuning of NVIDIA's own library has it; and its architecture.
NEEDED = {"A100": (80, 16 * KIB), "H100": (90, 32 * KIB), "H200": (90, 48 * KIB), "B200": (100, 64 * KIB)}
SHARED = {80: 164 * KIB, 90: 228 * KIB, 100: 228 * KIB}  # of a multiprocessor
RESERVED = KIB  # of shared memory, for each block
REGISTERS, WARPS, BLOCKS, LANES = 65536, 64, 32, 32


@dataclass
class Shape:
    name: str
    threads: int
    shared: int
    staged: int
    percent: int
    capability: int
    best: bool


def shapes(text):
    for line in text.splitlines():
        name, *numbers, meant = line.split()
        yield Shape(name, *map(int, numbers), meant == "best")


def blocks_at_once(shape, registers, architecture):
    warps = -(-shape.threads // LANES)
    of_a_warp = -(-registers * LANES // 256) * 256  # registers are given out in such portions
    by_registers = REGISTERS // of_a_warp // warps
    by_shared = SHARED[architecture] // (shape.shared + RESERVED)
    return min(by_registers, by_shared, WARPS // warps, BLOCKS)


def width(instruction):
    found = re.search(r"\.(U8|S8|U16|S16|64|128|256)\b", instruction)
    return {"U8": 1, "S8": 1, "U16": 2, "S16": 2, "64": 8, "128": 16, "256": 32}[found[1]] if found else 4


def registers_of(first, bytes_wide):
    return set(range(first, first + max(bytes_wide // 4, 1)))


def loaded_at_once(code):
    """The most bytes that one thread has asked for and not yet used, between two jumps."""
    most, waiting = 0, []  # the registers of each load, and its bytes
    for line in code.splitlines():
        found = re.match(r"\s*/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?(\S+)\s*([^;]*);", line)
        if not found:
            continue
        instruction, operands = found[1], found[2]
        if re.match(r"BRA|EXIT|RET|BSYNC|BAR|CALL", instruction):
            waiting = []
            continue
        fresh = set()
        if instruction.startswith("LDG."):
            # 256 bits arrive in two runs of registers, others in one.
            targets = 2 if ".256" in instruction else 1
            for _ in range(targets):
                if target := re.match(r"R(\d+),\s*", operands):
                    fresh |= registers_of(int(target[1]), width(instruction) // targets)
                    operands = operands[target.end():]
        wide = width(instruction) if instruction.startswith("ST") else 4
        used = set().union(*(registers_of(int(each), min(wide, 16)) for each in re.findall(r"\bR(\d+)\b", operands)))
        waiting = [(registers, size) for registers, size in waiting if not (used | fresh) & registers]
        if fresh:
            waiting.append((fresh, width(instruction)))
            most = max(most, sum(size for _, size in waiting))
    return most


def rows(shape_list, code, usage, architectures):
    """(GPU, function, registers, blocks, bytes in flight, bytes needed, whether it has to reach them)"""
    for gpu, (architecture, needed) in NEEDED.items():
        if str(architecture) not in architectures:
            continue
        for shape in shape_list:
            if shape.capability > architecture:
                continue
            names = sorted(name for where, name in code if where == f"sm_{architecture}" and shape.name in name)
            if not names:
                yield gpu, shape.name, None, 0, 0, needed, True
            for name in names:
                key = (f"sm_{architecture}", name)
                registers = int(re.search(r"\bREG:(\d+)", usage[key])[1])
                blocks = blocks_at_once(shape, registers, architecture)
                of_block = shape.staged or shape.threads * loaded_at_once(code[key]) * shape.percent // 100
                yield gpu, named(name), registers, blocks, blocks * of_block, needed, shape.best


def named(function):
    found = re.search(r"on_deviceINS_\d+(\w+?)E(?:EE|J|v)", function)
    return (found[1] if found else function)[:34]


def main():
    cuobjdump, subject, program, architectures = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
    if not cuobjdump:
        print("cuobjdump was not found: set TOCUDA_CUOBJDUMP, or install nvidia-cuda-cuobjdump and nvidia-cuda-nvdisasm")
        return 1 if os.environ.get("CI") == "true" else machine_code.SKIPPED
    said = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    code = machine_code.by_architecture(machine_code.dumped(cuobjdump, "--dump-sass", subject))
    usage = machine_code.by_architecture(machine_code.dumped(cuobjdump, "--dump-resource-usage", subject))
    short = []
    print(f"{'GPU':5} {'kernel':34} {'registers':>9} {'blocks':>6} {'KiB in flight':>13} {'needed':>6}")
    for gpu, kernel, registers, blocks, flight, needed, must in rows(list(shapes(said)), code, usage, architectures):
        enough = flight >= needed
        print(f"{gpu:5} {kernel:34} {registers or '':>9} {blocks:>6} {flight / KIB:13.1f} {needed // KIB:>6}{'' if enough else '  too few'}")
        if must and not enough:
            short.append(f"{gpu}: {kernel} keeps {flight} bytes in flight on a multiprocessor; {needed} are needed")
    print("\n".join(short))
    return 1 if short else 0


if __name__ == "__main__":
    sys.exit(main())
