# tocuda, Apache-2.0.
"""Runs commands with a time limit. A command ends when its time is up, and is killed when the campaign is."""

import contextlib
import fcntl
import os
import signal
import subprocess
import time
from pathlib import Path

from campaigning.outcome import Exit, Limit, Problem, Stopped

TIME_TO_END_S = 15
LOCK_WAIT_S = 5


class Children:
    def __init__(self, lock_files, deadline):
        self.deadline = deadline
        self.asked_to_stop = ""
        self.locks = [lock(file) for file in lock_files]

    def catch_signals(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda caught, _: setattr(self, "asked_to_stop", signal.Signals(caught).name))

    def left(self):
        return self.deadline - time.monotonic()

    def check(self):
        if self.asked_to_stop:
            raise Stopped(f"stopped by {self.asked_to_stop}")
        if self.left() <= 0:
            raise Stopped("no time left")

    def run(self, words, out, seconds, **how):
        """Returns the exit code. Raises Limit when the command's time is up, Stopped when the campaign's is."""
        self.check()
        words = ["setpriv", "--pdeathsig", "KILL", *(str(word) for word in words)]
        how = {"stdin": subprocess.DEVNULL, "stderr": subprocess.STDOUT, **how}
        child, limit = subprocess.Popen(words, stdout=out, start_new_session=True, **how), time.monotonic() + seconds
        try:
            while True:
                try:
                    return child.wait(0.1)
                except subprocess.TimeoutExpired:
                    self.check()
                    if time.monotonic() >= limit:
                        raise Limit(f"{Path(words[3]).name} was stopped at its time limit") from None
        finally:
            stop(child)


def stop(child):
    """Sends SIGINT first, so that a result file is ended properly; then SIGKILL to the whole group."""
    for number, seconds in ((signal.SIGINT, TIME_TO_END_S), (signal.SIGKILL, None)):
        with contextlib.suppress(ProcessLookupError, PermissionError, subprocess.TimeoutExpired):
            if child.poll() is None or number == signal.SIGKILL:
                os.killpg(child.pid, number)
                child.wait(seconds)


def output_of(*words, **how):
    """Runs a command that needs no limit. Returns it with its output as text."""
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, **how)


def last_words(text, otherwise):
    """The last line that a command wrote, for one line of a table."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:200] if lines else otherwise


def last_line(file, otherwise="no output"):
    return last_words(file.read_text(errors="replace"), otherwise)


def lock(file):
    """Allows one campaign at a time in a folder."""
    handle, until = file.open("w"), time.monotonic() + LOCK_WAIT_S
    while not locked(handle):
        if time.monotonic() > until:
            raise Problem(f"another campaign is running in {file.parent}", Exit.USAGE) from None
        time.sleep(0.1)
    return handle


def locked(handle):
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    except BlockingIOError:
        return False


def is_running(folder):
    """Whether a campaign holds the lock of this folder."""
    try:
        with (folder / ".lock").open() as handle:
            return not locked(handle)
    except OSError:
        return False
