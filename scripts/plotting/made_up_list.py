# tocuda, Apache-2.0.
"""Invented rows of every benchmark that `tocuda list --json` names, with the parameters that it has."""

import random

import made_up
from document import ask
from labels import role_of, tuning_of

TIMED = ("allocate/", "calls/", "framework/allocate", "host/latency", "latency/", "pairs/latency", "start/")
COUNTED = "arithmetic/", "atomics/", "framework/matmul"
MOST = 3  # values of a parameter


def benchmarks():
    return ask("list")["benchmarks"]


def sets_of(benchmark):
    """The parameter sets: the first value of each parameter, and others of one. What only tunes keeps its first value,
    because pictures draw the fastest."""
    full = benchmark["full"]
    values = {name: max(some, full.get(name, []), key=len) for name, some in benchmark["parameters"].items()}
    of_pairs = "pairs-of-gpus" in role_of(benchmark["name"]).get("pictures", ())
    if of_pairs:
        values["from"], values["to"] = [0, 2], [1, 3]
    first = {name: some[0] for name, some in values.items()}
    tuning = tuning_of(benchmark["name"])
    if of_pairs:
        tuning = tuning - {"from", "to"}
    if benchmark["name"].startswith("memory/occupancy"):
        tuning = tuning - {"blocks_each"}
    made = [first]
    for name in [name for name in values if name not in tuning]:
        made += [first | {name: value} for value in values[name][1:MOST]]
    return made


def rows_of(benchmark):
    name, made = benchmark["name"], []
    for given in sets_of(benchmark):
        parameters = dict(sorted(given.items()))
        size = parameters.pop("bytes", None)
        seconds = random.Random(f"{name} {sorted(given.items())}").uniform(1e-6, 1e-4)
        counted = name.startswith(COUNTED)
        still = counted or name.startswith(TIMED)
        more = {"items": 1000 + len(made)} if counted and given.get("what") != "latency" else {}
        count = {"one_way": 0, "touched": 0} if still else {}
        clock = benchmark["clock"]
        row = made_up.row(
            name, size or 2**20, [seconds], clock=clock, parameters=parameters, peak=None, **count, **more
        )
        made += [row] if size is not None else made_up.without_size([row])
    if name.startswith("host/"):
        made = [{key: value for key, value in row.items() if key != "gpu"} | {"device": "none"} for row in made]
    return made
