# tocuda, Apache-2.0.
"""Gets the documents that pictures are drawn from: `tocuda judge --json` of result files and, if there are several,
`compare --json`. Files that already hold a document of one of DOCUMENTED are read as they are.
Computes nothing."""

import dataclasses
import json
import os
import pathlib
import re
import subprocess
import tempfile

DOCUMENTED = "`judge`, `bench`, `run`, `compare` or `replay`"
TOCUDA = pathlib.Path(__file__).resolve().parent.parent / "tocuda"


class Unreadable(Exception):
    """Why a file cannot be drawn, in one line."""


class Refused(Exception):
    """tocuda refused a file and printed why. `code` is its exit code."""

    def __init__(self, code):
        super().__init__(code)
        self.code = code


@dataclasses.dataclass
class Documents:
    judged: list
    compared: list  # of two sets of runs
    fleets: list
    recordings: list = ()  # files with the history of an allocator
    replayed: list = ()


def files_in(path):
    """Returns a file itself, or every result file below a folder."""
    path = pathlib.Path(path)
    if not path.is_dir():
        return [path]
    found = sorted(path.rglob("*.jsonl"))
    if not found:
        raise Unreadable(f"{path}: no result file (*.jsonl) in this folder")
    return found


def is_document(path):
    """True unless the first line is a line of a result file, which is an object of another kind."""
    try:
        with open(path, "rb") as file:
            head = file.readline(4096)
    except OSError:
        return False  # tocuda then reports why
    return head.lstrip().startswith(b"{") and not re.search(rb'"kind": ?"(?!replay")', head)


def is_recording(path):
    """What `simulate --record` or PyTorch wrote: a pickle begins with its protocol, or with a dictionary."""
    try:
        with open(path, "rb") as file:
            head = file.read(32)
    except OSError:
        return False
    return head.startswith((b'{"kind":"memory_history"', b"\x80", b"}("))


def read_document(path):
    try:
        document = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"{path}: not JSON: {str(error).splitlines()[0]}") from None
    known = "runs", "attribution", "cohorts", "drivers", "what_if"
    if not isinstance(document, dict) or not any(isinstance(document.get(name), (list, dict)) for name in known):
        raise Unreadable(f"{path}: neither a result file nor a document of {DOCUMENTED}")
    return document


def ask(*words, **how):
    """The document that tocuda prints. Its warnings go to stderr."""
    program = os.environ.get("TOCUDA_PROGRAM") or TOCUDA
    try:
        # Recorded verdicts are drawn, so that nothing that judges them again need be built.
        environment = {**os.environ, "TOCUDA_GOAL": "program"}
        words = [program, *words, "--json"]
        done = subprocess.run(words, stdout=subprocess.PIPE, check=False, env=environment, **how)
    except OSError as error:
        raise Unreadable(f"{program}: cannot be started: {error.strerror}") from None
    document = json.loads(done.stdout) if done.stdout else {"error": {}}
    if "error" in document:
        raise Refused(done.returncode)
    return document


def comparisons_of(document):
    """The comparisons of two sets of runs in a document of `compare`."""
    if "drivers" in document:
        return [{**one["compared"], "names": [one["old"], one["new"]]} for one in document["drivers"]]
    return [document] if "attribution" in document else []


def compared(files, judged):
    """What `compare` says about several result files: driver by driver, or the first of two against the second."""
    runs = [run["about"] for run in judged["runs"]]
    quiet = {"stderr": subprocess.DEVNULL}
    documents = []
    try:
        if len({json.dumps(about["driver"]) for about in runs}) > 1:
            with tempfile.TemporaryDirectory() as folder:
                for number, file in enumerate(files):
                    pathlib.Path(folder, f"{number}.jsonl").symlink_to(file.resolve())
                documents.append(ask("compare", "--history", folder, **quiet))
        elif len(files) == 2:
            documents.append(ask("compare", *files, **quiet))
        if len({row.get("gpu") for row in judged.get("rows", [])}) > 1:
            documents.append(ask("compare", "--fleet", *files, **quiet))
    except Refused:
        pass  # these files can be drawn one by one, but not compared
    return documents


def documents_of(given):
    recordings = [path for path in given if is_recording(path)]
    paths = [path for path in given if path not in recordings]
    read = [read_document(path) for path in paths if is_document(path)]
    files = [path for path in paths if not is_document(path)]
    if files:
        judged = ask("judge", *files)
        read += [judged, *compared(files, judged)]
    return Documents(
        [one for one in read if "runs" in one],
        [comparison for one in read for comparison in comparisons_of(one)],
        [one for one in read if "cohorts" in one],
        recordings,
        [one for one in read if "what_if" in one],
    )
