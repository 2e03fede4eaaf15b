# tocuda, Apache-2.0.
"""Which commit a tree is, for where it travels without .git: a file that cmake/suite_header.cmake reads at each build.

The commit, whether the tree differed from it, and a checksum of each file: a source that is changed later is seen
without git. Results are no sources: they may come and go."""

import hashlib
import subprocess

from campaigning.problem import Problem


def git(repository, *words):
    done = subprocess.run(["git", "-C", str(repository), *words], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Problem(f"git {' '.join(words)} in {repository}: {done.stderr.strip() or done.returncode}")
    return done.stdout


def tracked(repository):
    names = git(repository, "ls-files", "-z").split("\0")
    return sorted(name for name in names if name and not name.startswith("results/"))


def checksum(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def text_of(repository):
    """The file's text."""
    commit = git(repository, "rev-parse", "--verify", "HEAD").strip()
    dirty = bool(git(repository, "status", "--porcelain").strip())
    lines = [f"{checksum(repository / name)}  {name}" for name in tracked(repository) if (repository / name).is_file()]
    return "\n".join([f"commit {commit}", f"dirty {'true' if dirty else 'false'}", *lines]) + "\n"
