# tocuda, Apache-2.0.
"""Divides the time among the steps, in order of value. A step that can be continued may extend over several commands;
any other one runs in the first command with enough time left for it. What does not fit into the time left for all of
them is dropped as a whole, so that it starves nothing else. Pure."""

import dataclasses

LEAST_S = 30  # a step that can be continued is not started for less


@dataclasses.dataclass(frozen=True)
class Open:
    """A step that is left: `seconds` is how long it still takes by estimate."""

    name: str
    seconds: float
    divisible: bool = False
    first: bool = False  # nothing else starts before it has ended


@dataclasses.dataclass
class Planned:
    name: str
    seconds: float
    shares: dict  # number of the command, from 0 for the one that runs -> its seconds
    why: str = ""  # why it was dropped


def rooms_of(now, each, total):
    """The seconds of this command and of those that follow."""
    rooms = [max(0.0, min(now, total))]
    while each > 0 and (left := total - sum(rooms)) >= 1:
        rooms.append(min(each, left))
    return rooms


def share_out(step, rooms, begin):
    """number of the command -> seconds there; empty if the step does not fit."""
    if not step.divisible:
        fitting = next((number for number in range(begin, len(rooms)) if rooms[number] >= step.seconds), None)
        return {} if fitting is None else {fitting: step.seconds}
    shares, left = {}, step.seconds
    for number in range(begin, len(rooms)):
        if left > 0 and rooms[number] >= min(LEAST_S, left):
            shares[number] = min(left, rooms[number])
            left -= shares[number]
    return {} if left > 0 else shares


def plan(steps, now, each, total):
    """The steps in their order. `now`, `each` and `total` are the seconds of this command, of every later one, and of
    all of them together."""
    rooms, begin, planned = rooms_of(now, each, total), 0, []
    for step in steps:
        shares, why = share_out(step, rooms, begin), ""
        if not shares and step.first:  # without it nothing can be done
            shares = {number: room for number, room in enumerate(rooms) if room > 0}
        if not shares:
            why = f"needs {step.seconds:.0f} s, {sum(rooms[begin:]):.0f} s are left"
            if sum(rooms[begin:]) >= step.seconds:
                why = f"needs {step.seconds:.0f} s at once, at most {max(rooms[begin:]):.0f} s are left in one command"
        for number, seconds in shares.items():
            rooms[number] -= seconds
        if step.first:
            begin = max(shares, default=begin)
        planned.append(Planned(step.name, step.seconds, shares, why))
    return planned


def table(planned):
    """The plan as lines of text."""
    lines = [f"{'step':<14} {'seconds':>7}  in command"]
    for step in planned:
        where = ", ".join(str(number + 1) for number in sorted(step.shares)) or f"dropped: {step.why}"
        given = sum(step.shares.values())
        if 0 < given < step.seconds:
            where += f": has {given:.0f} s, and nothing can be done without it"
        lines.append(f"{step.name:<14} {step.seconds:>7.0f}  {where}")
    used = sum(sum(step.shares.values()) for step in planned)
    commands = 1 + max((number for step in planned for number in step.shares), default=-1)
    return [*lines, f"{'together':<14} {used:>7.0f}  {commands} command{'' if commands == 1 else 's'}"]
