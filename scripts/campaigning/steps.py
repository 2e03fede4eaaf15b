# tocuda, Apache-2.0.
"""The steps of a campaign in order of value: what will be cited first, tests last.

How long measurements take, `tocuda bench --forecast` says; the seconds given here are those of everything else."""

import dataclasses
import functools
import sys
from pathlib import Path
from typing import Callable

from campaigning import building, measuring, peers, tools
from campaigning.child import last_line

# SIZES are 1GiB,4GiB, and SIZE is 1GiB; in a rehearsal, where the host's memory is the GPU's, both are 1MiB.
# Families, each measured by one command. What can hang a GPU (managed/oversubscribed) is measured only by its name.
MEASURED = {
    "rounds": "copy/device_to_device/best copy/device_to_device/engine copy/device_to_device/tma_bulk memory/read "
    "memory/write memory/triad copy/host_to_device/pinned copy/device_to_host/pinned --bytes SIZES",
    "tune": "tune/ --quick --bytes SIZE",
    "characterise": "characterise",
    "pairs": "pairs/ collectives/ --quick",
    "links": "copy/host_to_device/staged copy/device_to_host/staged copy/host_to_device/zero_copy "
    "copy/device_to_host/zero_copy copy/host_to_host/threads copy/host_to_device/pageable "
    "copy/device_to_host/pageable --bytes SIZES",
    "arithmetic": "arithmetic/ atomics/ stream/",
    "loading": "load/ save/ --quick",
    "busy": "busy/ --quick",
    "kinds": "allocate/virtual memory/compressible coherent/ --quick",
    "host": "host/",
    "cold": "start/",
    "bench": "--quick",
}
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
        fixed("peers", peers.measure, 150),
        fixed("sanitizers", tools.sanitized, 240, divisible=True),
        fixed("ncu", tools.profiled, 90),
        measured("bench"),
        Step("tests", building.test, building.seconds_to_test),
    ]


def ask(campaign, seconds):
    """Records what this machine is."""
    folder = campaign.log("facts/answers.txt").parent
    campaign.must(["sh", Path(__file__).with_name("facts.sh"), folder, sys.executable], "facts.txt", seconds)
    return last_line(campaign.log("facts.txt"))
