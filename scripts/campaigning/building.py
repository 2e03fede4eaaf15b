# tocuda, Apache-2.0.
"""The build and its tests. Set-up chooses compiler, LibTorch and GPUs, and downloads nothing where packages are
carried; what it finds none of is left out of the build."""

import os
import shutil
import sys
import tempfile
from pathlib import Path

from campaigning.child import last_line, output_of
from campaigning.outcome import DONE, Absent, Cut, Exit, Failed, Limit, say

# Core-seconds for one architecture, rather too many (everything takes 21 minutes for seven), and what one core does
# alone.
PROGRAMS_CORE_S, TESTS_CORE_S, ALONE_S = 700, 1800, 40


def program(campaign):
    """Where set-up builds (scripts/set_up/folders.bash)."""
    version = os.environ.get("TOCUDA_TORCH_VERSION")
    folder = os.environ.get("TOCUDA_BUILD") or "default" + (f"-{version}" if version else "")
    return campaign.repository / "build" / folder / "tocuda"


def why_left_out(campaign):
    """Which workers the build left out, and why."""
    files = sorted(program(campaign).parent.glob("tocuda-*.left_out"))
    return "; ".join(f"{file.stem}: {file.read_text().strip()}" for file in files)


def is_built(campaign):
    """Whether everything was built and still exists: the folder may have been emptied between two commands."""
    return campaign.state.outcome("build") == DONE and program(campaign).is_file()


def is_left_to_rehearse(campaign):
    """What a build made that was not cut: set-up writes the stamp last."""
    return campaign.asked.simulate and program(campaign).with_name(".built").is_file()


def seconds_to_build(campaign):
    return 1 if is_left_to_rehearse(campaign) else PROGRAMS_CORE_S / campaign.cores() + ALONE_S


def variables(campaign):
    given = {
        "TOCUDA_PACKAGES": str(campaign.folder / "packages"),
        "TOCUDA_COMMIT": str(campaign.folder / "commit"),
        "TOCUDA_PYTHON": os.environ.get("TOCUDA_PYTHON") or sys.executable,
    }
    return {**os.environ, **given}


def differs(repository, given):
    """What of the tree is not as in its commit, as the build sees it: with such a tree no result can be cited. Empty if
    that is not known."""
    script = Path(__file__).resolve().parents[2] / "cmake/suite_header.cmake"
    if not shutil.which("cmake"):
        return []
    with tempfile.TemporaryDirectory() as scratch:
        header = Path(scratch) / "suite_facts.hpp"
        words = {"SOURCE": repository, "VERSION": 0, "GIVEN": given, "OUTPUT": header}
        done = output_of("cmake", *(f"-D{name}={value}" for name, value in words.items()), "-P", script)
        listed = header.with_name(header.name + ".differs")
        return listed.read_text().strip().splitlines() if done.returncode == 0 else []


def build(campaign, seconds):
    log = campaign.log("build.log")
    if is_left_to_rehearse(campaign):
        return "a rehearsal takes the build that is there"
    changed = differs(campaign.repository, campaign.folder / "commit")
    warning = f"results cannot be cited, the tree is not its commit: {', '.join(changed[:3])}" if changed else ""
    if warning:
        say(warning)
    words = [campaign.repository / "scripts/tocuda", "set-up"]
    try:
        code = campaign.command(words, log.name, seconds, env=variables(campaign))
    except Limit:
        code = Exit.STOPPED
    if code == Exit.STOPPED:
        raise Cut("set-up and build continue with the next command")
    if code != 0:
        raise Failed(f"exit code {code}: {last_line(log)} ({log})")
    return "; ".join(filter(None, [why_left_out(campaign) or "everything", warning]))


def seconds_to_test(campaign):
    return TESTS_CORE_S / campaign.cores() + ALONE_S


def test(campaign, seconds):
    """Failing tests fail the campaign but spoil no results, because everything has been measured before."""
    if campaign.asked.simulate:
        raise Absent("scripts/test runs them without a GPU")
    code = campaign.command([campaign.repository / "scripts/test"], "tests.txt", seconds, env=variables(campaign))
    log = campaign.log("tests.txt")
    passed = [line.strip() for line in log.read_text(errors="replace").splitlines() if "tests passed" in line]
    summary = passed[-1] if passed else last_line(log)
    if code != 0:
        raise Failed(f"exit code {code}: {summary}")
    return summary
