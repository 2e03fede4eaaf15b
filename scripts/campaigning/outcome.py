# tocuda, Apache-2.0.
"""How a campaign and its steps end: exit codes, and the exceptions by which they end early."""

DONE, FAILED, USAGE, NOTHING, STOPPED = 0, 1, 2, 4, 5


class Problem(Exception):
    """An error that the user can act on: reported in one line without a traceback, with an exit code."""

    def __init__(self, message, code=FAILED):
        super().__init__(message)
        self.code = code


class Failed(Exception):
    """The step failed: this is recorded, and the other steps still run."""

    outcome = "failed"


class Absent(Exception):
    """Something the step needs is missing here: this is recorded and is not a failure."""

    outcome = "absent"


class Limit(Exception):
    """The step's time is up."""

    outcome = "limit"


class Cut(Exception):
    """The step's time is up, and the next start continues it where it ended."""

    outcome = "cut"


class Stopped(Exception):
    """The command has no time left, or a signal stopped it."""
