# tocuda, Apache-2.0.
"""Packs everything recorded into one archive. It is written beside the last one and renamed, so that a complete one
exists at any moment."""

import gzip
import os
import tarfile
import zlib

LARGEST = 15 << 20
KEPT = (".jsonl", ".json")  # dropped only after every log


def files_in(recorded):
    return sorted(path for path in recorded.rglob("*") if path.is_file() and path.suffix != ".new")


def pack(recorded, target, largest=LARGEST):
    """Writes the archive. Returns what was left out to stay within `largest`: the largest logs first, then results,
    never the state."""
    files = files_in(recorded)
    left_out = []
    while True:
        waiting = target.with_name(target.name + ".new")
        try:
            size = write(recorded, files, waiting)
            if size <= largest or not leave_one_out(files, left_out):
                waiting.replace(target)
                return [str(path.relative_to(recorded)) for path in left_out]
        except OSError:
            waiting.unlink(missing_ok=True)
            raise


def leave_one_out(files, left_out):
    """Moves the largest of the least important files to `left_out`. Returns False if only the state is left."""
    can_go = [path for path in files if path.name != "state.json"]
    logs = [path for path in can_go if path.suffix not in KEPT]
    if not can_go:
        return False
    largest = max(logs or can_go, key=lambda path: path.stat().st_size)
    files.remove(largest)
    left_out.append(largest)
    return True


def write(recorded, files, target):
    with target.open("wb") as out:
        with gzip.GzipFile("", "wb", 6, out, mtime=0) as packed, tarfile.open(fileobj=packed, mode="w") as tar:
            for path in files:
                tar.add(path, path.relative_to(recorded), recursive=False)
        out.flush()
        os.fsync(out.fileno())
        return out.tell()


def read_member(file, name):
    """Returns the text of one file in the archive; None if the archive is missing or cannot be read."""
    try:
        with tarfile.open(file) as tar:
            return tar.extractfile(name).read().decode()
    except (OSError, KeyError, tarfile.TarError, EOFError, zlib.error):
        return None


def unpack(file, folder):
    folder.mkdir(parents=True)
    with tarfile.open(file) as tar:
        tar.extractall(folder, filter="data") if hasattr(tarfile, "data_filter") else tar.extractall(folder)
