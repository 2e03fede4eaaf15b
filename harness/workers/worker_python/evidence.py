# tocuda, Apache-2.0.
"""What one child observed and how it ended. A key that is missing, has another type or was not computed raises
Undecided, so that damaged evidence can never decide a claim."""

import signal
from dataclasses import dataclass, field

from worker_python.lines import INTEGERS


class Undecided(Exception):
    """The evidence does not decide; the text says why."""


@dataclass(frozen=True)
class Outcome:
    ended: str = "not_started"  # exit, signal, timeout, not_started
    code: int = 0
    seconds: float = 0.0
    stopped: str = ""  # why the supervisor stopped it, or what it found wrong

    def normal(self):
        return self.ended == "exit" and self.code == 0 and not self.stopped

    def described(self):
        after = f" after {self.seconds:.2f} s"
        if self.ended == "not_started":
            text = "was not started"
        elif self.ended == "signal":
            text = f"ended by signal {_signal(self.code)}{after}"
        elif self.ended == "timeout":
            text = f"still ran at its deadline, ended{after}"
        else:
            text = f"exit code {self.code}{after}"
        return f"{text}: {self.stopped}" if self.stopped else text


def _signal(number):
    try:
        return f"{number} ({signal.Signals(number).name})"
    except ValueError:
        return str(number)


@dataclass(frozen=True)
class Observation:
    key: str
    value: object
    computed: bool = True  # False if it depends on values that a simulated GPU did not compute


@dataclass(frozen=True)
class Evidence:
    device: str = "none"
    stand_in: tuple = ()
    outcome: Outcome = Outcome()
    observations: tuple = field(default_factory=tuple)
    stderr_tail: str = ""

    def _held(self, key, kinds, what):
        for seen in self.observations:
            if seen.key != key:
                continue
            if not seen.computed:
                raise Undecided(f"'{key}' rests on values that no GPU computed")
            if type(seen.value) in kinds:
                return seen.value
            raise Undecided(f"evidence '{key}' is not {what}")
        raise Undecided(f"'{key}' was not recorded")

    def has(self, key):
        return any(seen.key == key for seen in self.observations)

    def flag(self, key):
        return self._held(key, (bool,), "true or false")

    def integer(self, key):
        number = self._held(key, (int,), "a whole number")
        if number not in INTEGERS:
            raise Undecided(f"evidence '{key}' is not a whole number of 64 bits")
        return number

    def number(self, key):
        return float(self._held(key, (int, float), "a number"))

    def text(self, key):
        return self._held(key, (str,), "a text")

    def list(self, key):
        return self._held(key, (list,), "a list")

    def end(self):
        """Returns how it ended, with the last line of its stderr."""
        words = self.stderr_tail.rstrip("\n ").rpartition("\n")[2]
        if len(words) > 160:
            words = words[:160] + " ..."
        return self.outcome.described() + (f"; last line of stderr: {words}" if words else "")
