# tocuda, Apache-2.0.
"""A step of a campaign, and the exceptions by which it ends early."""

from dataclasses import dataclass
from typing import Callable


class Failed(Exception):
    """The step failed: this is recorded, and the other steps still run."""


class Absent(Exception):
    """Something the step needs is missing here: this is recorded and is not a failure."""


@dataclass(frozen=True)
class Step:
    name: str
    part: int
    seconds: float  # its limit
    work: Callable  # takes the Campaign; its return value is recorded
    least: float = 2  # not started with fewer seconds left
    cold: bool = False  # measures how a GPU is initialised, so nothing may hold it open
    lasting: Callable = lambda campaign: True  # returns whether its product still exists; if not, it is repeated
