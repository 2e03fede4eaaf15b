# tocuda, Apache-2.0.
"""Tells what this machine lacks, so that a scenario that cannot ask its question here leaves its claims open instead of
being broken. The texts are those of libtorch/shortage.cpp."""

import ctypes
import math
import re

from worker_python.attempt import class_name

LACKED = "harness.lacked"  # the key of what was lacking
UNITS = {"bytes": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
LARGEST_STEP = 20 << 20  # small requests take 20 MiB from the driver
NO_KERNEL = (200, 209, 218, 222)
BY_CODE = {
    2: "the GPU's memory did not suffice to begin (error 2)",
    46: "the GPU accepts no further process (error 46)",
    801: "this GPU or its driver does not support it (error 801)",
}


def _amount_after(message, words):
    """Returns the bytes and the words of the amount after these words in PyTorch's message."""
    found = re.search(re.escape(words) + r"(([0-9.]+) (bytes|KiB|MiB|GiB))", message)
    return (float(found[2]) * UNITS[found[3]], found[1]) if found else None


def lacked_memory(message):
    """A cap that a scenario sets itself is no shortage."""
    tried = _amount_after(message, "Tried to allocate ")
    free = _amount_after(message, " of which ")
    total = _amount_after(message, "has a total capacity of ")
    capped = " allowed; " in message
    if not (tried and free and total):
        return "" if capped else "the GPU's memory did not suffice to begin"
    if capped and free[0] > tried[0] + LARGEST_STEP:
        return ""
    return f"the GPU's memory did not suffice to begin: {free[1]} of {total[1]} was free"


def lacked_by(error):
    """Returns what the GPU lacked if that caused the exception; empty otherwise."""
    if class_name(type(error)) == "torch.OutOfMemoryError":
        return lacked_memory(str(error))
    code = getattr(error, "error_code", 0)
    if code in NO_KERNEL:
        return f"this PyTorch has no kernels for this GPU (error {code})"
    return BY_CODE.get(code, "") if type(code) is int else ""


def require_kernels(torch):
    """For scenarios that catch what operators raise: on a GPU without kernels they end here, open for that reason."""
    torch.ones(2, device="cuda")


def lacking(needs):
    """Returns what the GPU lacks now of what a variant needs."""
    if needs.free_gib <= 0:
        return ""
    free, total = _gpu_memory_gib()
    if free >= needs.free_gib:
        return ""
    return f"the GPU had only {free:.2f} of {total:.2f} GiB free; {needs.free_gib:g} GiB is needed"


def _gpu_memory_gib():
    """Asks the runtime that PyTorch loads, because PyTorch itself must not be initialised before a scenario begins."""
    import torch  # noqa: F401

    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    try:
        asked = ctypes.CDLL(None).cudaMemGetInfo(ctypes.byref(free), ctypes.byref(total))
    except AttributeError:
        asked = -1
    return (free.value / (1 << 30), total.value / (1 << 30)) if asked == 0 else (math.inf, math.inf)
