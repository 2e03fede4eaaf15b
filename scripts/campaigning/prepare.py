# tocuda, Apache-2.0.
"""Collects what the machine needs besides the tree, on a machine with a network."""

import json
import shutil
import subprocess
import tempfile
import time
import uuid
from pathlib import Path

from campaigning import development_packages, peer_sources, tree_commit
from campaigning.outcome import DONE, Problem, USAGE

LARGEST_PACKED = 55 << 20
LARGEST_RESULTS = 3 << 20
LARGEST_IN_ALL = 64 << 20


def packed_size(folder):
    packed = subprocess.run(["sh", "-c", "tar -cz . | wc -c"], cwd=folder, capture_output=True, check=True)
    return int(packed.stdout)


def size_of(files):
    return sum(file.stat().st_size for file in files if file.is_file() and not file.is_symlink())


def mib(count):
    return f"{count / (1 << 20):.1f}"


def prepare(asked, repository):
    folder = asked.folder.resolve()
    if folder.is_dir() and any(folder.iterdir()):
        raise Problem(f"{folder} is not empty: name a new folder", USAGE)
    try:
        fill(asked, repository, folder)
    except (Problem, KeyboardInterrupt):
        shutil.rmtree(folder, ignore_errors=True)  # an incomplete folder would block the next start
        raise
    return DONE


def fill(asked, repository, folder):
    chosen = peer_sources.choices(asked.peer)
    commit = tree_commit.text_of(repository)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "commit").write_text(commit)
    with tempfile.TemporaryDirectory() as scratch:
        apt = development_packages.Apt(asked.system, asked.mirror, Path(scratch) / "apt")
        versions = development_packages.fetch(apt, folder / "packages", repository)
        print(f"packages of {asked.system}: {' '.join(versions)}")
        peers = [name for name, place in chosen.items() if brought(name, place, apt, folder)]
    head = dict(line.split(" ", 1) for line in commit.splitlines()[:2])
    finish(asked, repository, folder, {**head, "packages": versions, "peers": peers})


def brought(name, place, apt, folder):
    try:
        peer_sources.bring(name, place, apt, folder)
    except Problem as why:
        print(f"peer skipped: {why}")
        return False
    print(f"peer {name}: from {place}")
    return True


def finish(asked, repository, folder, found):
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    prepared = {"id": str(uuid.uuid4()), "time": now, "system": asked.system, **found}
    (folder / "prepared.json").write_text(json.dumps(prepared, indent=1) + "\n")
    packed, unpacked = packed_size(folder), size_of(folder.rglob("*"))
    if packed > LARGEST_PACKED:
        too_large = f"{mib(packed)} MiB packed, the limit is {LARGEST_PACKED >> 20}"
        raise Problem(f"{folder}: {too_large}: leave out a peer with --peer NAME=")
    tree = size_of(repository / name for name in tree_commit.git(repository, "ls-files", "-z").split("\0") if name)
    results = size_of((repository / "results").rglob("*"))
    sizes = f"{mib(unpacked)} MiB, {mib(packed)} packed; the tree: {mib(tree)} MiB"
    print(f"{folder}: {sizes}; commit {found['commit'][:12]}")
    if found["dirty"] == "true":
        print("the tree has uncommitted changes: results cannot be cited; commit them and prepare again")
    if results > LARGEST_RESULTS:
        print(f"warning: results/ has {mib(results)} MiB, more than {LARGEST_RESULTS >> 20}")
    if tree + unpacked > LARGEST_IN_ALL:
        print(f"warning: tree and folder together are larger than {LARGEST_IN_ALL >> 20} MiB")
