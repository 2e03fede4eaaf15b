# tocuda, Apache-2.0.
"""What a person can act on: one line, without a traceback, and the exit code that belongs to it."""

DONE, FAILED, USAGE, NOTHING, STOPPED = 0, 1, 2, 4, 5


class Problem(Exception):
    def __init__(self, message, code=FAILED):
        super().__init__(message)
        self.code = code
