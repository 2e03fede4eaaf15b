# tocuda, Apache-2.0.
"""The documents that pictures are drawn from: what `tocuda judge FILE... --json` says of result files. A file that
holds such a document, of `judge`, `bench` or `run`, is read as it is. Nothing is computed here."""

import json
import os
import pathlib
import subprocess

TOCUDA = pathlib.Path(__file__).resolve().parent.parent / "tocuda"


class Unreadable(Exception):
    """What is wrong, in one line."""


class Refused(Exception):
    """tocuda has said what is wrong; code: how it ended."""

    def __init__(self, code):
        super().__init__(code)
        self.code = code


def files_in(path):
    """A file as it is; of a folder every result file below it."""
    path = pathlib.Path(path)
    if not path.is_dir():
        return [path]
    found = sorted(path.rglob("*.jsonl"))
    if not found:
        raise Unreadable(f"{path}: no result file (*.jsonl) in this folder")
    return found


def is_document(path):
    """Each line of a result file is an object with a kind."""
    try:
        with open(path, "rb") as file:
            head = file.readline(4096)
    except OSError:
        return False  # tocuda says why
    return head.lstrip().startswith(b"{") and b'"kind"' not in head


def read_document(path):
    try:
        document = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"{path}: no JSON: {str(error).splitlines()[0]}") from None
    if not isinstance(document, dict) or not isinstance(document.get("runs"), list):
        raise Unreadable(f"{path}: neither a result file nor a document of `judge`, `bench` or `run`")
    return document


def judged(paths):
    """What tocuda says of these result files; its warnings go to standard error."""
    program = os.environ.get("TOCUDA_PROGRAM") or TOCUDA
    try:
        done = subprocess.run([program, "judge", "--json", *paths], stdout=subprocess.PIPE, check=False)
    except OSError as error:
        raise Unreadable(f"{program}: cannot be started: {error.strerror}") from None
    if not done.stdout:
        raise Refused(done.returncode)
    return json.loads(done.stdout)


def documents_of(paths):
    documents = [path for path in paths if is_document(path)]
    files = [path for path in paths if path not in documents]
    return [read_document(path) for path in documents] + ([judged(files)] if files else [])
