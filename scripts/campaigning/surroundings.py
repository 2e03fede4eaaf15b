# tocuda, Apache-2.0.
"""What the build and the measurements are given of this machine: variables, architecture, the built program."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ASSUMED_CAPABILITY = "90"  # where no GPU says its own

BYTES_A_JOB = 1500 << 20  # LibTorch's headers take over a gigabyte to compile


def program(campaign):
    return campaign.repository / "build/default/tocuda"


def built_for(campaign):
    """Beside the program: which prepared tree it was built from."""
    return campaign.repository / "build/default/.campaign"


def capability():
    """90 for compute capability 9.0, by nvidia-smi."""
    try:
        said = subprocess.run(
            ["nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader"],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ASSUMED_CAPABILITY
    found = sorted(set(re.findall(r"^(\d+)\.(\d+)$", said, re.MULTILINE)))
    return " ".join(major + minor for major, minor in found) or ASSUMED_CAPABILITY


def jobs():
    """As many as there are cores and memory for. What is free at this moment says little: caches give way."""
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return max(1, min(len(os.sched_getaffinity(0)), memory // BYTES_A_JOB))


def torch_is_usable(repository):
    return (
        subprocess.run(
            [sys.executable, repository / "scripts/set_up/installed_torch.py", ""], capture_output=True, check=False
        ).returncode
        == 0
    )


def variables(campaign):
    """The environment of set-up: nothing is fetched, and code is made for this machine's GPU alone."""
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
    """The CUDA compiler as set-up looks for it; None where there is none."""
    candidates = [os.environ.get("CUDACXX"), shutil.which("nvcc"), "/usr/local/cuda/bin/nvcc"]
    return next((Path(found) for found in candidates if found and os.access(found, os.X_OK)), None)


def build(campaign, seconds):
    given = variables(campaign)
    campaign.must([campaign.repository / "scripts/tocuda", "--version"], "build.log", seconds, env=given)
    built_for(campaign).write_text(campaign.prepared["id"])
    without = (
        ", without LibTorch: this Python has none that is supported"
        if given.get("TOCUDA_TORCH_VERSION") == "none"
        else ""
    )
    return f"for compute capability {given['TOCUDA_CUDA_ARCHITECTURES']}{without}"


def is_built(campaign):
    """Also after another command has left the build where it was, or has not."""
    mark = built_for(campaign)
    return program(campaign).is_file() and mark.is_file() and mark.read_text() == campaign.prepared["id"]
