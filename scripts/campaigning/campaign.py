# tocuda, Apache-2.0.
"""`scripts/campaign run`: a campaign on this machine. Its folders, its state, and the loop that plans, runs one step,
and plans again. A step that fails is recorded, and the other steps still run; only without a build there is nothing to
do."""

import errno
import glob
import json
import os
import time

from campaigning import plan, results, state
from campaigning.child import Children, last_line
from campaigning.measuring import rows_recorded
from campaigning.outcome import BEGUN, CUT, DONE, FAILED, LIMIT, Ended, Exit, Failed, Problem, Stopped, say
from campaigning.steps import COLD, all_steps

TIME_TO_PACK_S = 15
REHEARSED_STEP_S = 60  # at most, of each step
MOST_PACE = 4
NO_ROOM = (errno.ENOSPC, errno.EDQUOT)


def run(asked, repository):
    """Reads what was prepared, runs the steps that are left and prints the status. Returns the exit code."""
    try:
        wanted = chosen(asked)
        campaign = Campaign(asked, repository, prepared_in(asked.folder))
        if asked.forecast:
            print("\n".join(plan.table(campaign.planned(wanted))))
            return Exit.DONE
        campaign.start()
        finished = campaign.do_all(wanted)
        print(written_status(campaign))
        if campaign.has_no_build():
            print(f"the build failed: mend what {campaign.log('build.log')} says, then start again")
            return Exit.NOTHING
        if not finished:
            return Exit.STOPPED
        if "build" in campaign.dropped():
            return Exit.NOTHING
        bad = (FAILED, BEGUN)
        return Exit.FAILED if any(campaign.state.outcome(step.name) in bad for step in wanted) else Exit.DONE
    except OSError as why:
        # Most likely a full disk. The last archive is complete: it is only ever replaced by a complete one.
        print(f"campaign: {why}: stopped; the last archive is unchanged")
        return Exit.STOPPED


def prepared_in(folder):
    try:
        found = json.loads((folder / "prepared.json").read_text())
        return {"id": found["id"], **found}
    except (OSError, ValueError, KeyError, TypeError) as why:
        message = f"{folder} was not prepared ({why}): run scripts/campaign prepare {folder}"
        raise Problem(message, Exit.USAGE) from None


def chosen(asked):
    every = all_steps()
    names = [step.name for step in every]
    if unknown := [name for name in asked.only if name not in names]:
        raise Problem(f"--only {unknown[0]}: no such step; available: {', '.join(names)}", Exit.USAGE)
    return [step for step in every if not asked.only or step.name in asked.only]


def written_status(campaign):
    """What the archive holds and the table of peers, which status.txt has, too."""
    peers = campaign.recorded / "peers.txt"
    told = [*results.lines(campaign.archive), "", *(peers.read_text().splitlines() if peers.is_file() else [])]
    text = "\n".join(told).strip()
    (campaign.archive.parent / "status.txt").write_text(text + "\n")
    return text


class Campaign:
    def __init__(self, asked, repository, prepared):
        self.asked, self.repository, self.prepared = asked, repository, prepared
        self.folder = asked.folder.resolve()
        self.recorded = repository / "build/campaign" / prepared["id"] / ("rehearsed" if asked.simulate else "recorded")
        name = "rehearsal.tar.gz" if asked.simulate else "campaign.tar.gz"
        self.archive = asked.out.resolve() / name
        self.held = []
        self.forecasts = {}  # step -> the words that measure what is missing, and their forecast
        self.listed = None  # what the built program has, once it was asked
        self.started = time.monotonic()
        self.state = state.recover(self.recorded, prepared["id"], [self.archive, self.folder / name])
        if self.state.found.setdefault("simulate", asked.simulate) != asked.simulate:
            before = self.state.found["simulate"]
            raise Problem(f"{self.recorded} was started with --simulate {before}: continue with the same", Exit.USAGE)
        if self.has_no_build():
            self.state.steps.pop("build")  # what it lacked may be there now
        self.used_before = self.state.found["used_seconds"]

    def start(self):
        """From here on it is the only one on this machine and in OUT, and it stops in time."""
        self.asked.out.mkdir(parents=True, exist_ok=True)
        locks = [self.recorded.parent / ".lock", self.asked.out / ".lock"]
        self.children = Children(locks, self.started + self.seconds_a_command())
        if self.state.steps:
            say(f"continues what began {self.state.found['begun']}, {len(self.state.steps)} steps ({self.recorded})")

    def has_no_build(self):
        return self.state.outcome("build") == FAILED

    def dropped(self):
        """Step -> why there is no time for it."""
        return self.state.found.get("dropped", {})

    def seconds_a_command(self):
        return max(1, 60 * self.asked.minutes - TIME_TO_PACK_S)

    def seconds_passed(self):
        return time.monotonic() - self.started

    def seconds_from_now(self, seconds):
        until = time.monotonic() + seconds
        return lambda: until - time.monotonic()

    def cores(self):
        return self.asked.cores or len(os.sched_getaffinity(0))

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
        most = REHEARSED_STEP_S if self.asked.simulate else float("inf")
        opened = [plan.Open(step.name, min(step.needs(self), most), step.divisible, step.first) for step in left]
        each, passed = self.seconds_a_command(), self.seconds_passed()
        return plan.plan(opened, each - passed, each, 60 * self.asked.total - self.used_before - passed)

    def do_all(self, steps):
        """Runs the steps that are left. Returns True if there is nothing to do for another command."""
        self.children.catch_signals()
        planned = self.state.found.setdefault("planned", [])
        planned += [step.name for step in steps if step.name not in planned]
        self.hold()  # forecasts look at the GPUs, too
        self.state.save()
        state.pack(self.recorded, self.archive)  # what is planned, for whoever asks after a kill in the first step
        try:
            while now := self.next(steps):
                self.do(*now)
                state.pack(self.recorded, self.archive)
        except Stopped as why:
            say(f"{why}; start again to continue")
            return False
        finally:
            self.let_go()
            self.state.save()
            state.pack(self.recorded, self.archive)
        return self.has_no_build() or not any(step.shares for step in self.planned(steps))

    def next(self, steps):
        """(step, its seconds in this command); None if nothing is left to do in it."""
        self.children.check()
        if self.has_no_build():
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
            outcome, more = DONE, {"said": said} if said else {}
        except Ended as why:
            outcome, more = why.outcome, {"why": str(why)}
            stopped = why if isinstance(why, Stopped) else None
        except Exception as why:  # the remaining measurements are worth more than any single failure
            if isinstance(why, OSError) and why.errno in NO_ROOM:
                raise
            outcome, more = FAILED, {"why": f"{type(why).__name__}: {why}"}
        self.over(step.name, outcome, time.monotonic() - began, more)
        if stopped:
            raise stopped

    def over(self, name, outcome, seconds, more):
        known = self.state.found["estimates"]
        if name == "build":  # the built program knows better
            known.clear()
            self.listed = None
        known.pop(name, None)
        self.state.found["used_seconds"] = round(self.used_before + self.seconds_passed(), 1)
        if outcome == CUT and name != "build" and self.state.steps[name]["tries"] >= state.TRIES_MOST:
            outcome = LIMIT  # it makes no progress
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
