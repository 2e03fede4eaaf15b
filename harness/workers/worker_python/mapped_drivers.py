# tocuda, Apache-2.0.
"""Tells which CUDA libraries this process has mapped: ours (below a folder named simulator) or a real driver's."""


def mapped_drivers(maps):
    """Returns (one of ours is mapped, a real driver is mapped)."""
    mapped_ours = real = False
    for line in maps:
        driver = "/libcuda.so" in line
        ours = "/simulator/" in line
        mapped_ours = mapped_ours or (ours and (driver or "/libcudart.so" in line))
        real = real or (driver and not ours)
    return mapped_ours, real


def device_of_this_process(gpu_answered):
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
        mapped_ours, real = mapped_drivers(maps)
    if mapped_ours:
        return "simulated"
    return "real" if real and gpu_answered() else "none"
