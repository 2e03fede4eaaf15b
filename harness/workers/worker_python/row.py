# tocuda, Apache-2.0.
"""A scenario's row as a result file holds it."""

from dataclasses import dataclass

from worker_python.evidence import Evidence, Observation, Outcome
from worker_python.lines import DEVICES, Malformed, field, field_or, object_of, word
from worker_python.scenario import VERDICTS


@dataclass(frozen=True)
class Row:
    name: str
    variant: str
    evidence: Evidence
    claims: dict  # claim -> verdict, as recorded


def _no_objects(value):
    if type(value) is dict:
        raise Malformed("a value is an object")
    if type(value) is list:
        for each in value:
            _no_objects(each)
    return value


def _objects(found, name):
    listed = field(found, name, list)
    if any(type(each) is not dict for each in listed):
        raise Malformed(f"'{name}' holds something other than objects")
    return listed


def _observation(seen):
    if "value" not in seen:
        raise Malformed("'value' is missing")
    return Observation(field(seen, "key", str), _no_objects(seen["value"]), field_or(seen, "computed", bool, True))


def _outcome(found):
    ended = field(found, "outcome", dict)
    return Outcome(
        field(ended, "ended", str),
        field(ended, "code", int),
        field(ended, "seconds", float),
        field_or(ended, "stopped", str, ""),
    )


def _evidence(found):
    stand_in = field(found, "stand_in", list)
    if any(type(each) is not str for each in stand_in):
        raise Malformed("'stand_in' holds something other than text")
    return Evidence(
        word(found, "device", DEVICES),
        tuple(stand_in),
        _outcome(found),
        tuple(_observation(seen) for seen in _objects(found, "evidence")),
        field_or(found, "stderr_tail", str, ""),
    )


def row_of(line):
    """Returns the row; raises Malformed if the line is not one."""
    found = object_of(line)
    claims = {field(claim, "id", str): word(claim, "verdict", VERDICTS) for claim in _objects(found, "claims")}
    return Row(field(found, "name", str), field(found, "variant", str), _evidence(found), claims)
