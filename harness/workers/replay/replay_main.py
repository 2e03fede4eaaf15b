# tocuda, Apache-2.0.
"""The worker of `tocuda replay`: replay_main.py REQUEST ANSWER, two files of JSON. Runs under simulated GPUs; each
replay is a child, forked after LibTorch was loaded and before it saw a GPU."""

import json
import os
import signal
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor

sys.path[0] = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
from replay.peak import peak_of  # noqa: E402
from replay.program import program_of  # noqa: E402
from replay.replaying import (  # noqa: E402
    MOST,
    STEP,
    first_difference,
    on_gpu,
    plenty,
    recorded_capacities,
    told_by_child,
)
from replay.snapshot import NOTHING, UNREADABLE, RefusedError, devices_of, read  # noqa: E402

ALL_SETTINGS = (
    "",
    "expandable_segments:True",
    "max_split_size_mb:128",
    "max_split_size_mb:512",
    "garbage_collection_threshold:0.8",
    "roundup_power2_divisions:8",
)
LARGER = 16  # capacities above the smallest that are tried too


def import_torch():
    """That of this Python, or else the one that tocuda was built with."""
    try:
        import torch
    except ImportError:
        if not os.environ.get("TOCUDA_REPLAY_TORCH"):
            raise
        sys.path.append(os.environ["TOCUDA_REPLAY_TORCH"])
        import torch
    return torch


class Worker:
    def __init__(self, request, machine, file, device=None):
        self.request = request
        self.machine = machine
        self.recording = read(file, device)
        self.program = program_of(self.recording)
        unknown_rest = self.recording.truncated or self.recording.stopped
        self.is_part = self.program.fatal is not None or bool(unknown_rest)
        self.torch = import_torch().__version__.split("+")[0]

    def replay(self, capacity, settings, traced=False, with_cached=True):
        try:
            return on_gpu(self.machine, self.recording, self.program, capacity, settings, traced, with_cached)
        except RuntimeError as error:
            refused = settings != self.recording.settings  # by LibTorch, which reads them
            code = UNREADABLE if refused else NOTHING
            raise RefusedError(code, f"with the settings '{settings}': {error}") from None

    def same(self):
        best = None
        for capacity in recorded_capacities(self.program):
            answer = self.replay(capacity, self.recording.settings, traced=True)
            difference = first_difference(self.program.segment_events, answer["segment_events"])
            if best is None or difference is None:
                best = answer, difference
                self.known = {(capacity, self.recording.settings): answer}
            if difference is None:
                break
        answer, difference = best
        reproduced = difference is None and answer["reserved_peak_bytes"] == self.program.reserved_peak
        matching = len(self.program.segment_events) if difference is None else difference["number"]
        return {
            "segment_events": len(self.program.segment_events),
            "matching": matching,
            "reproduced": reproduced,
            "first_difference": difference,
            "reserved_peak_bytes": self.program.reserved_peak,
            "retries": answer["retries"],
            "guesses": self.program.guesses + answer["guesses"],
        }

    def row(self, settings, capacity, same, answer):
        guesses = sorted({*same["guesses"], *answer["guesses"]})
        exact = same["reproduced"] and not guesses
        survived = answer["survived"]
        if survived and self.is_part:
            survived = None  # nobody knows what the program would have asked for next
        return {
            "torch": self.torch,
            "settings": settings,
            "capacity_bytes": capacity,
            "survived": survived,
            "oom": answer["oom"],
            "reserved_peak_bytes": answer["reserved_peak_bytes"],
            "allocated_peak_bytes": answer["allocated_peak_bytes"],
            "retries": answer["retries"],
            "course": answer["course"] if capacity is None else None,
            "basis": "exact" if exact else "guessed",
            "guesses": guesses,
        }

    def rows_of(self, settings, same):
        most = plenty(self.program)
        unlimited = self.known.get((most, settings)) or self.replay(most, settings)
        rows = [self.row(settings, None, same, unlimited)]
        if self.request["smallest"]:
            rows[0].update(self.smallest(settings, same))
        for capacity in self.request["capacities"]:
            rows.append(self.row(settings, capacity, same, self.replay(capacity // STEP * STEP, settings)))
        return rows

    def smallest(self, settings, same):
        """Bisected with the allocator itself. Larger capacities need not survive: some of them are tried too. What was
        cached when the recording began is left out: with less memory there would have been less of it."""

        def replayed(steps):
            return self.replay(steps * STEP, settings, with_cached=False)

        unlimited = replayed(plenty(self.program) // STEP)
        fails = unlimited["allocated_peak_bytes"] // STEP - 1
        survives = -(-unlimited["reserved_peak_bytes"] // STEP)
        while not replayed(survives)["survived"]:
            if survives * STEP >= MOST:
                return {"smallest_bytes": MOST, "smallest_basis": "more than", "fails_above_bytes": []}
            fails, survives = survives, min(survives + survives // 8 + 1, MOST // STEP)
        most = survives
        while survives - fails > 1:
            middle = (survives + fails) // 2
            if replayed(middle)["survived"]:
                survives = middle
            else:
                fails = middle
        larger = {survives + (most - survives) * each // LARGER for each in range(1, LARGER + 1)} - {survives}
        basis = self.row(settings, None, same, unlimited)["basis"]
        return {
            "smallest_bytes": survives * STEP,
            "smallest_basis": "at least" if self.is_part else basis,
            "smallest_retries": replayed(survives)["retries"],
            "fails_above_bytes": [each * STEP for each in sorted(larger) if not replayed(each)["survived"]],
        }

    def answer(self):
        recording = self.recording
        same = self.same()
        settings = [recording.settings]
        for each in self.request["settings"]:
            settings += [s for s in (ALL_SETTINGS if each == "all" else (each,)) if s not in settings]
        with ThreadPoolExecutor(os.cpu_count()) as threads:
            rows = [row for rows in threads.map(lambda each: self.rows_of(each, same), settings) for row in rows]
        return {
            "source": {
                "sha256": recording.sha256,
                "settings": recording.settings,
                "events": len(recording.events),
                "truncated": recording.truncated,
                "filtered": False,
                "start_bytes": recording.start.reserved,
                "ends_in_oom": self.program.fatal is not None,
                "stopped": recording.stopped,
            },
            "torch": self.torch,
            "same": same,
            "peak": peak_of(recording),
            "what_if": rows,
            "device": recording.device,
            "steps": len(recording.steps),
            "notes": recording.notes,
        }


def main(request, answer):
    warnings.simplefilter("ignore")
    with open(request) as file:
        asked = json.load(file)
    with open(os.environ["TOCUDA_SIMULATION"]) as file:
        machine = file.read()
    file, each = None, []
    try:
        if not asked["files"]:
            refuse_wrong(asked["settings"])
        for file in asked["files"]:
            for device in devices_of(file) if asked["every_device"] else [None]:
                each.append(Worker(asked, machine, file, device).answer())
        answered = known({"each": each})
    except RefusedError as refused:
        answered = {"refused": f"{file}: {refused}" if file else str(refused), "code": refused.code}
    except ImportError as error:
        why = f"{sys.executable} has no LibTorch: {error}; name a Python with torch: TOCUDA_PYTHON, or --torch"
        answered = {"refused": f"{file}: {why}" if file else why, "code": NOTHING}
    with open(answer, "w") as file:
        json.dump(answered, file)


def refuse_wrong(settings):
    """Before a program runs for hours: LibTorch reads the settings when it first meets a GPU."""
    torch = import_torch()
    for each in settings:
        if each == "all":
            continue
        error, status = told_by_child(lambda: why_refused(torch, each))
        if error or status:
            why = error or f"LibTorch ended with status {status}"
            raise RefusedError(UNREADABLE, f"with the settings '{each}': {why}")


def why_refused(torch, settings):
    os.environ["PYTORCH_ALLOC_CONF"] = os.environ["PYTORCH_CUDA_ALLOC_CONF"] = settings
    try:
        torch.empty(1, dtype=torch.uint8, device="cuda")
        return ""
    except Exception as error:  # noqa: BLE001: whatever it was, the parent says it
        return f"{type(error).__name__}: {error}".splitlines()[0]


def known(value):
    """Without what is None: to the program an unknown value is an absent field."""
    if isinstance(value, dict):
        return {name: known(each) for name, each in value.items() if each is not None}
    return [known(each) for each in value] if isinstance(value, list) else value


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # ends this process and its replays without a word
    main(*sys.argv[1:])
    sys.stderr.flush()
    os._exit(0)  # skips unloading LibTorch
