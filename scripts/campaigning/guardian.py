# tocuda, Apache-2.0.
"""Ends the children of a campaign that was killed, before another one may start.

Reads process groups from its standard input, one per line; the input ends when the campaign does. Holds the campaign's
lock."""

import os
import signal
import sys
import time

TIME_TO_END_S = 5


def end(group):
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(group, number)
            deadline = time.monotonic() + TIME_TO_END_S
            while time.monotonic() < deadline:
                os.killpg(group, 0)
                time.sleep(0.05)
        except (ProcessLookupError, PermissionError):
            return


def main():
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    groups = set()
    for line in sys.stdin:
        group = int(line)
        groups.symmetric_difference_update({group})  # a group is named again when it has ended
    for group in groups:
        end(group)


if __name__ == "__main__":
    main()
