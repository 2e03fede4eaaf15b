# tocuda, Apache-2.0.
"""What benchmarks say of themselves, in the descriptions among the sources: the scripts know none by name."""

import functools
import json
import pathlib

DESCRIPTIONS = pathlib.Path(__file__).resolve().parent.parent / "harness/supervisor/request/descriptions"
LAST = 1000  # the order of a group of which nothing is said


@functools.cache
def descriptions():
    """name -> the description of the benchmark, sorted by name."""
    lines = [json.loads(line) for file in DESCRIPTIONS.glob("*.jsonl") for line in file.read_text().splitlines()]
    found = {line["name"]: line for line in lines if line["kind"] == "benchmark"}
    return dict(sorted(found.items()))


def described(benchmark, field):
    return descriptions().get(benchmark, {}).get(field, {})


OF_ONE = {"sheet", "characterise", "headline", "peers", "chooses", "inspected"}


@functools.cache
def shared_in(folder):
    """What all benchmarks of a folder say alike, without those that are a family of their own."""
    mates = [described(name, "role") for name in descriptions() if name.rsplit("/", 1)[0] == folder]
    mates = [role for role in mates if not role.get("alone")]
    first = mates[0] if mates else {}
    return {field: one for field, one in first.items() if all(role.get(field) == one for role in mates)}


def role_of(benchmark):
    """One that these sources do not have, from another version, is like the others of its folder."""
    if benchmark in descriptions():
        return described(benchmark, "role")
    shared = shared_in(benchmark.rsplit("/", 1)[0])
    return {field: one for field, one in shared.items() if field not in OF_ONE}


def with_role(field):
    """name -> what the benchmark says in this field of its role, if it does."""
    return {name: role_of(name)[field] for name in descriptions() if field in role_of(name)}


@functools.cache
def place_of(heading):
    """The first place of the benchmarks with this heading in the order in which they are measured."""
    places = [described(name, "group")["order"] for name, one in with_role("heading").items() if one == heading]
    return min(places, default=LAST)


def patterns_of(step):
    """What selects the benchmarks of a campaign's step, and no others: folders all of which belong to it, and names."""
    steps = with_role("campaign")
    ours = [name for name, one in steps.items() if one == step]
    others = {name.split("/")[0] for name in descriptions() if steps.get(name) != step}
    folders = [name.split("/")[0] for name in ours]
    return list(dict.fromkeys(name if top in others else f"{top}/" for name, top in zip(ours, folders)))
