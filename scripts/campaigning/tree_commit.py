# tocuda, Apache-2.0.
"""Records which commit a tree is, for a copy without .git, in a file that cmake/suite_header.cmake reads at each build.

It holds the commit, whether the tree differed from it, and a checksum of each file, so that later changes are noticed
without git. Files under results/ are not sources and may change."""

import hashlib

from campaigning.child import output_of
from campaigning.outcome import Problem


def git(repository, *words):
    done = output_of("git", "-C", repository, *words)
    if done.returncode != 0:
        raise Problem(f"git {' '.join(words)} in {repository}: {done.stderr.strip() or done.returncode}")
    return done.stdout


def tracked(repository):
    names = git(repository, "ls-files", "-z").split("\0")
    return sorted(name for name in names if name and not name.startswith("results/"))


def checksum(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def text_of(repository):
    """The text of that file."""
    commit = git(repository, "rev-parse", "--verify", "HEAD").strip()
    dirty = bool(git(repository, "status", "--porcelain").strip())
    lines = [f"{checksum(repository / name)}  {name}" for name in tracked(repository) if (repository / name).is_file()]
    return "\n".join([f"commit {commit}", f"dirty {'true' if dirty else 'false'}", *lines]) + "\n"
