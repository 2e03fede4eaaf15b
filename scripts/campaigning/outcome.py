# tocuda, Apache-2.0.
"""How a campaign and its steps end: exit codes, outcomes of steps, and the exceptions by which they end early."""

import enum
import sys


class Exit(enum.IntEnum):
    DONE, FAILED, USAGE, NOTHING, STOPPED = 0, 1, 2, 4, 5


# The next start continues steps that were begun or cut; all others are over.
BEGUN, CUT, DONE, FAILED, LIMIT, ABSENT = "begun", "cut", "done", "failed", "limit", "absent"


class Problem(Exception):
    """An error that the user can act on: reported in one line without a traceback, with an exit code."""

    def __init__(self, message, code=Exit.FAILED):
        super().__init__(message)
        self.code = code


class Ended(Exception):
    """The step did not reach its end: this is recorded, and the other steps still run."""


class Failed(Ended):
    outcome = FAILED


class Absent(Ended):
    """Something the step needs is missing here, which is not a failure."""

    outcome = ABSENT


class Limit(Ended):
    """The step's time is up."""

    outcome = LIMIT


class Cut(Ended):
    """The step's time is up, and the next start continues it where it ended."""

    outcome = CUT


class Stopped(Ended):
    """The command has no time left, or a signal stopped it. Ends the command, too."""

    outcome = CUT


def say(text):
    print(text, file=sys.stderr, flush=True)
