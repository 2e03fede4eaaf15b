# tocuda, Apache-2.0.
"""Which recordings belong to results/, and where: results/<gpu>/<driver>/, or without a GPU
results/no-gpu/torch-<version>/<system>/."""

import re
import shutil
import subprocess

LARGEST_TO_COMMIT = 16 << 20


def why_not(file, run, program):
    """Returns why the file must not be kept; empty if it may be."""
    suite = run.get("suite", {})
    if run.get("device") != "real" and run.get("verb") != "run":
        return f"it was measured on a {run.get('device')} GPU"
    if suite.get("dirty"):
        return "the tree that recorded it had uncommitted changes"
    if not suite.get("commit"):
        return "the commit that recorded it is unknown"
    if file.stat().st_size > LARGEST_TO_COMMIT:
        return f"it is too large to commit ({file.stat().st_size >> 20} MiB)"
    done = subprocess.run([program, "verify", file], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        lines = (done.stdout + done.stderr).strip().splitlines()
        return f"verify: exit code {done.returncode}: {lines[0] if lines else ''}"
    return ""


def name_in_folders(text):
    return re.sub(r"[^a-z0-9._-]+", "-", text.lower()).strip("-.") or "unknown"


def system_of(run):
    """ "Debian GNU/Linux 12 (bookworm)" is in debian-12, "Ubuntu 24.04.1 LTS" in ubuntu-24.04."""
    words = run.get("machine", {}).get("os", "").split()
    version = next((word for word in words if word[0].isdigit()), "")
    return name_in_folders("-".join(words[:1] + [".".join(version.split(".")[:2])]))


def folder_of(run):
    """Where in results/ the recording belongs."""
    if run.get("device") == "real":
        gpu, driver = (run.get("gpus") or [{}])[0], run.get("driver", {})
        names = [gpu.get("name", ""), driver.get("kernel_module", "")]
    else:
        torch = ".".join(run.get("libtorch", {}).get("version", "").split(".")[:2])
        names = ["no-gpu", f"torch-{torch}", system_of(run)]
    return "/".join(name_in_folders(name) for name in names)


def keep(file, run, repository):
    """Copies the file to its folder; returns the copy."""
    place = repository / "results" / folder_of(run)
    place.mkdir(parents=True, exist_ok=True)
    shutil.copy2(file, place)
    return place / file.name
