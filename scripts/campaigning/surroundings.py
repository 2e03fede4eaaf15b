# tocuda, Apache-2.0.
"""What the build and the measurements need to know of this machine: variables, architecture, the built program."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from campaigning.child import output_of

ASSUMED_CAPABILITY = "90"  # if no GPU reports its own

BYTES_A_JOB = 1500 << 20  # LibTorch's headers take over a gigabyte to compile


def program(campaign):
    return campaign.repository / "build/default/tocuda"


def built_for(campaign):
    """The file beside the program that names the prepared tree it was built from."""
    return campaign.repository / "build/default/.campaign"


def capability():
    """The compute capability that nvidia-smi reports, 9.0 as 90."""
    try:
        said = output_of("nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader", timeout=60).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ASSUMED_CAPABILITY
    found = sorted(set(re.findall(r"^(\d+)\.(\d+)$", said, re.MULTILINE)))
    return " ".join(major + minor for major, minor in found) or ASSUMED_CAPABILITY


def jobs():
    """As many as the cores and the memory allow. Free memory is no measure, because caches are evicted."""
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return max(1, min(len(os.sched_getaffinity(0)), memory // BYTES_A_JOB))


def torch_is_usable(repository):
    return output_of(sys.executable, repository / "scripts/set_up/installed_torch.py", "").returncode == 0


def variables(campaign):
    """The environment of set-up: nothing is downloaded, and code is built only for this machine's GPU."""
    given = {
        "TOCUDA_PACKAGES": str(campaign.folder / "packages"),
        "TOCUDA_COMMIT": str(campaign.folder / "commit"),
        "TOCUDA_CUDA_ARCHITECTURES": capability(),
        "TOCUDA_PYTHON": sys.executable,
        "TOCUDA_JOBS": str(jobs()),
    }
    if not torch_is_usable(campaign.repository):
        given["TOCUDA_TORCH_VERSION"] = "none"
    return {**os.environ, **given}


def nvcc():
    """The CUDA compiler, looked for as set-up does; None if there is none."""
    candidates = [os.environ.get("CUDACXX"), shutil.which("nvcc"), "/usr/local/cuda/bin/nvcc"]
    return next((Path(found) for found in candidates if found and os.access(found, os.X_OK)), None)


def build(campaign, seconds):
    given = variables(campaign)
    campaign.must([campaign.repository / "scripts/tocuda", "--version"], "build.log", seconds, env=given)
    built_for(campaign).write_text(campaign.prepared["id"])
    built = f"for compute capability {given['TOCUDA_CUDA_ARCHITECTURES']}"
    without_torch = given.get("TOCUDA_TORCH_VERSION") == "none"
    return built + (", without LibTorch: this Python has no supported one" if without_torch else "")


def is_built(campaign):
    """True if the program still exists; the build folder may have been emptied between two commands."""
    mark = built_for(campaign)
    return program(campaign).is_file() and mark.is_file() and mark.read_text() == campaign.prepared["id"]
