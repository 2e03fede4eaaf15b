# tocuda, Apache-2.0.
"""A code example of a document, run as it is printed: what each line prints, warns and raises, and where the tensors
are in the end.

A file of scenarios/documents/ has a summary, the words that stand beside the code (says: ...), the claims that it
illustrates (claims: ...), an empty line and the code."""

import builtins
import contextlib
import resource
import sys
import time
import warnings

from worker_python.scenario import Limits, Needs, Scenario, Variant

LINES_SHOWN = 3  # of a text that one line of code prints
COLUMNS_SHOWN = 200
TAKEN = "_cuda_getDeviceCount"  # distinguishes a CPU-only build from the others, see scenarios/python/cpu_only_wheel.py
LIMITS = Limits(seconds=180, resident_bytes=6 << 30)
ON_GPU = Needs(gpus=1)

VARIANTS = (
    Variant("no_driver", {}, fakes=("driver absent",), limits=LIMITS),
    Variant("cpu_only_build", {}, fakes=("driver absent",), limits=LIMITS),
    Variant("small_gpu", {}, fakes=("blas",), simulate="1xT4", limits=LIMITS, needs=ON_GPU),
    Variant("gpu", {}, fakes=("blas",), simulate="1xH200", limits=LIMITS, needs=ON_GPU),
)


def shortened(text):
    lines = str(text).rstrip("\n").split("\n")
    kept = [line if len(line) <= COLUMNS_SHOWN else line[:COLUMNS_SHOWN] + " ..." for line in lines[:LINES_SHOWN]]
    return kept + ["..."] * (len(lines) > LINES_SHOWN)


def opening(error):
    message = str(error).strip().partition("\n")[0]
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


class Watch:
    """Attributes what happens to the line of code at which the program is."""

    def __init__(self, name):
        self.name = name
        self.line = 0
        self.printed = {}  # line -> text
        self.warned = {}
        self.raised = {}
        self._escaping = None

    def write(self, text):
        self.printed[self.line] = self.printed.get(self.line, "") + text
        return len(text)

    def flush(self):
        pass

    def warn(self, message, category, *_):
        self.warned.setdefault(self.line, f"{category.__name__}: {str(message).strip()}")

    def trace(self, frame, event, argument):
        if frame.f_code.co_filename != self.name:
            return None
        if event == "line":
            self.line = frame.f_lineno
        elif event == "exception" and argument[1] is not self._escaping:  # it passes through each frame
            self._escaping = argument[1]
            self.raised[frame.f_lineno] = opening(argument[1])
        return self.trace

    @contextlib.contextmanager
    def watching(self):
        with warnings.catch_warnings(), contextlib.redirect_stdout(self):
            warnings.showwarning = self.warn
            sys.settrace(self.trace)
            try:
                yield
            finally:
                sys.settrace(None)


def _line_of(error, name):
    """Returns the line of the program's own level at which an error left it."""
    trace = error.__traceback__
    while trace.tb_frame.f_code.co_filename != name:
        trace = trace.tb_next
    return trace.tb_lineno


def _run(code, first, name, names):
    """Runs the code from a line on. Returns what was watched, and the error that ended it with its line."""
    program = compile("\n" * (first - 1) + "\n".join(code[first - 1 :]), name, "exec")
    watch = Watch(name)
    try:
        with watch.watching():
            exec(program, names)
    except Exception as error:
        watch.raised = {line: text for line, text in watch.raised.items() if text != opening(error)}
        return watch, (opening(error), _line_of(error, name))
    return watch, None


def _say(see, part, watch, ended):
    for line, text in sorted(watch.printed.items()):
        see(f"{part}.{line}.prints", shortened(text))
    for line, text in sorted(watch.warned.items()):
        see(f"{part}.{line}.warns", shortened(text))
    for line, text in sorted(watch.raised.items()):
        see(f"{part}.{line}.catches", text)
    if ended:
        see(f"{part}.{ended[1]}.raises", ended[0])


def second_half(code, line):
    """Returns the first line after the next comment that announces the correct way; 0 if there is none."""
    marks = (number for number, text in enumerate(code, 1) if number > line and text.startswith("# Correct"))
    return next(marks, 0)


def _tensors(torch, names):
    for name, value in names.items():
        if isinstance(value, torch.Tensor):
            yield f"{name}: {value.device}, {str(value.dtype).removeprefix('torch.')}, {list(value.shape)}"


def observe_example(code, name, see, variant):
    import torch

    torch.manual_seed(0)
    if "import numpy as np" in code:
        import numpy

        numpy.random.seed(0)
    if variant == "cpu_only_build":
        delattr(torch._C, TAKEN)
    names = {"__name__": "__main__", "__builtins__": builtins}
    begin = time.monotonic()
    watch, ended = _run(code, 1, name, names)
    _say(see, "line", watch, ended)
    see("exit_code", 1 if ended else 0)
    see("tensors", list(_tensors(torch, names)))
    if ended and (half := second_half(code, ended[1])):
        watch, ended = _run(code, half, name, names)
        _say(see, "second", watch, ended)
        if not ended:
            see(f"second.{len(code)}.ends", list(_tensors(torch, names)))
    see("seconds", round(time.monotonic() - begin, 2))
    see("resident_mib", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10)
    if variant != "cpu_only_build" and torch.cuda.is_initialized():
        see("gpu_peak_mib", torch.cuda.max_memory_allocated() >> 20)


def read_example(path):
    """Returns the scenario of a file, and how it is observed."""
    head, _, code = path.read_text(encoding="utf-8").partition("\n\n")
    summary, says, claims = head.split("\n")
    lines = code.rstrip("\n").split("\n")
    scenario = Scenario(
        summary=summary,
        observed="what each line of the document's code prints, warns and raises, run as it is printed",
        decisive="nothing: it shows what the document's own code does; its claims are tested by scenarios of their own",
        claims={},
        variants=VARIANTS,
        code=tuple(lines),
        says=says.removeprefix("says: "),
        illustrates=tuple(claims.removeprefix("claims: ").split()),
    )
    return scenario, lambda see, variant: observe_example(lines, f"{path.stem}.py", see, variant)
