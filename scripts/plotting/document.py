# tocuda, Apache-2.0.
"""Gets the documents that pictures are drawn from: for result files, the output of `tocuda judge FILE... --json`. Files
that already hold a document of `judge`, `bench` or `run` are read directly. Computes nothing."""

import json
import os
import pathlib
import subprocess

TOCUDA = pathlib.Path(__file__).resolve().parent.parent / "tocuda"


class Unreadable(Exception):
    """Why a file cannot be drawn, in one line."""


class Refused(Exception):
    """tocuda refused a file and printed why. `code` is its exit code."""

    def __init__(self, code):
        super().__init__(code)
        self.code = code


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
    """True unless the first line is a line of a result file, which is an object with a kind."""
    try:
        with open(path, "rb") as file:
            head = file.readline(4096)
    except OSError:
        return False  # tocuda then reports why
    return head.lstrip().startswith(b"{") and b'"kind"' not in head


def read_document(path):
    try:
        document = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"{path}: not JSON: {str(error).splitlines()[0]}") from None
    if not isinstance(document, dict) or not isinstance(document.get("runs"), list):
        raise Unreadable(f"{path}: neither a result file nor a document of `judge`, `bench` or `run`")
    return document


def judged(paths):
    """tocuda's document about these result files. Its warnings go to stderr."""
    program = os.environ.get("TOCUDA_PROGRAM") or TOCUDA
    try:
        done = subprocess.run([program, "judge", "--json", *paths], stdout=subprocess.PIPE, check=False)
    except OSError as error:
        raise Unreadable(f"{program}: cannot be started: {error.strerror}") from None
    document = json.loads(done.stdout) if done.stdout else {"error": {}}
    if "error" in document:
        raise Refused(done.returncode)
    return document


def documents_of(paths):
    documents = [path for path in paths if is_document(path)]
    files = [path for path in paths if path not in documents]
    return [read_document(path) for path in documents] + ([judged(files)] if files else [])
