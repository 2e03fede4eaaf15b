# tocuda, Apache-2.0.
"""Records what this machine is. Each question runs separately, so that one without an answer does not affect the
others."""

import sys
from pathlib import Path

from campaigning import surroundings
from campaigning.outcome import Limit

QUESTION_LIMIT_S = 20
PACKAGES_HERE = """import importlib.metadata, sys
print(sys.version)
for name in sorted(f'{found.name} {found.version}' for found in importlib.metadata.distributions()):
    print(name)
"""
QUESTIONS = (
    ("nvidia-smi", ["nvidia-smi", "-q"]),
    ("topology", ["nvidia-smi", "topo", "-m"]),
    ("processors", ["lscpu"]),
    ("kernel", ["uname", "-a"]),
    ("memory", ["cat", "/proc/meminfo"]),
    ("room", ["df", "-h"]),
    ("nodes", ["numactl", "--hardware"]),
    ("driver", ["cat", "/proc/driver/nvidia/version"]),
    ("system", ["cat", "/etc/os-release"]),
    ("huge-pages", ["cat", "/sys/kernel/mm/transparent_hugepage/enabled"]),
    ("compiler", ["c++", "--version"]),
    ("cmake", ["cmake", "--version"]),
    ("ninja", ["ninja", "--version"]),
    ("sanitizer", ["compute-sanitizer", "--version"]),
    ("profiler", ["ncu", "--version"]),
    ("python", [sys.executable, "-c", PACKAGES_HERE]),
)
LINK = (
    "vendor device current_link_speed current_link_width max_link_speed max_link_width numa_node local_cpulist".split()
)
NVIDIA = "0x10de"


def text_of(file):
    try:
        return file.read_text().strip()
    except OSError as why:
        return f"({why.strerror})"


def links(devices=Path("/sys/bus/pci/devices")):
    """What the kernel reports about each NVIDIA device and the bridges above it."""
    lines = []
    for device in sorted(devices.glob("*")):
        if text_of(device / "vendor") == NVIDIA:
            bridges = [above for above in device.resolve().parents if (above / "current_link_speed").is_file()]
            for place in (device, *bridges):
                known = [f"{name} {text_of(place / name)}" for name in LINK if (place / name).exists()]
                lines.append(f"{place.name}: {', '.join(known)}")
    return "\n".join(lines) or "no NVIDIA device on the PCI bus"


def ask(campaign, seconds):
    compiler = surroundings.nvcc()
    questions = [*QUESTIONS, ("nvcc", [compiler or "nvcc", "--version"])]
    campaign.log("facts/links.txt").write_text(links() + "\n")
    unanswered = []
    for name, words in questions:
        try:
            if campaign.command(words, f"facts/{name}.txt", min(seconds, QUESTION_LIMIT_S)) != 0:
                unanswered.append(name)
        except (OSError, Limit):
            unanswered.append(name)
    rest = f"; unanswered: {', '.join(unanswered)}" if unanswered else ""
    return f"{len(questions) - len(unanswered)} of {len(questions)} answered{rest}"
