# tocuda, Apache-2.0.
"""A campaign on this machine: its folders, its state, and the loop that plans, runs one step, and plans again. A step
that fails is recorded, and the other steps still run; only without a build there is nothing to do."""

import errno
import glob
import os
import sys
import time

from campaigning import archive, plan, state
from campaigning.child import Children, last_line
from campaigning.measuring import rows_recorded
from campaigning.outcome import Absent, Cut, Failed, Limit, Problem, Stopped, USAGE
from campaigning.steps import COLD

TIME_TO_PACK_S = 15
REHEARSED_S = 60  # at most, of each step
MOST_PACE = 4
NO_ROOM = (errno.ENOSPC, errno.EDQUOT)


class Campaign:
    def __init__(self, asked, repository, prepared):
        self.asked, self.repository, self.prepared = asked, repository, prepared
        self.folder = asked.folder.resolve()
        self.recorded = repository / "build/campaign" / prepared["id"] / ("rehearsed" if asked.simulate else "recorded")
        name = "rehearsal.tar.gz" if asked.simulate else "campaign.tar.gz"
        self.archive = asked.out.resolve() / name
        self.held = []
        self.forecasts = {}  # step -> the words to measure and their forecast
        self.listed = None  # what the built program has, once it was asked
        self.started = time.monotonic()
        self.state = state.recover(self.recorded, prepared["id"], [self.archive, self.folder / name])
        if self.state.found.setdefault("simulate", asked.simulate) != asked.simulate:
            before = self.state.found["simulate"]
            raise Problem(f"{self.recorded} was started with --simulate {before}: continue with the same", USAGE)
        if self.state.outcome("build") == state.FAILED:
            self.state.steps.pop("build")  # what it lacked may be there now
        if asked.cores:
            self.state.found["needs"].clear()
        self.used_before = self.state.found["used_seconds"]

    def start(self):
        """From here on it is the only one on this machine and in OUT, and it stops in time."""
        self.asked.out.mkdir(parents=True, exist_ok=True)
        locks = [self.recorded.parent / ".lock", self.asked.out / ".lock"]
        self.children = Children(locks, self.started + self.seconds_a_command())

    def seconds_a_command(self):
        return max(1, 60 * self.asked.minutes - TIME_TO_PACK_S)

    def cores(self):
        return self.asked.cores or len(os.sched_getaffinity(0))

    def seconds_from_now(self, seconds):
        until = time.monotonic() + seconds
        return lambda: until - time.monotonic()

    def stored_forecast(self, name):
        """The seconds that `prepare` stored for a machine with one GPU, or with several."""
        several = len(glob.glob(self.asked.devices)) > 1
        return self.prepared.get("forecasts", {}).get("8" if several else "1", {}).get(name)

    def pace(self):
        """How much longer measurements take here than was estimated."""
        return self.state.found.get("pace", 1)

    def keep_pace(self, spent, estimated):
        if estimated > 0:
            self.state.found["pace"] = min(MOST_PACE, max(1, spent / estimated))

    def log(self, name):
        file = self.recorded / "logs" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        return file

    def command(self, words, log, seconds, **how):
        """Runs a command, appends its output to the log and returns its exit code."""
        with self.log(log).open("ab") as out:
            return self.children.run(words, out, seconds, **how)

    def must(self, words, log, seconds, **how):
        code = self.command(words, log, seconds, **how)
        if code != 0:
            raise Failed(f"exit code {code}: {last_line(self.log(log))} ({self.log(log).name})")

    def planned(self, steps):
        """The plan for what is left."""
        left = [step for step in steps if not self.state.is_over(step.name) or not step.lasting(self)]
        needs = self.state.found["needs"]
        for step in left:
            if step.name not in needs:
                seconds = step.needs(self)
                needs[step.name] = min(seconds, REHEARSED_S) if self.asked.simulate else seconds
        opened = [plan.Open(step.name, needs[step.name], step.divisible, step.first) for step in left]
        passed = time.monotonic() - self.started
        each = self.seconds_a_command()
        return plan.plan(opened, each - passed, each, 60 * self.asked.total - self.used_before - passed)

    def do_all(self, steps):
        """Runs the steps that are left. Returns True if there is nothing to do for another command."""
        self.children.catch_signals()
        self.state.found["planned"] = [step.name for step in steps]
        self.hold()  # forecasts look at the GPUs, too
        try:
            while now := self.next(steps):
                self.do(*now)
                archive.pack(self.recorded, self.archive)
        except Stopped as why:
            say(f"{why}; start again to continue")
            return False
        finally:
            self.let_go()
            archive.pack(self.recorded, self.archive)
        later = [step.name for step in self.planned(steps) if step.shares]
        return not later or self.state.outcome("build") == state.FAILED

    def next(self, steps):
        """(step, its seconds in this command); None if nothing is left to do in it."""
        self.children.check()
        if self.state.outcome("build") == state.FAILED:
            return None
        planned = self.planned(steps)
        self.state.found["dropped"] = {step.name: step.why for step in planned if step.why}
        named = {step.name: step for step in steps}
        for one in planned:
            if 0 in one.shares:
                step = named[one.name]
                return step, max(one.shares[0], self.children.left()) if step.first else one.shares[0]
        return None

    def do(self, step, seconds):
        self.let_go() if step.name in COLD else self.hold()
        self.state.begin(step.name, rows_recorded(self, step.name))
        began, stopped = time.monotonic(), None
        try:
            said = step.work(self, seconds)
            outcome, more = state.DONE, {"said": said} if said else {}
        except (Failed, Absent, Limit, Cut) as why:
            outcome, more = why.outcome, {"why": str(why)}
        except Stopped as why:
            outcome, more, stopped = state.CUT, {"why": str(why)}, why
        except Exception as why:  # the remaining measurements are worth more than any single failure
            if isinstance(why, OSError) and why.errno in NO_ROOM:
                raise
            outcome, more = state.FAILED, {"why": f"{type(why).__name__}: {why}"}
        self.over(step.name, outcome, time.monotonic() - began, more)
        if stopped:
            raise stopped

    def over(self, name, outcome, seconds, more):
        needs = self.state.found["needs"]
        needs.clear() if name == "build" else needs.pop(name, None)  # the built program knows better
        self.listed = None if name == "build" else self.listed
        self.state.found["used_seconds"] = round(self.used_before + time.monotonic() - self.started, 1)
        if outcome == state.CUT and name != "build" and self.state.steps[name]["tries"] >= state.TRIES_MOST:
            outcome = state.LIMIT  # it makes no progress
        self.state.end(name, outcome, seconds, **more)
        say(f"{name}: {outcome}, {self.state.steps[name]['seconds']} s{': ' + more['why'] if 'why' in more else ''}")

    def hold(self):
        """Holds the GPUs open, because each process would otherwise spend seconds reinitialising its GPU. Changes no
        setting."""
        if not self.held and not self.asked.simulate:
            for device in sorted(glob.glob(self.asked.devices)):
                try:
                    self.held.append(os.open(device, os.O_RDWR | os.O_CLOEXEC))
                except OSError as why:
                    say(f"cannot hold {device} open: {why.strerror}")

    def let_go(self):
        while self.held:
            os.close(self.held.pop())


def say(text):
    print(text, file=sys.stderr, flush=True)
