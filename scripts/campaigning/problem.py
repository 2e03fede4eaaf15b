# tocuda, Apache-2.0.
"""Errors that the user can act on: reported in one line without a traceback, with an exit code."""

DONE, FAILED, USAGE, NOTHING, STOPPED = 0, 1, 2, 4, 5


class Problem(Exception):
    def __init__(self, message, code=FAILED):
        super().__init__(message)
        self.code = code
