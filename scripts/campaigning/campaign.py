# tocuda, Apache-2.0.
"""A campaign on this machine: its places, its state, and its steps one after another. A step that fails is recorded,
and the rest is done."""

import errno
import glob
import os
import shutil
import sys
import time

from campaigning import archive, peer_table, state
from campaigning.child import Children, Limit, Stopped
from campaigning.problem import Problem, USAGE
from campaigning.step import Absent, Failed

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
            raise Problem(
                f"{self.recorded} was begun with --simulate {self.state.found['simulate']}: go on with that", USAGE
            )

    def log(self, name):
        file = self.recorded / "logs" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        return file

    def command(self, words, log, seconds, **how):
        """Its exit code; what it says goes to the log."""
        with self.log(log).open("ab") as out:
            return self.children.run(words, out, seconds, **how)

    def must(self, words, log, seconds, **how):
        code = self.command(words, log, seconds, **how)
        if code != 0:
            raise Failed(f"exit code {code}: {last_line(self.log(log))}")

    def do_all(self, steps):
        """True where every step is over."""
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
            say(f"{why}; start again to go on")
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
            raise Stopped(f"no time is left for {step.name}")
        self.let_go() if step.cold else self.hold()
        self.state.begin(step.name)
        started = time.monotonic()
        try:
            said = step.work(self)
            outcome, more = state.DONE, {"said": said} if said else {}
        except Failed as why:
            outcome, more = state.FAILED, {"why": str(why)}
        except Absent as why:
            outcome, more = state.ABSENT, {"why": str(why)}
        except Limit as why:
            outcome, more = state.LIMIT, {"why": str(why)}
        except Stopped as why:
            self.state.end(step.name, state.STOPPED, time.monotonic() - started, why=str(why))
            raise
        except Exception as why:  # whatever it is, what was not measured yet is worth more
            if isinstance(why, OSError) and why.errno in NO_ROOM:
                raise
            outcome, more = state.FAILED, {"why": f"{type(why).__name__}: {why}"}
        self.state.end(step.name, outcome, time.monotonic() - started, **more)
        why = f": {more['why']}" if "why" in more else ""
        say(f"{step.name}: {outcome}, {self.state.steps[step.name]['seconds']} s{why}")

    def hold(self):
        """A GPU that nothing holds open is started anew by each process, which takes seconds. No setting is changed."""
        if not self.held and not self.asked.simulate:
            for device in sorted(glob.glob(self.asked.devices)):
                try:
                    self.held.append(os.open(device, os.O_RDWR | os.O_CLOEXEC))
                except OSError as why:
                    say(f"{device} cannot be held open: {why.strerror}")

    def let_go(self):
        while self.held:
            os.close(self.held.pop())

    def pack(self):
        left_out = archive.pack(self.recorded, self.archive, self.asked.largest)
        if left_out != self.state.found.get("left_out", []):
            self.state.note("left_out", left_out)
            say(f"left out of the archive, which would be too large: {', '.join(left_out) or 'nothing any more'}")

    def save_elsewhere(self):
        """What OUT and FOLDER lose between two commands may survive beside the build."""
        self.beside_build.parent.mkdir(parents=True, exist_ok=True)
        waiting = self.beside_build.with_suffix(".new")
        shutil.copyfile(self.archive, waiting)
        waiting.replace(self.beside_build)


def say(text):
    print(text, file=sys.stderr, flush=True)


def last_line(file):
    """The last thing said, for one line of a table."""
    lines = [line.strip() for line in file.read_text(errors="replace").splitlines() if line.strip()]
    return f"{lines[-1][:200] if lines else 'it said nothing'} ({file.name})"
