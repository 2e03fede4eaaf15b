# tocuda, Apache-2.0.
"""A command with a limit: its group goes when its time is over, and when the campaign goes, however that ends."""

import fcntl
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from campaigning.problem import Problem, USAGE

TIME_TO_END_S = 15
LOCK_WAIT_S = 30


class Limit(Exception):
    """The command's own time is over."""


class Stopped(Exception):
    """No time is left at all, or somebody said stop."""


class Children:
    def __init__(self, lock_file, deadline):
        self.deadline = deadline
        self.asked_to_stop = ""
        self.lock = lock(lock_file)
        self.guardian = subprocess.Popen(
            [sys.executable, "-B", Path(__file__).with_name("guardian.py")],
            stdin=subprocess.PIPE,
            pass_fds=[self.lock.fileno()],
            start_new_session=True,
        )

    def catch_signals(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda caught, _: setattr(self, "asked_to_stop", signal.Signals(caught).name))

    def left(self):
        return self.deadline - time.monotonic()

    def check(self):
        if self.asked_to_stop:
            raise Stopped(f"stopped by {self.asked_to_stop}")
        if self.left() <= 0:
            raise Stopped("no time is left")

    def run(self, words, out, seconds, **how):
        """Its exit code. Raises Limit when its own time is over, Stopped when the campaign's is."""
        self.check()
        tell = self.guardian.stdin.fileno()
        child = subprocess.Popen(
            [str(word) for word in words],
            stdout=out,
            start_new_session=True,
            preexec_fn=lambda: os.write(tell, b"%d\n" % os.getpid()),
            **{"stdin": subprocess.DEVNULL, "stderr": subprocess.STDOUT, **how},
        )
        try:
            return self.wait(child, time.monotonic() + seconds, words[0])
        finally:
            stop(child)
            os.write(tell, b"%d\n" % child.pid)

    def wait(self, child, limit, what):
        while True:
            try:
                return child.wait(0.1)
            except subprocess.TimeoutExpired:
                self.check()
                if time.monotonic() >= limit:
                    raise Limit(f"{Path(what).name} was stopped at its limit") from None

    def close(self):
        self.guardian.stdin.close()
        self.guardian.wait()
        self.lock.close()


def stop(child):
    """As a person would, so that a result file gets its end; then for good, with all of the group."""
    for number, seconds in ((signal.SIGINT, TIME_TO_END_S), (signal.SIGKILL, None)):
        try:
            if child.poll() is None or number == signal.SIGKILL:
                os.killpg(child.pid, number)
                child.wait(seconds)
        except (ProcessLookupError, PermissionError, subprocess.TimeoutExpired):
            continue


def lock(file):
    """One campaign at a time in a folder; children of a killed one are given the time to end."""
    handle = file.open("w")
    until = time.monotonic() + LOCK_WAIT_S
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return handle
        except BlockingIOError:
            if time.monotonic() > until:
                raise Problem(f"another campaign runs in {file.parent}", USAGE) from None
            time.sleep(0.1)
