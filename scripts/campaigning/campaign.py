# tocuda, Apache-2.0.
"""A campaign on this machine: its folders, its state, and the loop over its steps. A step that fails is recorded, and
the other steps still run."""

import errno
import glob
import os
import shutil
import sys
import time

from campaigning import archive, peer_table, state
from campaigning.child import Children, last_line
from campaigning.outcome import Absent, Failed, Limit, Problem, Stopped, USAGE

TIME_TO_PACK_S = 15
NO_ROOM = (errno.ENOSPC, errno.EDQUOT)


class Campaign:
    def __init__(self, asked, repository, prepared):
        self.asked = asked
        self.repository = repository
        self.prepared = prepared
        self.folder = asked.folder.resolve()
        self.recorded = self.folder / ("rehearsed" if asked.simulate else "recorded")
        name = "rehearsal.tar.gz" if asked.simulate else "campaign.tar.gz"
        self.archive = asked.out.resolve() / name
        self.beside_build = repository / "build/campaign" / name
        self.held = []
        asked.out.mkdir(parents=True, exist_ok=True)
        self.children = Children(self.folder / ".lock", time.monotonic() + max(1, 60 * asked.minutes - TIME_TO_PACK_S))
        self.state = state.recover(self.recorded, prepared["id"], [self.archive, self.folder / name, self.beside_build])
        if self.state.found.setdefault("simulate", asked.simulate) != asked.simulate:
            before = self.state.found["simulate"]
            raise Problem(f"{self.recorded} was started with --simulate {before}: continue with the same", USAGE)

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

    def do_all(self, steps):
        """Runs the steps that are left. Returns True if none is left afterwards."""
        self.children.catch_signals()
        part = None
        try:
            for step in steps:
                if part not in (None, step.part):
                    self.save_elsewhere()
                part = step.part
                if not self.state.is_over(step.name) or not step.lasting(self):
                    self.do(step)
                    self.pack()
        except Stopped as why:
            say(f"{why}; start again to continue")
            return False
        finally:
            self.let_go()
            (self.recorded / "peers.txt").write_text("\n".join(peer_table.lines(self.recorded)) + "\n")
            self.pack()
            self.save_elsewhere()
        return True

    def do(self, step):
        self.children.check()
        if self.children.left() < step.least:
            raise Stopped(f"no time left for {step.name}")
        self.let_go() if step.cold else self.hold()
        self.state.begin(step.name)
        started = time.monotonic()
        try:
            said = step.work(self)
            outcome, more = state.DONE, {"said": said} if said else {}
        except (Failed, Absent, Limit) as why:
            outcome, more = why.outcome, {"why": str(why)}
        except Stopped as why:
            self.state.end(step.name, state.STOPPED, time.monotonic() - started, why=str(why))
            raise
        except Exception as why:  # the remaining measurements are worth more than any single failure
            if isinstance(why, OSError) and why.errno in NO_ROOM:
                raise
            outcome, more = state.FAILED, {"why": f"{type(why).__name__}: {why}"}
        self.state.end(step.name, outcome, time.monotonic() - started, **more)
        why = f": {more['why']}" if "why" in more else ""
        say(f"{step.name}: {outcome}, {self.state.steps[step.name]['seconds']} s{why}")

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

    def pack(self):
        left_out = archive.pack(self.recorded, self.archive, self.asked.largest)
        if left_out != self.state.found.get("left_out", []):
            self.state.note("left_out", left_out)
            say(f"left out of the archive to limit its size: {', '.join(left_out) or 'nothing any more'}")

    def save_elsewhere(self):
        """Copies the archive beside the build, in case OUT and FOLDER are emptied between two commands."""
        self.beside_build.parent.mkdir(parents=True, exist_ok=True)
        waiting = self.beside_build.with_suffix(".new")
        shutil.copyfile(self.archive, waiting)
        waiting.replace(self.beside_build)


def say(text):
    print(text, file=sys.stderr, flush=True)
