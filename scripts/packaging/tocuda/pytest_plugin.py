# tocuda, Apache-2.0.
"""A plugin of pytest: tests marked `@pytest.mark.tocuda("2x8GiB")` run on simulated GPUs. Each distinct mark has one
child, a pytest under `tocuda simulate`. It collects what the parent collects, runs the tests that the parent names, one
at a time, and its reports become the parent's."""

import builtins
import ctypes
import os
import signal
import socket
import subprocess
import sys
import tempfile
import warnings
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

CHANNEL = "TOCUDA_PYTEST_CHANNEL"  # set for a child: the descriptor of its connection
AFTER = {"setup": "call", "call": "teardown"}  # the stage that follows a report
OTHERWISE = "on simulated GPUs something was not computed, is not known, or was torch.compile's (tocuda_strict)"
NOT_FOUND = "on simulated GPUs pytest did not find this test"
ARGUMENTS = "the mark tocuda takes the GPUs and options of `tocuda simulate`: tocuda('2x8GiB', fault='cudaMalloc 3 2')"


def pytest_addoption(parser):
    parser.addini("tocuda_strict", "fail tests that a GPU may compute otherwise", type="bool", default=False)


@pytest.hookimpl(trylast=True)  # after the terminal's reporter was registered
def pytest_configure(config):
    config.addinivalue_line("markers", "tocuda(gpus, **options): run the test on simulated GPUs ('2x8GiB')")
    descriptor = os.environ.pop(CHANNEL, None)
    if descriptor is None:
        config.pluginmanager.register(Parent(config), "tocuda-parent")
    else:
        config.pluginmanager.unregister(name="terminalreporter")
        config.pluginmanager.register(Child(config, int(descriptor)), "tocuda-child")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    """Ends what the tests before it left to another than this one: xdist decides late which comes next."""
    item.session._setupstate.teardown_exact(item)


def simulation_of(item):
    """The words after `tocuda simulate`, or None for a test without the mark."""
    mark = item.get_closest_marker("tocuda")
    if mark is None:
        return None
    if len(mark.args) != 1:
        raise pytest.UsageError(f"{item.nodeid}: {ARGUMENTS}")
    words = [str(mark.args[0])]
    for name, value in sorted(mark.kwargs.items()):
        if name == "compute":
            words += [] if value else ["--no-compute"]
            continue
        for one in value if isinstance(value, list | tuple) else [value]:
            words += [f"--{name}", str(one)]
    return tuple(words)


def program():
    """That of $TOCUDA_PROGRAM, of the wheel, or of the sources, which are built when it is first started."""
    beside = Path(__file__).with_name("tocuda")
    return os.environ.get("TOCUDA_PROGRAM") or str(beside if beside.exists() else Path(__file__).parents[2] / "tocuda")


def arguments_of(config):
    """What a child is started with: what its parent was, or the parent of xdist's workers."""
    worker = getattr(config, "workerinput", None)
    arguments = [str(argument) for argument in (worker["mainargv"][1:] if worker else config.invocation_params.args)]
    if config.pluginmanager.hasplugin("xdist"):
        arguments.append("-n0")
    if getattr(config.option, "xmlpath", None):  # the parent's file
        arguments.append("--junitxml=")
    return arguments


def name_of(number):
    return next((known.name for known in signal.Signals if known == number), f"signal {number}")


class Parent:
    def __init__(self, config):
        self.config = config
        self.simulated = {}  # by their words
        self.following = {}  # which test runs next in the same process
        self.said = []

    def pytest_collection_finish(self, session):
        last = {}
        for item in session.items:
            words = simulation_of(item)
            if words in last:
                self.following[last[words]] = item
            last[words] = item

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_teardown(self, item, nextitem):
        """pytest has kept the fixtures of the next test. If that runs in a child, the next one here needs others."""
        if nextitem is not None and simulation_of(nextitem) is not None:
            item.session._setupstate.teardown_exact(self.following.get(item))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item):
        words = simulation_of(item)
        if words is None:
            return None
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        for report in self.reports_of(item, words):
            item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    def reports_of(self, item, words):
        child = self.simulated.get(words)
        if child is None:
            child = self.simulated[words] = Simulated(self.config, words)
        following = self.following.get(item)
        yield from child.run(item, following)
        if following is None or (child.has_ended and child.has_begun):
            self.end(words)

    def end(self, words):
        child = self.simulated.pop(words)
        lines = child.end().splitlines() if child.has_begun else []  # otherwise a failure has said why
        self.said += [(words, [line for line in lines if line.startswith("tocuda: ") and "SIMULATED" not in line])]

    def pytest_keyboard_interrupt(self):
        for child in self.simulated.values():
            child.process.terminate()

    def pytest_sessionfinish(self):
        for words in list(self.simulated):
            self.end(words)
        if hasattr(self.config, "workeroutput"):
            self.config.workeroutput["tocuda"] = self.said

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node):
        """A worker of xdist has ended."""
        self.said += getattr(node, "workeroutput", {}).get("tocuda", [])

    def pytest_terminal_summary(self, terminalreporter):
        for words, lines in self.said:
            if lines:
                terminalreporter.section(f"tocuda simulate {subprocess.list2cmdline(words)}")
                for line in lines:
                    terminalreporter.write_line(line)


class Simulated:
    """A child, as the parent sees it."""

    def __init__(self, config, words):
        self.config = config
        self.has_begun = False
        self.has_ended = False
        self.problems = []  # of its collection: where, and what
        self.log = tempfile.TemporaryFile("w+", errors="replace")
        output = None if config.option.capture == "no" else self.log
        ours, theirs = socket.socketpair()
        begin = f"import sys; sys.path[:] = {sys.path!r}; import pytest; sys.exit(pytest.main(sys.argv[1:]))"
        arguments = arguments_of(config)
        if config.option.basetemp:  # pytest empties it when it begins
            arguments.append(f"--basetemp={config.option.basetemp}-{ours.fileno()}-simulated")
        with theirs:
            self.process = subprocess.Popen(
                [program(), "simulate", *words, "--", sys.executable, "-c", begin, *arguments],
                cwd=config.invocation_params.dir,
                env={**os.environ, CHANNEL: str(theirs.fileno())},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                pass_fds=[theirs.fileno()],
            )
        self.connection = Connection(ours.detach())

    def messages(self):
        """Ends when the child does, even if a process that it started keeps the connection open."""
        try:
            while self.connection.poll(0.2) or self.process.poll() is None or self.connection.poll(0):
                if self.connection.poll(0):
                    yield self.connection.recv()
        except (EOFError, OSError):
            pass
        self.has_ended = True

    def run(self, item, following):
        stage = "setup"
        try:
            self.connection.send((item.nodeid, following and following.nodeid))
        except OSError:
            self.has_ended = True
        for kind, data in self.messages():
            if kind == "begun":
                self.has_begun = True
            elif kind == "report":
                report = self.config.hook.pytest_report_from_serializable(config=self.config, data=data)
                stage = AFTER.get(report.when, stage)  # a plugin may report a stage several times
                yield report
            elif kind == "warning":
                self.warn(**data)
            elif kind == "problem":
                self.problems.append(data)
            elif kind == "unknown":
                why = [problem for where, problem in self.problems if item.nodeid.startswith(where)]
                yield self.failure(item, "setup", "\n".join([NOT_FOUND, *why]))
                return
            else:
                return
        yield self.failure(item, stage, self.how_it_ended())

    def warn(self, text, category, filename, lineno, **where):
        known = getattr(builtins, category, UserWarning)
        message = warnings.WarningMessage(text, known, filename, lineno)
        self.config.hook.pytest_warning_recorded.call_historic(kwargs={"warning_message": message, **where})

    def how_it_ended(self):
        code = self.process.wait()
        how = f"was killed by {name_of(code - 128)}" if 128 < code <= 192 else f"ended with exit code {code}"
        while_what = "while this test ran on simulated GPUs" if self.has_begun else "before any test could run"
        return f"the process {how} {while_what}\n{self.text()[-4000:]}"

    def failure(self, item, when, text):
        keywords = dict.fromkeys(item.keywords, 1)
        return pytest.TestReport(item.nodeid, item.location, keywords, "failed", text, when)

    def text(self):
        self.log.seek(0)
        return self.log.read()

    def end(self):
        """Returns what it printed, except what pytest captured."""
        self.connection.close()
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.terminate()
            self.process.wait()
        with self.log:
            return self.text()


class Child:
    def __init__(self, config, descriptor):
        self.config = config
        os.set_inheritable(descriptor, False)
        self.connection = Connection(descriptor)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session):
        items = {item.nodeid: item for item in session.items}
        self.connection.send(("begun", None))
        while True:
            try:
                nodeid, following = self.connection.recv()
            except EOFError:
                return True
            if nodeid in items:
                self.config.hook.pytest_runtest_protocol(item=items[nodeid], nextitem=items.get(following))
            self.connection.send(("ran" if nodeid in items else "unknown", None))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self):
        count = ctypes.CDLL(None).tocuda_simulation_otherwise
        count.restype = ctypes.c_ulonglong
        before = count()
        result = yield
        if self.config.getini("tocuda_strict") and count() > before:
            pytest.fail(OTHERWISE, pytrace=False)
        return result

    def pytest_collectreport(self, report):
        if not report.passed:
            self.connection.send(("problem", (report.nodeid, report.longreprtext)))

    def pytest_runtest_logreport(self, report):
        data = self.config.hook.pytest_report_to_serializable(config=self.config, report=report)
        self.connection.send(("report", data))

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session):
        session.config.workerinput = {}  # pytest's own plugins then leave the cache to the parent

    def pytest_warning_recorded(self, warning_message, when, nodeid, location):
        if when != "runtest":  # the parent collects too
            return
        about = {"text": str(warning_message.message), "category": warning_message.category.__name__}
        about |= {"filename": warning_message.filename, "lineno": warning_message.lineno}
        self.connection.send(("warning", {**about, "when": when, "nodeid": nodeid, "location": location}))
