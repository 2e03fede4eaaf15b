# tocuda, Apache-2.0.
"""The build backend of `pip install --no-build-isolation .` (PEP 517). Sets up and builds for the torch of this Python,
as scripts/tocuda does, and packs the installed tree into a wheel that requires the same minor version of torch. A wheel
that belongs to one version of torch and not to one of Python is what general backends make hard."""

import base64
import hashlib
import json
import os
import re
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = "lib/tocuda"  # the programs, in the tree


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    minor = minor_version_of_torch()
    environment = {**os.environ, "TOCUDA_PYTHON": sys.executable, "TOCUDA_BUILD": f"wheel-torch-{minor}"}
    environment.pop("TOCUDA_TORCH_VERSION", None)
    environment.setdefault("TOCUDA_CUDA_ARCHITECTURES", "all")  # wheels are installed on other machines
    run([ROOT / "scripts/tocuda", "set-up"], environment)
    build = ROOT / "build" / environment["TOCUDA_BUILD"]
    cmake = re.search("^CMAKE_COMMAND:INTERNAL=(.*)", (build / "CMakeCache.txt").read_text(), re.M)[1]
    with tempfile.TemporaryDirectory() as tree:
        run([cmake, "--install", build, "--prefix", tree], os.environ)
        return write_wheel(Path(tree), Path(wheel_directory))


def minor_version_of_torch():
    finder = [sys.executable, ROOT / "scripts/set_up/installed_torch.py"]
    found = subprocess.run(finder, stdout=subprocess.PIPE, text=True)
    folder_or_reason, *more = found.stdout.splitlines() or [""]
    if found.returncode != 0:
        reason = folder_or_reason or "none is installed (pip hides it without --no-build-isolation)"
        sys.exit(f"tocuda: the wheel is built for the torch of {sys.executable}: {reason}")
    return ".".join(more[0].split(".")[:2])


def run(command, environment):
    if subprocess.run(command, env=environment).returncode != 0:
        sys.exit(f"tocuda: {Path(command[0]).name} failed: its messages are above")


def write_wheel(tree, wheel_directory):
    minor = (tree / FOLDER / "libtorch_version").read_text().strip()
    said = subprocess.run([tree / "bin/tocuda", "--version", "--json"], stdout=subprocess.PIPE, check=True).stdout
    version = f"{json.loads(said)['version']}+torch{minor}"
    tag = f"py3-none-{re.sub('[-.]', '_', sysconfig.get_platform())}"
    contents = {f"tocuda/{name}": path for name, path in files_of(tree / FOLDER)}
    contents |= {f"tocuda/{path.name}": path for path in sorted(Path(__file__).with_name("tocuda").glob("*.py"))}
    contents |= {f"tocuda-{version}.data/data/share/{name}": path for name, path in files_of(tree / "share")}
    information = {
        "METADATA": f"Metadata-Version: 2.1\nName: tocuda\nVersion: {version}\nLicense: Apache-2.0\n"
        "Summary: Why a PyTorch tensor does not get to the GPU, and how fast it does\n"
        f"Requires-Python: >=3.10\nRequires-Dist: torch=={minor}.*\n",
        "WHEEL": f"Wheel-Version: 1.0\nGenerator: tocuda\nRoot-Is-Purelib: false\nTag: {tag}\n",
        "entry_points.txt": "[console_scripts]\ntocuda = tocuda:main\n",
    }
    wheel = wheel_directory / f"tocuda-{version}-{tag}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        record = [add(archive, name, path.read_bytes(), path.stat().st_mode) for name, path in contents.items()]
        about = f"tocuda-{version}.dist-info/"
        record += [add(archive, about + name, text.encode()) for name, text in information.items()]
        add(archive, about + "RECORD", "\n".join([*record, f"{about}RECORD,,", ""]).encode())
    return wheel.name


def files_of(folder):
    return [(path.relative_to(folder).as_posix(), path) for path in sorted(folder.rglob("*")) if path.is_file()]


def add(archive, name, content, mode=0o100644):
    """Adds a file, and returns its line of RECORD."""
    entry = zipfile.ZipInfo(name)
    entry.external_attr = mode << 16
    archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}"
