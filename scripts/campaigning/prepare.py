# tocuda, Apache-2.0.
"""Collects what the machine needs besides the tree, on a machine with a network: the libraries of the build, peers, the
tree's commit, and how long the measurements will take."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
import uuid

from campaigning import measuring, peers, steps
from campaigning.child import last_words, output_of
from campaigning.outcome import Exit, Problem

LIBRARIES = (
    "libfmt-dev nlohmann-json3-dev libsimdjson-dev libexpected-dev libssl-dev libgtest-dev libbenchmark-dev"
).split()
LARGEST_PACKED = 55 << 20
SIMULATED = {"1": "1xH200", "8": "8xH200"}  # machines whose forecasts are stored


def prepare(asked, repository):
    folder = asked.folder.resolve()
    if folder.is_dir() and any(folder.iterdir()):
        raise Problem(f"{folder} is not empty: name a new folder", Exit.USAGE)
    try:
        fill(asked, repository, folder)
    except (Problem, KeyboardInterrupt):
        shutil.rmtree(folder, ignore_errors=True)  # an incomplete folder would block the next start
        raise
    return Exit.DONE


def fill(asked, repository, folder):
    where_from = chosen(asked.peer)
    commit = commit_of(repository)
    (folder / "packages").mkdir(parents=True)
    (folder / "commit").write_text(commit)
    given = {
        "TOCUDA_CARRY_SOURCES": str(asked.apt_sources or ""),
        "TOCUDA_CARRY_ARCHITECTURE": asked.architecture or "",
    }
    environment = {**os.environ, **given}
    versions = said_by(
        "packages", repository / "scripts/set_up/carry", folder / "packages", *LIBRARIES, env=environment
    )
    if asked.architecture:
        print("packages not checked: CMake looks for those of this architecture")
    else:
        look_at(folder / "packages", repository)
    print(f"packages: {' '.join(versions.split())}")
    for name, place in where_from.items():
        bring(name, place, folder / "peers" / name, environment)
    head = dict(line.split(" ", 1) for line in commit.splitlines()[:2])
    finish(folder, {**head, "packages": versions.split(), "forecasts": forecasts(repository)})


def chosen(asked):
    """name -> where to get it; empty is its public repository."""
    places = dict.fromkeys(peers.NAMES, "")
    for word in asked:
        name, _, place = word.partition("=")
        if name not in places:
            raise Problem(f"--peer {word}: expected NAME=DIR_OR_GIT_URL with {' or '.join(peers.NAMES)}", Exit.USAGE)
        places[name] = place or None
    return {name: place for name, place in places.items() if place is not None}


def said_by(what, *words, **how):
    done = output_of(*words, **how)
    if done.returncode != 0:
        raise Problem(f"{what}: {last_words(done.stderr or done.stdout, f'exit code {done.returncode}')}")
    return done.stdout


def commit_of(repository):
    """Which commit a tree is, for a copy of it without .git: the commit, whether the tree differs from it, and a
    checksum of each file, so that later changes are noticed. Files in results/ are no sources, nor are new ones beside
    them. cmake/suite_header.cmake reads this at each build."""

    def git(*words):
        return said_by(f"git {words[0]}", "git", "-C", repository, *words)

    commit = git("rev-parse", "--verify", "HEAD").strip()
    status = git("status", "--porcelain", "--", ".", ":(exclude)results").splitlines()
    changes = [line for line in status if not re.fullmatch(r"[?][?] [^/]+/?", line)]
    names = sorted(name for name in git("ls-files", "-z").split("\0") if name and not name.startswith("results/"))
    files = [(name, repository / name) for name in names if (repository / name).is_file()]
    sums = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {name}" for name, file in files]
    return "\n".join([f"commit {commit}", f"dirty {'true' if changes else 'false'}", *sums]) + "\n"


def bring(name, place, folder, environment):
    """A peer that cannot be reached is reported and skipped."""
    folder.mkdir(parents=True)
    try:
        said_by(name, "sh", peers.HERE / "peers.sh", name, "fetch", folder, place, env=environment)
        shutil.rmtree(folder / "tree/.git", ignore_errors=True)
        print(f"peer {name}: {place or 'from its public repository'}")
    except Problem as why:
        shutil.rmtree(folder)
        print(f"peer skipped: {why}")


def forecasts(repository):
    """number of GPUs -> step -> the seconds of its measurements on real GPUs, as the program here estimates."""
    program = repository / "scripts/tocuda"
    if subprocess.run([program, "set-up"], stdout=subprocess.DEVNULL, check=False).returncode != 0:
        raise Problem("tocuda is not built: it says how long the measurements will take")
    stored, without = {}, []
    for gpus, spec in SIMULATED.items():
        for name, words in steps.MEASURED.items():
            found = measuring.forecast(program, [*measuring.asking(words.split()), "--simulate", spec])
            if found:
                stored.setdefault(gpus, {})[name] = found["seconds"]
            else:
                without.append(f"{name} on {spec}")
    if without:
        print(f"no forecast of {', '.join(without)}")
    return stored


def look_at(packages, repository):
    """Looks for the libraries as set-up will, in these packages only, so that a missing one is found here."""
    cmake = shutil.which("cmake")
    if not cmake:
        print("packages not checked: cmake not found")
        return
    with tempfile.TemporaryDirectory() as scratch:
        only = [f"-DCMAKE_FIND_ROOT_PATH_MODE_{kind}=ONLY" for kind in ("PACKAGE", "LIBRARY", "INCLUDE")]
        probe = repository / "scripts/set_up/probe"
        said = said_by("packages", cmake, "-S", probe, "-B", scratch, f"-DCMAKE_FIND_ROOT_PATH={packages}", *only)
    if missing := re.findall(r"missing library: (\S+)", said):
        raise Problem(f"CMake does not find these libraries in the packages: {', '.join(missing)}")


def packed_size(folder):
    packed = subprocess.run(["sh", "-c", "tar -cz . | wc -c"], cwd=folder, capture_output=True, check=True)
    return int(packed.stdout)


def finish(folder, found):
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    prepared = {"id": str(uuid.uuid4()), "time": now, **found}
    (folder / "prepared.json").write_text(json.dumps(prepared, indent=1) + "\n")
    packed = packed_size(folder)
    if packed > LARGEST_PACKED:
        too_large = f"{packed >> 20} MiB packed, the limit is {LARGEST_PACKED >> 20}"
        raise Problem(f"{folder}: {too_large}: leave out a peer with --peer NAME=")
    print(f"{folder}: {packed / (1 << 20):.1f} MiB packed; commit {found['commit'][:12]}")
    if found["dirty"] == "true":
        print("the tree has uncommitted changes: results cannot be cited; commit them and prepare again")
