# tocuda, Apache-2.0.
"""The worker's side of the protocol: describe, observe, judge."""

import fcntl
import os
import sys
from pathlib import Path

from worker_python.judging import judge_row
from worker_python.lines import Malformed, to_line
from worker_python.mapped_drivers import device_of_this_process
from worker_python.observer import Observer
from worker_python.registry import load_registry
from worker_python.row import row_of
from worker_python.shortage import LACKED, lacked_by, lacking
from worker_python.simulation import gpu_computes
from worker_python.torch_folder import built_with, gpu_answered

ANSWERS = 3  # the descriptor that answers go to
PROTOCOL = 1
USAGE_ERROR = 2
OBSERVATION_FAILED = 70


def write_line(line):
    rest = to_line(line)
    while rest:
        try:
            rest = rest[os.write(ANSWERS, rest) :]
        except OSError:
            os._exit(OBSERVATION_FAILED)  # tocuda has ended, so nobody reads the rest


def complain(text, code=USAGE_ERROR):
    print(text, file=sys.stderr, flush=True)
    return code


def describe(registry, torch_parent):
    write_line({"kind": "worker", "protocol": PROTOCOL, "built_with": built_with(torch_parent)})
    for name, entry in registry.items():
        write_line(entry.scenario.described(name))
    return 0


def observe_if_possible(entry, see, variant):
    """Observes, unless the GPU lacks what the variant needs, before it begins or on the way."""
    if why := lacking(entry.scenario.needs_of(variant)):
        return see(LACKED, why)
    try:
        entry.observe(see, variant)
    except Exception as error:
        why = lacked_by(error)
        if not why:
            raise
        see(LACKED, why)


def observe(registry, torch_parent, name, variant):
    if name not in registry:
        return complain(f"no scenario named '{name}'")
    sys.path.insert(0, str(torch_parent))
    try:
        observe_if_possible(registry[name], Observer(write_line, gpu_computes), variant)
    except Exception as error:
        return complain(
            f"the scenario threw: {type(error).__name__}: {str(error).partition(chr(10))[0]}", OBSERVATION_FAILED
        )
    write_line({"kind": "done", "device": device_of_this_process(gpu_answered)})
    return 0


def judge(registry):
    for line in sys.stdin.buffer:
        try:
            row = row_of(line)
        except Malformed as malformed:
            return complain(f"cannot read row: {malformed}")
        if row.name not in registry:
            return complain(f"no scenario named '{row.name}'")
        for ruling in judge_row(registry[row.name], row):
            write_line(ruling)
    return 0


def worker_main(arguments, torch_parent):
    """`arguments` begins with the program's own name. The scenarios' folder is beside this package's folder."""
    try:
        fcntl.fcntl(ANSWERS, fcntl.F_GETFD)
    except OSError:
        return complain(f"{arguments[0]}: descriptor {ANSWERS} is closed: start this program through `tocuda`")
    os.set_inheritable(ANSWERS, False)
    words = arguments[1:]
    registry = load_registry(Path(__file__).resolve().parent.parent / "scenarios")
    if words == ["describe"]:
        return describe(registry, Path(torch_parent))
    if words == ["judge"]:
        return judge(registry)
    if len(words) == 3 and words[0] == "observe":
        return observe(registry, Path(torch_parent), words[1], words[2])
    return complain(f"{arguments[0]}: usage: describe | observe NAME VARIANT | judge")
