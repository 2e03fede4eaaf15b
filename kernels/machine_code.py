#!/usr/bin/env python3
# tocuda, Apache-2.0.
# The machine code of the kernels, as cuobjdump shows it: in each architecture that was built each kernel has the instructions that it is
# written for, keeps nothing on a stack and spills nothing. Arguments: cuobjdump (or nothing), the object, the architectures. Without
# cuobjdump: a failure in CI, else a skip.
import os
import re
import subprocess
import sys
from pathlib import Path

SKIPPED = 77
LOAD, STORE = r"\bLDG\.E\S*\.128\b", r"\bSTG\.E\S*\.128\b"
ONCE, LAST = r"\bLDG\.E\.NA\.128\.CONSTANT\b", r"\bSTG\.E\.EF\.128\b"  # loads that are not kept, stores that leave the cache first
ANY = 0
# What the name of each kernel's functions contains, how many of them there are, and what each has to have from which architecture on.
KERNELS = {
    "10VectorCopyE": (1, [(ANY, LOAD), (ANY, STORE)]),
    "ScalarCopyIhE": (1, [(ANY, r"\bLDG\.E\.U8\b"), (ANY, r"\bSTG\.E\.U8\b")]),
    "ScalarCopyIjE": (1, [(ANY, r"\bLDG\.E(\.SYS)? "), (ANY, r"\bSTG\.E(\.SYS)? ")]),
    "ScalarCopyImE": (1, [(ANY, r"\bLDG\.E\.64\b"), (ANY, r"\bSTG\.E\.64\b")]),
    "UnrolledCopyILj1E": (3, [(ANY, LOAD), (ANY, STORE)]),
    "UnrolledCopyILj8E": (3, [(ANY, LOAD), (ANY, STORE)]),
    "UnrolledCopyILj12E": (3, [(ANY, LOAD), (ANY, STORE)]),
    "UnrolledCopyILj16E": (3, [(ANY, LOAD), (ANY, STORE)]),
    "UnrolledCopyILj12ELNS_4HintE1E": (1, [(ANY, ONCE)]),
    "UnrolledCopyILj12ELNS_4HintE2E": (1, [(ANY, r"\bLDG\.E\.EF\.128\b"), (ANY, LAST)]),
    "Vector32CopyE": (1, [(100, r"\bLDG\.E\S*\.256\b"), (100, r"\bSTG\.E\S*\.256\b")]),
    "PersistentCopyI": (3, [(ANY, LOAD), (ANY, STORE)]),
    "CpAsyncCopyE": (1, [(80, r"\bLDGSTS\.E\S*\.128\b"), (ANY, STORE)]),
    "BulkCopyE": (1, [(90, r"\bUBLKCP\.S\.G\b"), (90, r"\bUBLKCP\.G\.S\b")]),
    "MisalignedCopyE": (1, [(ANY, LOAD), (ANY, STORE), (ANY, r"\bSHF\.R\b|\bPRMT\b")]),
    "StridedCopyE": (1, [(ANY, r"\bLDG\.E(\.SYS)? ")]),
    "TransposedCopyE": (1, [(ANY, r"\bLDG\.E(\.SYS)? "), (ANY, r"\bLDS\b"), (ANY, r"\bSTS\b")]),
    "ReadAllI": (1, [(ANY, ONCE)]),
    "WriteAllI": (2, [(ANY, STORE)]),
    "5ScaleE": (1, [(ANY, ONCE), (ANY, STORE)]),
    "TriadILj": (2, [(ANY, ONCE), (ANY, STORE), (ANY, r"\bDFMA\b")]),
    "3DotE": (1, [(ANY, ONCE), (ANY, r"\bDFMA\b")]),
    "4CastIdfE": (1, [(ANY, ONCE), (ANY, r"\bSTG\.E\.64\b")]),
    "4CastIfdE": (1, [(ANY, r"\bLDG\.E\.64\b"), (ANY, STORE)]),
    "4CastIfNS_10SmallFloatIt": (2, [(ANY, ONCE), (ANY, r"\bSTG\.E\.64\b")]),
    "4CastIfNS_10SmallFloatIh": (2, [(ANY, ONCE), (ANY, r"\bSTG\.E(\.SYS)? ")]),
    "4CastINS_10SmallFloatIt": (2, [(ANY, r"\bLDG\.E\.64\b"), (ANY, STORE)]),
    "4CastINS_10SmallFloatIh": (2, [(ANY, r"\bLDG\.E(\.SYS)? "), (ANY, STORE)]),
}
SPILL = r"\b(LDL|STL)\b"


def dumped(cuobjdump, option, subject):
    # It looks for nvdisasm on the path: the one beside it first.
    path = f"{Path(cuobjdump).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    done = subprocess.run([cuobjdump, option, subject], capture_output=True, text=True, env={**os.environ, "PATH": path})
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


def problems(code, usage, architectures, kernels=None):
    for architecture in architectures:
        for kernel, (count, needs) in (kernels or KERNELS).items():
            names = [name for where, name in code if where == architecture and kernel in name]
            used = [name for where, name in usage if where == architecture and kernel in name]
            if len(names) != count or sorted(names) != sorted(used):
                yield f"{architecture}: {kernel} is there {len(names)} times, not {count}; its use of resources {len(used)} times"
                continue
            for name in names:
                yield from (f"{architecture}: {kernel} {wrong}"
                            for wrong in wrong_with(code[architecture, name], usage[architecture, name], needs, int(architecture[3:])))


def wrong_with(code, usage, needs, architecture):
    for least, access in needs:
        if architecture >= least and not re.search(access, code):
            yield f"has nothing like {access}"
    if spilled := re.search(SPILL, code):
        yield f"spills: {spilled[0]}"
    if not re.search(r"\bSTACK:0\b.*\bLOCAL:0\b", usage):
        yield f"keeps something on a stack: {usage.strip()}"


def main():
    cuobjdump, subject, architectures = sys.argv[1], sys.argv[2], [f"sm_{number}" for number in sys.argv[3:]]
    if not cuobjdump:
        print("cuobjdump was not found: set TOCUDA_CUOBJDUMP, or install nvidia-cuda-cuobjdump and nvidia-cuda-nvdisasm")
        return 1 if os.environ.get("CI") == "true" else SKIPPED
    if not architectures:
        sys.exit("no architectures are named")
    found = list(problems(by_architecture(dumped(cuobjdump, "--dump-sass", subject)),
                          by_architecture(dumped(cuobjdump, "--dump-resource-usage", subject)), architectures))
    print("\n".join(found) or f"{len(KERNELS)} kinds of kernels: what they are written for, and no spills, in {', '.join(architectures)}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
