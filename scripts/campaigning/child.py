# tocuda, Apache-2.0.
"""Runs commands with a time limit. A command's process group is ended when its time is up or the campaign ends, in
whatever way."""

import fcntl
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from campaigning.outcome import Limit, Problem, Stopped, USAGE

TIME_TO_END_S = 15
LOCK_WAIT_S = 30


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
            raise Stopped("no time left")

    def run(self, words, out, seconds, **how):
        """Returns the exit code. Raises Limit when the command's time is up, Stopped when the campaign's is."""
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
                    raise Limit(f"{Path(what).name} was stopped at its time limit") from None

    def close(self):
        self.guardian.stdin.close()
        self.guardian.wait()
        self.lock.close()


def output_of(*words, **how):
    """Runs a command that needs no limit. Returns it with its output as text."""
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, **how)


def last_line(file, otherwise="no output"):
    """The last line that a command wrote, for one line of a table."""
    lines = [line.strip() for line in file.read_text(errors="replace").splitlines() if line.strip()]
    return lines[-1][:200] if lines else otherwise


def stop(child):
    """Sends SIGINT first, so that a result file is ended properly; then SIGKILL to the whole group."""
    for number, seconds in ((signal.SIGINT, TIME_TO_END_S), (signal.SIGKILL, None)):
        try:
            if child.poll() is None or number == signal.SIGKILL:
                os.killpg(child.pid, number)
                child.wait(seconds)
        except (ProcessLookupError, PermissionError, subprocess.TimeoutExpired):
            continue


def lock(file):
    """Allows one campaign at a time in a folder. Waits for the children of a killed campaign to end."""
    handle = file.open("w")
    until = time.monotonic() + LOCK_WAIT_S
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return handle
        except BlockingIOError:
            if time.monotonic() > until:
                raise Problem(f"another campaign is running in {file.parent}", USAGE) from None
            time.sleep(0.1)
