# tocuda, Apache-2.0.
"""Runs a PyTorch program on two simulated GPUs whose code was compiled with the thread sanitizer, and prints the data
races in it. LibTorch is not compiled so: what the sanitizer says of LibTorch's own code is left out.

    PYTHONPATH=<folder of torch> python3 scripts/checking_operators/races.py program.py [argument ...]

Needs a build (scripts/test -N) by g++. Exit code: 1 if there is a race, 3 if the program fails."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
DEFAULT, BUILD = REPOSITORY / "build/default", REPOSITORY / "build/threads"
SANITIZER = "libtsan.so"


def build():
    options = (DEFAULT / ".configured").read_text().split()[1:]
    flags = ["-DCMAKE_BUILD_TYPE=Release", "-DBUILD_TESTING=OFF", "-DCMAKE_CXX_FLAGS=-fsanitize=thread -g1"]
    configure = ["cmake", "-S", REPOSITORY, "-B", BUILD, "-G", "Ninja", *options, *flags]
    subprocess.run(configure, check=True, stdout=subprocess.DEVNULL)
    ours = [path.name for path in (DEFAULT / "simulator/simulated").iterdir()]
    targets = [f"simulator/simulated/{name}" for name in ours]
    subprocess.run(["cmake", "--build", BUILD, "--target", *targets], check=True, stdout=subprocess.DEVNULL)
    shutil.copy(DEFAULT / "tocuda", BUILD / "tocuda")
    return ours


def run(words, logs):
    """The sanitizer has to be loaded first, and does not work with every random layout of memory."""
    sanitizer = subprocess.run(["g++", f"-print-file-name={SANITIZER}"], capture_output=True, text=True, check=True)
    preload = f"LD_PRELOAD={Path(sanitizer.stdout.strip()).resolve()}:$LD_PRELOAD"
    options = f'TSAN_OPTIONS="exitcode=0 log_path={logs}/log"'
    shell = f'{preload} {options} exec "$0" "$@"'
    simulate = [BUILD / "tocuda", "simulate", "2x1GiB", "--", "sh", "-c", shell, sys.executable, *words]
    return subprocess.run(["setarch", "-R", *simulate]).returncode


def innermost(stack):
    frames = [line for line in stack.splitlines() if re.match(r"\s+#\d", line) and SANITIZER not in line]
    return frames[0] if frames else ""


def races_among(ours, text):
    """Reports whose accesses are all made by these libraries."""
    for report in text.split("=" * 18):
        stacks = [part for part in re.split(r"\n\s*\n", report) if re.search(r"(read|write) of size", part, re.I)]
        if stacks and all(any(name in innermost(stack) for name in ours) for stack in stacks):
            yield report.strip()


def main():
    ours = build()
    with tempfile.TemporaryDirectory() as logs:
        code = run(sys.argv[1:], logs)
        found = {race for log in Path(logs).iterdir() for race in races_among(ours, log.read_text(errors="replace"))}
    print("\n\n".join(sorted(found)) or "no data race in the simulated GPUs")
    return 1 if found else 3 if code else 0


if __name__ == "__main__":
    sys.exit(main())
