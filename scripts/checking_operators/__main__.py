# tocuda, Apache-2.0.
"""Compares PyTorch's operators on simulated GPUs with the CPU: the database of operators that its package brings.

    scripts/operators                     all of them in float32, against the list of those known to fail
    scripts/operators --dtype int64 -k fft
    scripts/operators --write             write the list

Exit code: 0 as listed, 1 not as listed, 2 nothing could be compared."""

import argparse
import collections
import json
import os
import queue
import signal
import subprocess
import sys
import threading
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PROGRAM = os.environ.get("TOCUDA_PROGRAM", str(ROOT / "scripts/tocuda"))
WORKER = str(HERE / "worker.py")
NOT_INSTALLED = 77
LISTS = ROOT / "harness/simulator/computing/known_failures"


class Worker:
    """A process that runs the operators it is given; the next one is started if it dies or takes too long."""

    def __init__(self, asked, names, results):
        self.asked, self.names, self.results = asked, names, results

    def start(self):
        reading, writing = os.pipe()
        command = [PROGRAM, "simulate", self.asked.gpus, "--", sys.executable, "-B", WORKER, self.asked.dtype]
        # The child's descriptor 3, whatever number the pipe has here.
        shell = ["bash", "-c", f'exec 3>&{writing} "$@"', "bash", *command]
        child = subprocess.Popen(shell, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                 pass_fds=[writing], start_new_session=True, text=True)  # fmt: skip
        os.close(writing)
        return child, os.fdopen(reading)

    def run(self):
        while True:
            child, lines = self.start()
            name = self.feed(child, lines)
            try:
                os.killpg(child.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            code = child.wait()
            lines.close()
            if name is None:
                return
            why = f"no answer in {self.asked.seconds} s" if code == -signal.SIGKILL else f"ended with {code}"
            self.results[name] = {"what": "crashed", "why": why}

    def feed(self, child, lines):
        """Returns the operator at which the process ended, or None when none is left."""
        while True:
            try:
                name = self.names.get_nowait()
            except queue.Empty:
                return None
            timer = threading.Timer(self.asked.seconds, lambda: os.killpg(child.pid, signal.SIGKILL))
            timer.start()
            try:
                child.stdin.write(name + "\n")
                child.stdin.flush()
                line = lines.readline()
                if not line:
                    return name
                row = json.loads(line)
            except BrokenPipeError:
                return name
            finally:
                timer.cancel()
            self.results[name] = row
            if self.asked.verbose and row["what"] != "right":
                print(f"{name}: {row['what']}: {row['why']}", flush=True)


def version():
    text = subprocess.run(
        [sys.executable, "-c", "import torch; print(torch.__version__)"], capture_output=True, text=True
    )
    return ".".join(text.stdout.strip().split(".")[:2])


def names_of(asked):
    listed = subprocess.run([sys.executable, "-B", WORKER, asked.dtype, "--list"], capture_output=True, text=True)
    if "No module named 'expecttest'" in listed.stderr or "No module named 'hypothesis'" in listed.stderr:
        sys.exit(NOT_INSTALLED)
    if listed.returncode != 0:
        print(f"scripts/operators: PyTorch's database of operators cannot be loaded:\n{listed.stderr[-500:]}")
        sys.exit(2)
    # Last, because they replace kernels of the whole process.
    return sorted((name for name in listed.stdout.split() if asked.pattern in name), key=lambda name: "triton" in name)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("-k", dest="pattern", default="", help="only operators whose names contain this")
    parser.add_argument("--gpus", default="1x8GiB", help="the simulated GPUs")
    parser.add_argument("--seconds", type=float, default=60, help="for one operator")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--write", action="store_true", help="write the list of those that fail")
    parser.add_argument("--verbose", action="store_true", help="print each failure when it happens")
    asked = parser.parse_args()
    if asked.write and asked.pattern:
        parser.error("--write needs all operators: leave out -k")
    wanted = names_of(asked)
    if not wanted:
        print(f"scripts/operators: no operator in {asked.dtype} has '{asked.pattern}' in its name", file=sys.stderr)
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


def report(asked, wanted, results):
    place = LISTS / f"torch-{version()}-{asked.dtype}.txt"
    failing = {name: f"{results[name]['what']}: {results[name]['why']}" for name in sorted(wanted)
               if results[name]["what"] != "right"}  # fmt: skip
    counts = collections.Counter(result["what"] for result in results.values())
    print(f"{len(wanted)} operators in {asked.dtype}: " + ", ".join(f"{n} {what}" for what, n in counts.most_common()))
    if asked.write:
        place.parent.mkdir(exist_ok=True)
        place.write_text("".join(f"{name}  {why}\n" for name, why in failing.items()))
        return 0
    listed = {}
    if place.exists():
        listed = dict(line.split("  ", 1) for line in place.read_text().splitlines())
    listed = {name: why for name, why in listed.items() if name in results}
    for name in sorted(failing.keys() - listed.keys()):
        print(f"fails and is not listed: {name}: {failing[name]}")
    for name in sorted(listed.keys() - failing.keys()):
        print(f"is listed and does not fail: {name}: {listed[name]}")
    return 1 if failing.keys() != listed.keys() else 0


if __name__ == "__main__":
    sys.exit(main())
