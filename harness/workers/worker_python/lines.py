# tocuda, Apache-2.0.
"""Converts values to lines and back, as tocuda writes and reads them."""

import json
import math

DEVICES = ("none", "simulated", "real")
INTEGERS = range(-(1 << 63), 1 << 63)


class Malformed(Exception):
    """A line that does not follow the protocol."""


def value_of(value):
    """Returns the value as JSON can hold it; raises TypeError for anything else."""
    if value is None or type(value) in (bool, str) or (type(value) is int and value in INTEGERS):
        return value
    if type(value) is float:
        return value if math.isfinite(value) else None
    if type(value) in (list, tuple):
        return [value_of(each) for each in value]
    raise TypeError(f"evidence cannot hold a {type(value).__name__}")


def to_line(line):
    """Text that is not UTF-8 (surrogates of file names and messages) becomes question marks."""
    text = json.dumps(line, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8", errors="replace") + b"\n"


def _refuse(text):
    raise Malformed(f"{text} is not JSON")


def object_of(line):
    try:
        found = json.loads(line.decode("utf-8"), parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise Malformed("not JSON") from error
    if type(found) is not dict:
        raise Malformed("not a JSON object")
    return found


def field(found, name, kind):
    """An integer is accepted as a float; a bool is not."""
    if name not in found:
        raise Malformed(f"'{name}' is missing")
    if type(found[name]) is not kind and not (kind is float and type(found[name]) is int):
        raise Malformed(f"'{name}' has another type")
    return found[name]


def field_or(found, name, kind, otherwise):
    return field(found, name, kind) if name in found else otherwise


def word(found, name, words):
    text = field(found, name, str)
    if text not in words:
        raise Malformed(f"'{text}' is not one of {', '.join(words)}")
    return text
