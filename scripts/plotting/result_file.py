# tocuda, Apache-2.0.
"""Result files: JSON Lines in sections, from a `run` line to its `end` line. Anything that is no such file is said by file and line."""
import dataclasses
import hashlib
import json
import pathlib

SCHEMA = 1


class Unreadable(Exception):
    """What is wrong, and where: 'FILE:LINE: what'."""


@dataclasses.dataclass
class Section:
    path: pathlib.Path
    line: int
    run: dict
    rows: list = dataclasses.field(default_factory=list)  # (line number, object)
    end: dict | None = None

    @property
    def whole(self):
        return self.end is not None and self.end.get("status") == "complete"


def files_in(path):
    """A file as it is; of a folder every result file below it."""
    path = pathlib.Path(path)
    if not path.is_dir():
        return [path]
    found = sorted(path.rglob("*.jsonl"))
    if not found:
        raise Unreadable(f"{path}: no result file (*.jsonl) in this folder")
    return found


def no_number(word):
    raise ValueError(f"{word} is no number of JSON")


def parsed(text, where):
    try:
        value = json.loads(text, parse_constant=no_number)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"{where}: no JSON: {str(error).splitlines()[0]}") from None
    if not isinstance(value, dict) or not isinstance(value.get("kind"), str):
        raise Unreadable(f"{where}: not a line of a result file: an object with a 'kind' is expected")
    return value


class Reader:
    """Takes the lines of one file, one after another."""

    def __init__(self, path, warn):
        self.path, self.warn = path, warn
        self.sections, self.open = [], None
        self.digest = hashlib.sha256()

    def where(self, number):
        return f"{self.path}:{number}"

    def begin(self, number, value):
        schema = value.get("schema")
        if isinstance(schema, bool) or not isinstance(schema, int):
            raise Unreadable(f"{self.where(number)}: this run line names no schema")
        if schema > SCHEMA:
            self.warn(f"{self.where(number)}: schema {schema} is newer than this program knows; read as far as it is understood")
        if not isinstance(value.get("run"), str):
            raise Unreadable(f"{self.where(number)}: this run line names no run")
        self.open = Section(self.path, number, value)
        self.sections.append(self.open)
        self.digest = hashlib.sha256()

    def finish(self, number, value):
        self.open.end = value
        if value.get("sha256") not in (None, self.digest.hexdigest()):
            self.warn(f"{self.where(number)}: altered after it was written: the checksum of this section is another "
                      "(tocuda verify says more)")
        self.open = None

    def take(self, number, raw):
        value = parsed(raw.decode("utf-8", "strict"), self.where(number))
        kind = value["kind"]
        if kind == "run":
            self.begin(number, value)
        elif self.open is None:
            raise Unreadable(f"{self.where(number)}: a '{kind}' line outside of a section: a 'run' line must come first")
        if kind == "end":
            self.finish(number, value)
            return
        self.digest.update(raw)
        if kind in ("measurement", "scenario"):
            self.open.rows.append((number, value))

    def warn_of_partial(self):
        for section in self.sections:
            if section.end is None:
                self.warn(f"{self.where(section.line)}: partial: this run has no end line; what was written is drawn")
            elif not section.whole:
                self.warn(f"{self.where(section.line)}: partial: this run was {section.end.get('status', 'stopped')}; "
                          "what was written is drawn")


def content_of(path):
    try:
        return path.read_bytes()
    except OSError as error:
        raise Unreadable(f"{path}: cannot be read: {error.strerror}") from None


def read(path, warn):
    """The sections of a file. A last line that was never finished is left out, with a warning."""
    path = pathlib.Path(path)
    lines = content_of(path).splitlines(keepends=True)
    reader = Reader(path, warn)
    for number, raw in enumerate(lines, 1):
        if not raw.endswith(b"\n") and reader.sections:
            warn(f"{path}:{number}: the last line is torn off and left out")
            break
        try:
            reader.take(number, raw)
        except UnicodeDecodeError:
            raise Unreadable(f"{path}:{number}: not text in UTF-8: no result file") from None
    if not reader.sections:
        raise Unreadable(f"{path}: empty: no run in it")
    reader.warn_of_partial()
    return reader.sections
