# tocuda, Apache-2.0.
"""Compares PyTorch's operators on simulated GPUs with the CPU: the database of operators that its package brings. Or
runs tests of PyTorch's own, from a source tree of it.

    scripts/operators                     all of them in float32, against the list of those known to fail
    scripts/operators --dtype int64 -k fft
    scripts/operators --dtype float16 --gradients
    scripts/operators --ways all          each operator in every way of ways.py; a tenth of that: --every 10
    scripts/operators --ways out,graph -k cumsum
    scripts/operators --tests pytorch/test/test_cuda.py
    scripts/operators --write             write the list

Exit code: 0 as listed, 1 not as listed, 2 nothing could be compared."""

import argparse
import collections
import functools
import itertools
import json
import os
import queue
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PROGRAM = os.environ.get("TOCUDA_PROGRAM", str(ROOT / "scripts/tocuda"))
PASSED = ("right", "passed", "skipped", "refused")
NOT_INSTALLED = 77
LISTS = ROOT / "simulator/computing/known_failures"


def simulated(asked):
    return [PROGRAM, "simulate", asked.gpus, "--"]


def program_of(asked):
    what = [HERE / "test_worker.py", asked.tests.resolve()] if asked.tests else [HERE / "worker.py", asked.dtype]
    how = ["--gradients"] if asked.gradients else [f"--ways={','.join(asked.ways)}"] if asked.ways else []
    return [sys.executable, "-B", *map(str, what), *how]


class Worker:
    """A process that runs the operators or tests that it is given, one after the other. If it dies or takes too long,
    or a test fails in it, the next one is started; a test that fails behind others is tried again in a new one."""

    def __init__(self, asked, names, results):
        self.asked, self.names, self.results = asked, names, results

    def start(self):
        reading, writing = os.pipe()
        command = [*simulated(self.asked), *program_of(self.asked)]
        # The child's descriptor 3, whatever number the pipe has here.
        shell = ["bash", "-c", f'exec 3>&{writing} "$@"', "bash", *command]
        child = subprocess.Popen(shell, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                 pass_fds=[writing], start_new_session=True, text=True)  # fmt: skip
        os.close(writing)
        return child, os.fdopen(reading)

    def run(self):
        again = None
        while True:
            child, lines = self.start()
            name, tried, row = self.feed(child, lines, again)
            try:
                os.killpg(child.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            code = child.wait()
            lines.close()
            if name is None:
                return
            if row is None:
                why = f"no answer in {self.asked.seconds} s" if code == -signal.SIGKILL else f"ended with {code}"
                row = {"what": "crashed", "why": why}
            again = name if self.asked.tests and tried > 1 else None
            if again is None:
                self.settle(name, row)

    def settle(self, name, row):
        self.results[name] = row
        if self.asked.verbose and "why" in row and row["what"] != "skipped":
            print(f"{name}: {row['what']}: {row['why']}", flush=True)

    def feed(self, child, lines, name):
        """Returns what the process ended at (None when none is left), how many it tried and the answer, if any."""
        for tried in itertools.count(1):
            try:
                name = name or self.names.get_nowait()
            except queue.Empty:
                return None, tried, None
            timer = threading.Timer(self.asked.seconds, lambda: os.killpg(child.pid, signal.SIGKILL))
            timer.start()
            try:
                child.stdin.write(name + "\n")
                child.stdin.flush()
                line = lines.readline()
                if not line:
                    return name, tried, None
                row = json.loads(line)
            except BrokenPipeError:
                return name, tried, None
            finally:
                timer.cancel()
            if row.pop("last", row["what"] == "failed"):
                return name, tried, row
            self.settle(name, row)
            name = None


def version():
    text = subprocess.run(
        [sys.executable, "-c", "import torch; print(torch.__version__)"], capture_output=True, text=True
    )
    return ".".join(text.stdout.strip().split(".")[:2])


def names_of(asked):
    # Which tests a file has depends on the GPUs.
    command = [*(simulated(asked) if asked.tests else []), *program_of(asked), "--list"]
    listed = subprocess.run(command, capture_output=True, text=True)
    if any(f"No module named '{name}'" in listed.stderr for name in ("expecttest", "hypothesis", "psutil")):
        sys.exit(NOT_INSTALLED)
    if listed.returncode != 0:
        what = asked.tests or "PyTorch's database of operators"
        print(f"scripts/operators: {what} cannot be loaded:\n{listed.stderr[-500:]}", file=sys.stderr)
        sys.exit(2)
    names = [name for name in listed.stdout.split() if asked.pattern in name]
    if asked.ways:  # what differs when it is called plainly differs in every way
        names = [name for name in names if name.split(":")[1] not in known_failures(asked.dtype)]
    # Last, because they replace kernels of the whole process.
    return sorted(names[:: asked.every], key=lambda name: "triton" in name)


def known_ways():
    return re.findall(r'^    "(\w+)": ', (HERE / "ways.py").read_text(), re.M)


def ways_of(text):
    """Without an import of torch."""
    asked = known_ways() if text == "all" else text.split(",")
    unknown = [way for way in asked if way not in known_ways()]
    if unknown:
        raise argparse.ArgumentTypeError(f"there is no way '{unknown[0]}', but {', '.join(known_ways())}")
    return asked


def describe(asked):
    """Sets what is compared, in words, and the list of what is known to fail."""
    asked.what = f"tests of {asked.tests.name}" if asked.tests else f"operators in {asked.dtype}"
    asked.what += ", backward" if asked.gradients else ", by ways" if asked.ways else ""
    asked.list = asked.tests.stem if asked.tests else asked.dtype
    asked.list += "-gradients" if asked.gradients else "-ways" if asked.ways else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--gradients", action="store_true", help="compare gradients instead of results")
    parser.add_argument(
        "--ways", type=ways_of, help="ways to call them, as all or out,graph,...: results must be equal"
    )
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every Nth of them")
    parser.add_argument("--tests", type=Path, metavar="FILE", help="a file of tests, instead of the operators")
    parser.add_argument("-k", dest="pattern", default="", help="only operators or tests whose names contain this")
    parser.add_argument("--gpus", help="the simulated GPUs: 1x8GiB, 2xH100 for tests")
    parser.add_argument("--seconds", type=float, default=120, help="for one operator or test")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument(
        "--write", action="store_true", help="write the list of those that fail, with the reasons that it has"
    )
    parser.add_argument(
        "--verbose", action="store_true", help="print each failure, and what is refused, when it happens"
    )
    asked = parser.parse_args()
    if asked.write and (asked.pattern or asked.every > 1 or (asked.ways and asked.ways != known_ways())):
        parser.error("--write needs all of them: leave out -k and --every")
    asked.gpus = asked.gpus or ("2xH100" if asked.tests else "2x4GiB" if asked.ways else "1x8GiB")
    if bool(asked.tests) + asked.gradients + bool(asked.ways) > 1:
        parser.error("--gradients, --ways and --tests exclude each other")
    describe(asked)
    wanted = names_of(asked)
    if not wanted:
        print(f"scripts/operators: none of the {asked.what} has '{asked.pattern}' in its name", file=sys.stderr)
        return 2
    names, results = queue.Queue(), {}
    for name in wanted:
        names.put(name)
    workers = [threading.Thread(target=Worker(asked, names, results).run) for _ in range(asked.jobs)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return report(asked, wanted, results)


@functools.cache
def known_failures(name):
    place = LISTS / f"torch-{version()}-{name}.txt"
    return dict(line.split("  ", 1) for line in place.read_text().splitlines()) if place.exists() else {}


def report(asked, wanted, results):
    place = LISTS / f"torch-{version()}-{asked.list}.txt"
    listed = known_failures(asked.list)
    failing = {name: f"{results[name]['what']}: {results[name]['why']}" for name in sorted(wanted)
               if results[name]["what"] not in PASSED}  # fmt: skip
    counts = collections.Counter(result["what"] for result in results.values())
    print(f"{len(wanted)} {asked.what}: " + ", ".join(f"{n} {what}" for what, n in counts.most_common()))
    if asked.write:
        place.parent.mkdir(exist_ok=True)
        place.write_text("".join(f"{name}  {listed.get(name, why)}\n" for name, why in failing.items()))
        return 0
    listed = {name: why for name, why in listed.items() if name in results}
    for name in sorted(failing.keys() - listed.keys()):
        print(f"fails and is not listed: {name}: {failing[name]}")
    for name in sorted(listed.keys() - failing.keys()):
        print(f"is listed and does not fail: {name}: {listed[name]}")
    differing = failing.keys() ^ listed.keys()
    print(f"{len(wanted) - len(differing)} as listed, {len(differing)} not")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
