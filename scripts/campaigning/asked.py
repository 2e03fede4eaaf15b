# tocuda, Apache-2.0.
"""The options of `scripts/campaign run`."""

from pathlib import Path
from typing import NamedTuple


class Asked(NamedTuple):
    verb: str
    folder: Path
    out: Path
    simulate: str
    minutes: float
    parts: list
    limits: dict
    sizes: list
    link_size: str
    largest: int
    devices: str
