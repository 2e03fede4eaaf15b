# tocuda, Apache-2.0.
"""Collects the peers' sources and what they need, each in its own folder. A peer that cannot be reached is reported and
skipped."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from campaigning import development_packages, surroundings
from campaigning.child import output_of
from campaigning.peer_recipes import KNOWN
from campaigning.outcome import Problem

CLONE_LIMIT_S = 180


def choices(asked):
    """name -> folder or URL: the known peers from their public repositories unless --peer names another place."""
    chosen = {name: recipe["from"] for name, recipe in KNOWN.items()}
    for word in asked:
        name, _, place = word.partition("=")
        if not name or "/" in name:
            raise Problem(f"--peer {word}: expected NAME=DIR_OR_GIT_URL", 2)
        chosen[name] = place
    return {name: place for name, place in chosen.items() if place}


def bring(name, place, apt, folder):
    """Fills folder/peers/NAME. If that fails, removes it and raises Problem."""
    target = folder / "peers" / name
    try:
        with tempfile.TemporaryDirectory() as scratch:
            tree, commit = tree_of(place, Path(scratch))
            recipe = recipe_of(name, tree)
            take(tree, recipe.get("take", ["**/*"]), target / "source")
            for needed in recipe.get("needs", []):
                NEEDS[needed](apt, Path(scratch) / needed, target / "needs")
        kept = {"build": recipe["build"], "run": recipe["run"], "from": place, "commit": commit}
        (target / "recipe.json").write_text(json.dumps(kept, indent=1))
    except (OSError, subprocess.SubprocessError, Problem, StopIteration, KeyError, ValueError) as why:
        shutil.rmtree(target, ignore_errors=True)
        raise Problem(f"{name}: {why}") from None


def git(*words):
    done = output_of("git", *words, timeout=CLONE_LIMIT_S, env={**os.environ, "GIT_TERMINAL_PROMPT": "0"})
    if done.returncode != 0:
        raise Problem((done.stderr.strip().splitlines() or ["git failed"])[-1])
    return done.stdout.strip()


def tree_of(place, scratch):
    """Returns a folder with the sources and their commit, if git knows it. Of a git repository the committed state is
    used."""
    folder = Path(place)
    if folder.is_dir() and not ((folder / ".git").exists() or (folder / "objects").is_dir()):
        return folder, "unknown"
    url = folder.resolve().as_uri() if folder.is_dir() else place
    git("clone", "--quiet", "--depth", "1", url, scratch / "tree")
    return scratch / "tree", git("-C", scratch / "tree", "rev-parse", "HEAD")


def recipe_of(name, tree):
    if name in KNOWN:
        return KNOWN[name]
    file = tree / "recipe.json"
    if not file.is_file():
        raise Problem(
            f"no recipe to build and run it (there are recipes of {', '.join(KNOWN)}): put a recipe.json with build "
            "and run into its folder"
        )
    return json.loads(file.read_text())


def take(tree, patterns, target):
    files = {file for pattern in patterns for file in tree.glob(pattern) if file.is_file()}
    found = sorted(file for file in files if ".git" not in file.relative_to(tree).parts)
    if not found:
        raise Problem(f"no source files match {', '.join(patterns)}")
    for file in found:
        place = target / file.relative_to(tree)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, place)


def nvml_header(_apt, scratch, into):
    """Copies nvml.h from an installed toolkit, otherwise from NVIDIA's pip package of the release that set-up
    installs."""
    (into / "include").mkdir(parents=True, exist_ok=True)
    compiler = surroundings.nvcc()
    here = sorted(compiler.resolve().parents[1].glob("**/include/nvml.h")) if compiler else []
    if not here:
        pip = [sys.executable, *"-m pip download --quiet --no-deps --only-binary=:all: nvidia-nvml-dev==13.0.*".split()]
        subprocess.run([*pip, "-d", scratch], check=True, capture_output=True)
        wheel = next(scratch.glob("*.whl"))
        with zipfile.ZipFile(wheel) as packed:
            member = next(name for name in packed.namelist() if name.endswith("/nvml.h"))
            (into / "include/nvml.h").write_bytes(packed.read(member))
        return
    shutil.copyfile(here[0], into / "include/nvml.h")


NEEDS = {"boost_program_options": development_packages.boost_program_options, "nvml_header": nvml_header}
