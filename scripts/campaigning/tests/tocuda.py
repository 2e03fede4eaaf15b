#!/usr/bin/python3 -SE
# tocuda, Apache-2.0.
"""A fake tocuda: each name or folder of `bench` is measured by two processes of 20 seconds by estimate, SLOWER times as
long in truth. It measures as many as the budget allows and continues a file as tocuda does."""

import json
import os
import pathlib
import sys
import time

ESTIMATE_S, ROUNDS = 20, 2
words = sys.argv[1:]
said = " ".join(["tocuda", *words])


def log(text):
    with open(os.environ["CALLS"], "a") as calls:
        calls.write(text + "\n")


def behave():
    if os.environ.get("HANGS", "\n") in said:
        time.sleep(1000)
    if os.environ.get("FAILS", "\n") in said:
        print("it failed, as requested")
        sys.exit(int(os.environ.get("CODE", "1")))


def value_of(option):
    return words[words.index(option) + 1] if option in words else None


def append(file, line):
    with open(file, "a") as out:
        out.write(json.dumps(line) + "\n")


def work_of(file):
    """The asked work, and what the file lacks of it."""
    lines = []
    for line in pathlib.Path(file).read_text().splitlines():
        try:
            lines.append(json.loads(line))
        except ValueError:
            continue
    done = [(line["benchmark"], line["round"]) for line in lines if line["kind"] == "measurement"]
    return [part for part in map(tuple, lines[0]["plan"]) if part not in done]


def asked_work():
    named = [word for before, word in zip(words, words[1:]) if not before.startswith("--")]
    known = [word for word in named if "/" in word] or words[1:2]
    names = [name for name in known if not name.startswith("pairs/") or os.environ.get("PAIRS")]
    names = [name for name in names if not name.startswith("collectives/") or os.environ.get("PAIRS")]
    return [(name, number) for number in range(ROUNDS) for name in names]


def new_file(verb, plan):
    folder = pathlib.Path(value_of("--output"))
    folder.mkdir(parents=True, exist_ok=True)
    device = "simulated" if "--simulate" in words else "real"
    file = folder / f"{time.time_ns()}-{verb}-{device}-{os.getpid()}.jsonl"
    suite = {"commit": os.environ.get("COMMIT", "1234"), "dirty": os.environ.get("DIRTY") == "true"}
    gpu = {"gpus": [{"name": "NVIDIA H200"}], "driver": {"kernel_module": "580.1"}, "suite": suite, "plan": plan}
    append(file, {"kind": "run", "verb": verb, "device": device, **gpu})
    return file


def bench():
    resumed = value_of("--resume")
    if resumed and os.environ.get("REFUSES"):
        sys.exit(4)
    work = work_of(resumed) if resumed else asked_work()
    if "--forecast" in words:
        found = {"processes": len(work), "sets": len(work), "seconds": ESTIMATE_S * len(work)}
        print(json.dumps({"forecast": True, **found}))
        return
    log(said)
    held = os.environ.get("HELD")
    if held:
        links = [os.readlink(link) for link in pathlib.Path(f"/proc/{os.getppid()}/fd").iterdir()]
        log(f"held: {sum(held in link for link in links)} {said}")
    file = resumed or new_file("bench", work)
    left = float(value_of("--budget"))
    for name, number in work:
        left -= ESTIMATE_S * float(os.environ.get("SLOWER", "1"))
        if left < 0 and "--simulate" not in words:
            break
        time.sleep(float(os.environ.get("SLEEP", "0")))
        row = {"benchmark": name, "round": number, "id": "ab", "status": "ok", "samples": [0.5]}
        append(file, {"kind": "measurement", **row, "bytes_one_way": 1 << 30, "bytes_touched": 2 << 30})
    behave()


def run():
    log(said)
    resumed = value_of("--resume")
    if resumed and os.environ.get("REFUSES"):
        sys.exit(4)
    file = resumed or new_file("run", [])
    append(file, {"kind": "scenario", "name": "a", "claims": [{"id": "000-01"}]})
    behave()


def known():
    """What this build has: everything, or what begins with the words of BUILT."""
    names = [f"{name}something" if name.endswith("/") else name for name in os.environ["NAMES"].split()]
    built = tuple(os.environ.get("BUILT", " ").split(","))
    return [{"name": name} for name in names if name.startswith(built) or built == (" ",)]


if words[0] == "list":
    scenarios = [] if os.environ.get("BUILT", " ") != " " else [{"name": "dtype/double_move"}]
    print(json.dumps({"scenarios": scenarios, "benchmarks": known()}))
elif words[0] == "bench":
    bench()
elif words[0] == "run":
    run()
elif words[0] == "verify":
    behave()
elif words[0] == "__simulation":
    print(f"compiled: {said}")
