# tocuda, Apache-2.0.
"""Reads the lines of result files, for the scripts beside this file."""

import json


class Unreadable(Exception):
    """Why a file cannot be read, in one line."""


def lines_of(path):
    """The lines of a result file, without a last line that was cut off when the run ended."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise Unreadable(f"{path}: {error}") from error
    for number, line in enumerate(lines, 1):
        try:
            found = json.loads(line)
            found["kind"]
        except (ValueError, KeyError, TypeError) as error:
            if number == len(lines):
                return
            raise Unreadable(f"{path}:{number}: not a line of a result file: {error}") from error
        yield found
