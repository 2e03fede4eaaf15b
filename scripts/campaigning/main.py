# tocuda, Apache-2.0.
"""Runs one command of scripts/campaign and returns its exit code."""

import sys

from campaigning import arguments, keep, prepare, run, status
from campaigning.problem import DONE, Problem


def main(words, repository, doc):
    asked = arguments.asked_for(words, doc)
    try:
        if asked.verb == "prepare":
            return prepare.prepare(asked, repository)
        if asked.verb == "run":
            return run.run(asked, repository)
        if asked.verb == "keep":
            return keep.keep(asked.place, repository)
        print("\n".join(status.lines(status.archive_in(asked.place))))
        return DONE
    except Problem as problem:
        print(f"campaign: {problem}", file=sys.stderr)
        return problem.code
