# tocuda, Apache-2.0.
"""The steps of a campaign in order of value: what will be cited first, tests last.

How long measurements take, `tocuda bench --forecast` says; the seconds given here are those of everything else."""

import dataclasses
import functools
import sys
from pathlib import Path
from typing import Callable

import roles
from campaigning import building, measuring, peers, tools
from campaigning.child import last_line

# Each is measured by one command: the benchmarks that say that they belong to this step, or what is named here. SIZES
# are 1GiB,4GiB, and SIZE is 1GiB; in a rehearsal, where the host's memory is the GPU's, both are 1MiB.
ASKED = {
    "rounds": "--bytes SIZES",
    "tune": "--quick --bytes SIZE",
    "characterise": "characterise",
    "pairs": "--quick",
    "links": "--bytes SIZES",
    "arithmetic": "",
    "loading": "--quick",
    "busy": "--quick",
    "kinds": "--quick",
    "host": "",
    "cold": "",
    "bench": "--quick",
}
MEASURED = {name: " ".join([*roles.patterns_of(name), words]).strip() for name, words in ASKED.items()}
COLD = ("cold",)  # how a GPU is initialised: nothing may hold it open meanwhile


@dataclasses.dataclass(frozen=True)
class Step:
    name: str
    work: Callable  # takes the campaign and the seconds; its return value is recorded
    needs: Callable  # takes the campaign; returns the seconds that are still needed
    divisible: bool = False  # continued by the next command if it was cut
    first: bool = False  # nothing else can be done before
    lasting: Callable = lambda campaign: True  # whether its product still exists; if not, the step is repeated


def measured(name):
    words = MEASURED[name].split()
    work, needs = (functools.partial(of, name=name, words=words) for of in (measuring.bench, measuring.needed))
    return Step(name, work, needs, divisible=True)


def fixed(name, work, seconds, **more):
    return Step(name, work, lambda campaign: seconds, **more)


def all_steps():
    families = [measured(name) for name in MEASURED if name not in ("rounds", "bench")]
    build = {"divisible": True, "first": True, "lasting": building.is_built}
    return [
        fixed("facts", ask, 20, first=True),
        Step("build", building.build, building.seconds_to_build, **build),
        measured("rounds"),
        fixed("scenarios", measuring.scenarios, measuring.SCENARIOS_S, divisible=True),
        *families,
        Step("peers", peers.measure, lambda campaign: 10 + 300 / campaign.cores()),
        fixed("sanitizers", tools.sanitized, 60, divisible=True),
        fixed("ncu", tools.profiled, 40),
        measured("bench"),
        Step("tests", building.test, building.seconds_to_test),
    ]


def ask(campaign, seconds):
    """Records what this machine is."""
    folder = campaign.log("facts/answers.txt").parent
    campaign.must(["sh", Path(__file__).with_name("facts.sh"), folder, sys.executable], "facts.txt", seconds)
    return last_line(campaign.log("facts.txt"))
