#!/usr/bin/env python3
# tocuda, Apache-2.0.
# The machine code of the kernels, as cuobjdump shows it: in each architecture that was built the vector copy loads and stores 128 bits at a
# time and spills nothing. Arguments: cuobjdump (or nothing), the object, the architectures. Without cuobjdump: a failure in CI, else a skip.
import os
import re
import subprocess
import sys
from pathlib import Path

SKIPPED = 77
KERNELS = {"VectorCopy": (r"\bLDG\.E\S*\.128\b", r"\bSTG\.E\S*\.128\b")}
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


def problems(code, usage, architectures):
    for architecture in architectures:
        for kernel, accesses in KERNELS.items():
            here = [text for (where, name), text in code.items() if where == architecture and kernel in name]
            used = [text for (where, name), text in usage.items() if where == architecture and kernel in name]
            if len(here) != 1 or len(used) != 1:
                yield f"{architecture}: {kernel} is there {len(here)} times, its use of resources {len(used)} times"
                continue
            for access in accesses:
                if not re.search(access, here[0]):
                    yield f"{architecture}: {kernel} has nothing like {access}"
            if spilled := re.search(SPILL, here[0]):
                yield f"{architecture}: {kernel} spills: {spilled[0]}"
            if not re.search(r"\bSTACK:0\b.*\bLOCAL:0\b", used[0]):
                yield f"{architecture}: {kernel} keeps something on a stack: {used[0].strip()}"


def main():
    cuobjdump, subject, architectures = sys.argv[1], sys.argv[2], [f"sm_{number}" for number in sys.argv[3:]]
    if not cuobjdump:
        print("cuobjdump was not found: set TOCUDA_CUOBJDUMP, or install nvidia-cuda-cuobjdump and nvidia-cuda-nvdisasm")
        return 1 if os.environ.get("CI") == "true" else SKIPPED
    if not architectures:
        sys.exit("no architectures are named")
    found = list(problems(by_architecture(dumped(cuobjdump, "--dump-sass", subject)),
                          by_architecture(dumped(cuobjdump, "--dump-resource-usage", subject)), architectures))
    print("\n".join(found) or f"{', '.join(KERNELS)}: 128 bits at a time and no spills in {', '.join(architectures)}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
