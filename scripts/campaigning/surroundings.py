# tocuda, Apache-2.0.
"""What the build needs to know of this machine, and the build itself."""

import ctypes
import json
import os
import re
import shutil
import sys
from pathlib import Path

from campaigning.child import last_line, output_of
from campaigning.outcome import Absent, Cut, Failed, Limit, STOPPED

ASSUMED_CAPABILITY = 90  # if no GPU says its own
SUPPORTED = ((13, 0), (13, 2))  # releases of the CUDA compiler, as in scripts/set_up/cuda.bash
BYTES_A_JOB = 1500 << 20  # LibTorch's headers take over a gigabyte to compile
# Core-seconds for one architecture, rather too many (everything takes 21 minutes for seven), and what one core does
# alone.
PROGRAMS_CORE_S, TESTS_CORE_S, ALONE_S = 700, 1800, 40
DRIVERS = ("libcuda.so.1", "/usr/local/nvidia/lib64/libcuda.so.1")
ASK_DRIVER = "from campaigning import surroundings; surroundings.print_capabilities()"


def print_capabilities():
    """Prints one number for each GPU, 9.0 as 90. Run in a process of its own: a driver stays loaded."""
    for name in DRIVERS:
        try:
            cuda = ctypes.CDLL(name)
        except OSError:
            continue
        count, device = ctypes.c_int(), ctypes.c_int()
        if cuda.cuInit(0) != 0 or cuda.cuDeviceGetCount(ctypes.byref(count)) != 0:
            continue
        for number in range(count.value):
            numbers = []
            cuda.cuDeviceGet(ctypes.byref(device), number)
            for attribute in (75, 76):  # CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR and MINOR
                answer = ctypes.c_int()
                cuda.cuDeviceGetAttribute(ctypes.byref(answer), attribute, device)
                numbers.append(answer.value)
            print(10 * numbers[0] + numbers[1])
        return


def capabilities():
    """The compute capability of each GPU, as the driver says."""
    scripts = Path(__file__).resolve().parents[1]
    return [int(word) for word in output_of(sys.executable, "-B", "-c", ASK_DRIVER, cwd=scripts).stdout.split()]


def nvcc(prefix):
    """The CUDA compiler that set-up chooses: the first of a supported release, otherwise of a later one. An older one
    serves peers, but not the build; None if there is none."""
    homes = [f"{os.environ.get(name, '')}/bin/nvcc" for name in ("CUDA_HOME", "CUDA_PATH")]
    others = [shutil.which("nvcc"), "/usr/local/cuda/bin/nvcc", prefix / "cuda/bin/nvcc"]
    candidates = [os.environ.get("CUDACXX"), *homes, *others]
    found = [Path(one) for one in candidates if one and os.access(one, os.X_OK)]
    return min(found, key=unsuitable, default=None)


def unsuitable(compiler):
    said = re.search(r"release (\d+)\.(\d+),", output_of(compiler, "--version").stdout)
    release = (int(said[1]), int(said[2])) if said else (0, 0)
    return 0 if SUPPORTED[0] <= release <= SUPPORTED[1] else 1 if release > SUPPORTED[1] else 2


def architectures(of_gpus, known):
    """What to compile for. A GPU newer than the compiler gets the newest that it knows, whose PTX the driver compiles
    for it: the build adds that of the last one. One older than all of them gets no kernels."""
    wanted = [gpu for gpu in set(of_gpus) if not known or gpu >= min(known)] or [ASSUMED_CAPABILITY]
    nearest = [max((one for one in known if one <= gpu), default=gpu) for gpu in wanted]
    return " ".join(str(one) for one in sorted(set(nearest)))


def known_architectures(compiler):
    said = output_of(compiler, "--list-gpu-arch").stdout if compiler else ""
    return [int(number) for number in re.findall(r"compute_(\d+)", said)]


def memory_bytes():
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def jobs():
    """The user's number; otherwise one a core, as far as the memory allows. A sandbox such as gVisor's, whose kernel
    does not say who compiled it, gets memory as it uses it: what it reports is no limit."""
    cores = len(os.sched_getaffinity(0))
    grows = "(" not in Path("/proc/version").read_text()
    return os.environ.get("TOCUDA_JOBS") or str(cores if grows else max(1, min(cores, memory_bytes() // BYTES_A_JOB)))


def prefix_of(campaign):
    return Path(os.environ.get("TOCUDA_PREFIX") or campaign.repository / ".tocuda")


def has_torch(campaign, python):
    """Whether set-up finds a supported torch, in this Python or its prefix, and need not download one."""
    if output_of(python, campaign.repository / "scripts/set_up/installed_torch.py", "").returncode == 0:
        return True
    [version] = re.findall(r"^torch==(\S+)", (campaign.repository / "requirements.txt").read_text(), re.MULTILINE)
    return (prefix_of(campaign) / f"torch-{version}/.done").is_file()


def variables(campaign):
    """The environment of set-up: nothing is downloaded, and code is built only for this machine's GPUs. A rehearsal
    takes the build that is there."""
    if campaign.asked.simulate:
        return dict(os.environ)
    python = os.environ.get("TOCUDA_PYTHON") or sys.executable
    given = {
        "TOCUDA_PACKAGES": str(campaign.folder / "packages"),
        "TOCUDA_COMMIT": str(campaign.folder / "commit"),
        "TOCUDA_CUDA_ARCHITECTURES": architectures(capabilities(), known_architectures(nvcc(prefix_of(campaign)))),
        "TOCUDA_PYTHON": python,
        "TOCUDA_JOBS": jobs(),
    }
    if not os.environ.get("TOCUDA_TORCH_VERSION") and not has_torch(campaign, python):
        given["TOCUDA_TORCH_VERSION"] = "none"
    return {**os.environ, **given}


def mark(campaign):
    """The file that says what was built for this campaign, and where."""
    return campaign.recorded.parent / "built.json"


def program(campaign):
    """The built program. Its folder depends on the LibTorch, as in scripts/set_up/folders.bash."""
    try:
        return Path(json.loads(mark(campaign).read_text())["program"])
    except (OSError, ValueError, KeyError):
        return campaign.repository / "build/default/tocuda"


def why_left_out(campaign):
    """Which workers the build left out, and why."""
    files = sorted(program(campaign).parent.glob("tocuda-*.left_out"))
    return "; ".join(f"{file.stem}: {file.read_text().strip()}" for file in files)


def is_built(campaign):
    """Whether the program still exists: the build folder may have been emptied between two commands."""
    return mark(campaign).is_file() and program(campaign).is_file()


def seconds_to_build(campaign):
    return 1 if campaign.asked.simulate else PROGRAMS_CORE_S / campaign.cores() + ALONE_S


def build(campaign, seconds):
    given = variables(campaign)
    log = campaign.log("build.log")
    try:
        code = campaign.command([campaign.repository / "scripts/tocuda", "--version"], log.name, seconds, env=given)
    except Limit:
        code = STOPPED
    if code == STOPPED:
        raise Cut("set-up and build continue with the next command")
    if code != 0:
        raise Failed(f"exit code {code}: {last_line(log)} ({log})")
    version = given.get("TOCUDA_TORCH_VERSION", "")
    folder = given.get("TOCUDA_BUILD") or "default" + (f"-{version}" if version else "")
    built = campaign.repository / "build" / folder / "tocuda"
    mark(campaign).write_text(json.dumps({"program": str(built)}) + "\n")
    said = f"for compute capability {given.get('TOCUDA_CUDA_ARCHITECTURES', 'of the last build')}"
    return said + (", without LibTorch: this Python has no supported one" if version == "none" else "")


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
