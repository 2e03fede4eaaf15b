# tocuda, Apache-2.0.
"""A step of a campaign, and the ways in which it ends without having done its work."""

from dataclasses import dataclass
from typing import Callable


class Failed(Exception):
    """Something went wrong: it is recorded, and the rest is done."""


class Absent(Exception):
    """What the step needs is not here: recorded, and no failure."""


@dataclass(frozen=True)
class Step:
    name: str
    part: int
    seconds: float  # its limit
    work: Callable  # what it is given is the Campaign; what it returns is recorded
    least: float = 2  # with less time than this left it is not begun
    cold: bool = False  # measures how a GPU starts: nothing may hold it open
    lasting: Callable = lambda campaign: True  # is what it made still there? Otherwise it is done again
