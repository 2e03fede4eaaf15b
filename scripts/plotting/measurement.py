# tocuda, Apache-2.0.
"""One measurement row: one parameter set in one process. What a picture needs of it is checked here, once."""
import dataclasses
import json

import order_statistics
import validity
from result_file import Unreadable

STATUSES = ("ok", "wrong", "failed", "timeout", "crashed", "skipped", "invalid")
CLOCKS = ("device", "host")
LINKS = ("copy/host_to_device/", "copy/device_to_host/", "copy/both_ways/")


@dataclasses.dataclass(frozen=True)
class Measurement:
    benchmark: str
    parameters: tuple  # (name, value as text), sorted, without bytes
    bytes: int | None
    device: str
    gpu: str
    peer: str
    clock: str
    status: str
    check: str
    process: tuple  # section, round and number: rows that share them come from one process
    one_way: int
    touched: int
    peak: float
    peak_source: str
    counted: str  # the bytes that the peak limits: one_way, touched, or as the name says
    in_cache: bool  # so much of what is touched that the peak says nothing of the memory
    seconds: tuple
    readings: tuple  # telemetry before, during and after
    flags: tuple

    @property
    def median(self):
        return order_statistics.median(self.seconds)

    @property
    def is_timed(self):
        return self.status == "ok" and bool(self.seconds) and self.median > 0

    @property
    def convention(self):
        """Links are judged by what crosses them one way, memory by every byte that is touched."""
        if self.counted:
            return self.counted.replace("_", " ")
        return "one way" if self.benchmark.startswith(LINKS) or self.peer else "touched"


class Fields:
    """Takes fields of one row, and says which line has a wrong one."""

    def __init__(self, row, where):
        self.row, self.where = row, where

    def wrong(self, what):
        return Unreadable(f"{self.where}: {what}")

    def text(self, name, among=None, default=None):
        value = self.row.get(name, default)
        if not isinstance(value, str) or (among and value not in among):
            raise self.wrong(f"'{name}' is {json.dumps(value)}" + (f": one of {', '.join(among)} is expected" if among else ", no text"))
        return value

    def number(self, name, default=0):
        value = self.row.get(name, default)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 1e300:
            raise self.wrong(f"'{name}' is {json.dumps(value)}, no number from 0")
        return value

    def listed(self, name, kind, what):
        value = self.row.get(name, [])
        if not isinstance(value, list) or not all(isinstance(one, kind) and not isinstance(one, bool) for one in value):
            raise self.wrong(f"'{name}' is no list of {what}")
        return tuple(value)


def word(value):
    return value if isinstance(value, str) else json.dumps(value)


def parameters_of(fields):
    given = fields.row.get("parameters", {})
    if not isinstance(given, dict):
        raise fields.wrong("'parameters' is no object")
    size = given.get("bytes")
    if size is not None and (isinstance(size, bool) or not isinstance(size, int) or size < 0):
        raise fields.wrong(f"the parameter 'bytes' is {json.dumps(size)}, no whole number from 0")
    return size, tuple(sorted((name, word(value)) for name, value in given.items() if name != "bytes"))


def samples_of(fields):
    samples = fields.listed("samples", (int, float), "seconds")
    if any(not 0 <= one < 1e12 for one in samples):
        raise fields.wrong("'samples' holds what is no time")
    return samples


def readings_of(fields):
    readings = [fields.row.get(name) or {} for name in ("before", "during", "after")]
    if not all(isinstance(reading, dict) for reading in readings):
        raise fields.wrong("'before', 'during' or 'after' is no object")
    return tuple(readings)


def measurement(row, where, section=0, link=None):
    """link: what the run line says of the GPU's link."""
    fields = Fields(row, where)
    status = fields.text("status", STATUSES)
    size, parameters = parameters_of(fields)
    readings = readings_of(fields)
    in_cache = validity.partly_cached(fields.number("footprint_bytes"), fields.number("l2_bytes"))
    return Measurement(
        benchmark=fields.text("benchmark"), parameters=parameters, bytes=size,
        device=fields.text("device", ("real", "simulated", "none")), gpu=fields.text("gpu", default=""),
        peer=fields.text("peer", default=""), clock=fields.text("clock", CLOCKS), status=status,
        check=fields.text("check", default=""), process=(section, fields.number("round"), fields.number("process")),
        one_way=fields.number("bytes_one_way"), touched=fields.number("bytes_touched"),
        peak=fields.number("peak_bytes_per_second"), peak_source=fields.text("peak_source", default=""),
        counted=fields.text("peak_counted", ("", "one_way", "touched"), ""), in_cache=in_cache, seconds=samples_of(fields), readings=readings,
        flags=validity.flags_of(fields.listed("flags", str, "words"), readings, link or {}, in_cache))
