# tocuda, Apache-2.0.
"""The parts of a campaign and their steps, in order: measurements first, tests last. The seconds are limits, which
--limit changes."""

import dataclasses
import functools
from typing import Callable

from campaigning import by_hand, facts, measuring, peers, surroundings
from campaigning.child import last_line
from campaigning.outcome import Absent, Failed

COLD = ("start/*", "*first_byte*")  # benchmarks of initialising a GPU
KINDS = ("allocate/virtual", "memory/compressible", "coherent/*", "load/direct_storage")
HAZARDOUS = ("managed/oversubscribed",)  # can hang a GPU: never without being asked for by name
LINKS = ("copy/host_to_device/pinned", "copy/device_to_host/pinned", "copy/*/staged", "copy/host_to_host/threads")
# Six rounds of one group, then the next group: (name, seconds, benchmarks).
ROUNDS = (
    ("rounds-copy", 75, ("copy/device_to_device/best", "copy/device_to_device/engine", "copy/device_to_device/*tma*")),
    ("rounds-memory", 75, ("memory/*",)),
    ("rounds-pinned", 60, ("copy/host_to_device/pinned", "copy/device_to_host/pinned")),
    ("rounds-staged", 60, ("copy/host_to_device/staged", "copy/device_to_host/staged")),
    ("rounds-host", 60, ("copy/host_to_host/threads", "copy/host_to_device/pageable", "copy/device_to_host/pageable")),
)
LEAST_S = 20  # the least time in which a measurement is started
TOOLS = ("memcheck", "racecheck", "synccheck", "initcheck")


@dataclasses.dataclass(frozen=True)
class Step:
    name: str
    part: int
    seconds: float  # its limit
    work: Callable  # takes the Campaign; its return value is recorded
    least: float = 2  # not started with fewer seconds left
    cold: bool = False  # measures how a GPU is initialised, so nothing may hold it open
    lasting: Callable = lambda campaign: True  # returns whether its product still exists; if not, it is repeated


def all_steps(asked, prepared):
    steps = [*first(asked, prepared), *second(asked, prepared), *third()]
    return [limited(step, asked.limits) for step in steps]


def limited(step, limits):
    seconds = limits.get(step.name, step.seconds)
    return dataclasses.replace(step, seconds=seconds, work=functools.partial(step.work, seconds=seconds))


def first(asked, prepared):
    return [
        Step("facts", 1, 120, facts.ask),
        Step("build", 1, 300, surroundings.build, lasting=surroundings.is_built),
        Step("kernels", 1, 90, functools.partial(by_hand.each, label="kernels")),
        Step("tune", 1, 200, functools.partial(tune, sizes=asked.sizes[0]), least=LEAST_S),
        benchmarks("links", 1, 60, LINKS, "--quick", "--bytes", asked.link_size),
        *(peer_build(name) for name in prepared["peers"]),
        *peer_steps(1, "first", prepared),
    ]


def second(asked, prepared):
    sizes = ",".join(asked.sizes)
    return [
        *peer_steps(2, "before", prepared),
        *(benchmarks(name, 2, seconds, patterns, "--bytes", sizes) for name, seconds, patterns in ROUNDS),
        *peer_steps(2, "after", prepared),
        Step("scenarios", 2, 200, scenarios),
    ]


def third():
    return [
        Step("scenarios-rest", 3, 120, scenarios_left),
        Step("simulated", 3, 120, simulated),
        Step("fidelity", 3, 20, fidelity),
        *(Step(f"sanitizer-{tool}", 3, 60, functools.partial(by_hand.sanitized, tool=tool)) for tool in TOOLS),
        Step("ncu", 3, 60, by_hand.profiled),
        benchmarks("latency", 3, 60, ("latency/*",)),
        Step("pairs", 3, 150, pairs, LEAST_S),
        benchmarks("calls", 3, 120, ("calls/*",)),
        benchmarks("curve", 3, 90, ("curve/*",)),
        benchmarks("stream", 3, 60, ("stream/*", "atomics/*", "arithmetic/*")),
        benchmarks("load", 3, 150, ("load/*", "save/*"), without=KINDS),
        benchmarks("host", 3, 40, ("host/*",)),
        benchmarks("busy", 3, 60, ("busy/*",)),
        benchmarks("kinds", 3, 90, KINDS),
        benchmarks("sustained", 3, 150, ("sustained/*",)),
        benchmarks("tax", 3, 60, ("framework/*",), "--quick"),
        dataclasses.replace(benchmarks("cold", 3, 150, COLD, "--quick"), cold=True),
        benchmarks("bench", 3, 120, ("*",), without=(*COLD, *HAZARDOUS, "tune/*", "sustained/*")),
        Step("tests", 3, 420, tests),
    ]


def benchmarks(name, part, seconds, patterns, *words, without=()):
    work = functools.partial(measuring.bench, name=name, patterns=patterns, words=words, without=without)
    return Step(name, part, seconds, work, LEAST_S)


def peer_build(name):
    built = functools.partial(peers.is_built, name=name)
    return Step(f"build-{name}", 1, 120, functools.partial(peers.build, name=name), lasting=built)


def peer_steps(part, when, prepared):
    names = (*prepared["peers"], peers.OURS)
    return [Step(f"{name}-{when}", part, 60, functools.partial(peers.run, name=name, when=when)) for name in names]


def tune(campaign, seconds, sizes):
    """Measures the tuning sweep if there is one; otherwise all parameter values of the kernels."""
    patterns, words = ("tune/*",), ["--quick"]
    if not any(name.startswith("tune/") for name in measuring.benchmarks(campaign)):
        patterns, words = ("copy/device_to_device/*", "memory/*"), ["--full"]
    return measuring.bench(campaign, seconds, "tune", patterns, [*words, "--bytes", sizes], ("*/peer",))


def pairs(campaign, seconds):
    """What several GPUs do with each other."""
    asked = campaign.asked.simulate
    if (asked and asked.startswith("1x")) or not (asked or measuring.has_several_gpus(campaign)):
        raise Absent("one GPU only")
    return measuring.bench(campaign, seconds, "pairs", ("pairs/*", "collectives/*"), ["--quick"])


def scenarios(campaign, seconds):
    return measuring.record(campaign, "scenarios", "run", seconds, [])


def scenarios_left(campaign, seconds):
    if campaign.state.outcome("scenarios") == "done":
        raise Absent("nothing left to run")
    return scenarios(campaign, seconds)


def simulated(campaign, seconds):
    if campaign.asked.simulate:
        raise Absent("a rehearsal is already simulated")
    return measuring.record(campaign, "simulated", "run", seconds, [], ["--simulate", "2x8GiB"])


def fidelity(campaign, seconds):
    if campaign.asked.simulate:
        raise Absent("a rehearsal has nothing real to compare with")
    files = [measuring.files_of(campaign, name) for name in ("scenarios", "simulated")]
    if not all(files):
        raise Failed("no scenarios were recorded")
    words = [campaign.repository / "scripts/fidelity", *(found[-1] for found in files)]
    code = campaign.command(words, "fidelity.txt", seconds)
    if code not in (0, 1):
        raise Failed(f"exit code {code}")
    return campaign.log("fidelity.txt").read_text().strip().splitlines()[-1]


def tests(campaign, seconds):
    """Failing tests fail the campaign but spoil no results, because everything has been measured before."""
    words = [campaign.repository / "scripts/test"]
    code = campaign.command(words, "tests.txt", seconds, env=surroundings.variables(campaign))
    log = campaign.log("tests.txt")
    passed = [line.strip() for line in log.read_text(errors="replace").splitlines() if "tests passed" in line]
    summary = passed[-1] if passed else last_line(log)
    if code != 0:
        raise Failed(f"exit code {code}: {summary}")
    return summary
