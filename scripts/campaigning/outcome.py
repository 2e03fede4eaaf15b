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
    """The command has reached its own time limit."""

    outcome = "limit"


class Stopped(Exception):
    """The campaign has no time left, or a signal stopped it."""
