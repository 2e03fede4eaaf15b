# tocuda, Apache-2.0.
"""Builds and runs peers: other programs that measure the same machine. They run before and after our own session, and
their output is kept unchanged."""

import ctypes.util
import glob
import json
import re
import sys
from pathlib import Path

from campaigning import surroundings
from campaigning.child import last_line, output_of
from campaigning.outcome import Absent, Failed

OURS = "torch_copy"  # PyTorch's copies, by a script of this folder
LIBRARY_FOLDERS = ("/usr/local/nvidia/lib64", "/usr/lib/x86_64-linux-gnu", "/usr/lib64")


def recipe(campaign, name):
    return json.loads((campaign.folder / "peers" / name / "recipe.json").read_text())


def built_folder(campaign, name):
    return campaign.repository / "build/peers" / name


def is_built(campaign, name):
    mark = built_folder(campaign, name) / ".campaign"
    return campaign.state.outcome(f"build-{name}") not in ("done", None) or (
        mark.is_file() and mark.read_text() == campaign.prepared["id"]
    )


def management_library():
    """The path of the driver's NVML: machines without a toolkit lack the file name that the linker looks for."""
    found = re.findall(r"libnvidia-ml\.so\.1 .*=> (\S+)", output_of("ldconfig", "-p").stdout)
    usual = [Path(folder) / "libnvidia-ml.so.1" for folder in LIBRARY_FOLDERS]
    return next(iter([*found, *(str(file) for file in usual if file.exists())]), None)


def linking(compiler):
    """Linker options for the driver's libraries, or for the toolkit's stubs."""
    toolkit, patterns = compiler.resolve().parents[1], ("lib64/stubs", "lib/stubs", "targets/*/lib/stubs")
    stubs = [f"-L{folder}" for pattern in patterns for folder in toolkit.glob(pattern)]
    cuda = ctypes.util.find_library("cuda")
    driver = management_library()
    if not stubs and not cuda:
        raise Failed("cannot link: neither a driver nor the toolkit's stubs/libcuda.so found")
    return [*stubs, f"-L{Path(driver).parent}"] if driver else stubs, [driver or "-lnvidia-ml"]


def words_of(campaign, name, template):
    """The words of a recipe with placeholders filled in and file patterns expanded."""
    compiler = surroundings.nvcc()
    if not compiler:
        raise Failed("no CUDA compiler found")
    place = campaign.folder / "peers" / name
    stubs, nvml = linking(compiler)
    values = {
        "source": place / "source",
        "needs": place / "needs",
        "built": built_folder(campaign, name),
        "nvcc": compiler,
        "capability": surroundings.capability().split()[-1],
        "commit": recipe(campaign, name).get("commit", "unknown"),
        "python": sys.executable,
    }
    words = []
    for word in template:
        filled = stubs if word == "{stubs}" else nvml if word == "{nvml}" else [word.format(**values)]
        words += [found for one in filled for found in (sorted(glob.glob(one)) if "*" in one else [one])]
    return words


def build(campaign, seconds, name):
    folder = built_folder(campaign, name)
    folder.mkdir(parents=True, exist_ok=True)
    for template in recipe(campaign, name)["build"]:
        campaign.must(words_of(campaign, name, template), f"build-{name}.txt", seconds, cwd=folder)
    (folder / ".campaign").write_text(campaign.prepared["id"])


def run(campaign, seconds, name, when):
    """Runs a peer and keeps its output unchanged in a file."""
    if campaign.asked.simulate:
        raise Absent("a rehearsal has no GPU for other programs")
    if name == OURS:
        words = [sys.executable, "-B", Path(__file__).with_name("torch_copy.py"), "0.5"]
    elif campaign.state.outcome(f"build-{name}") != "done":
        raise Absent("it was not built")
    else:
        words = words_of(campaign, name, recipe(campaign, name)["run"])
    file = campaign.recorded / "peers" / f"{name}-{when}.txt"
    file.parent.mkdir(parents=True, exist_ok=True)
    log = campaign.log(f"{name}-{when}.err.txt")
    with file.open("wb") as out, log.open("wb") as errors:
        code = campaign.children.run(words, out, seconds, stderr=errors)
    if code != 0:
        raise Failed(f"exit code {code}: {last_line(file, '') or last_line(log, '')}")
