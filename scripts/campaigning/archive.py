# tocuda, Apache-2.0.
"""Packs everything recorded into one archive: of long logs only the end, so that it is small enough to be brought back.
It is written beside the last one and renamed, so that a complete one exists at any moment."""

import gzip
import io
import os
import shutil
import tarfile
import zlib

WHOLE = (".jsonl", ".json")
LONGEST_LOG = 256 << 10


def pack(recorded, target):
    waiting = target.with_name(target.name + ".new")
    try:
        with waiting.open("wb") as out:
            with gzip.GzipFile("", "wb", 6, out, mtime=0) as packed, tarfile.open(fileobj=packed, mode="w") as tar:
                for path in sorted(recorded.rglob("*")):
                    if path.is_file() and path.suffix != ".new":
                        add(tar, path, str(path.relative_to(recorded)))
            out.flush()
            os.fsync(out.fileno())
        waiting.replace(target)
    except OSError:
        waiting.unlink(missing_ok=True)
        raise


def add(tar, path, name):
    content = path.read_bytes()
    member = tar.gettarinfo(path, name)
    if path.suffix not in WHOLE:
        content = content[-LONGEST_LOG:]
    member.size = len(content)
    tar.addfile(member, io.BytesIO(content))


def read_member(file, name):
    """Returns the text of one file in the archive; None if the archive is missing or cannot be read."""
    try:
        with tarfile.open(file) as tar:
            return tar.extractfile(name).read().decode()
    except (OSError, KeyError, tarfile.TarError, EOFError, zlib.error):
        return None


def unpack(file, folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with tarfile.open(file) as tar:
        tar.extractall(folder, filter="data") if hasattr(tarfile, "data_filter") else tar.extractall(folder)
