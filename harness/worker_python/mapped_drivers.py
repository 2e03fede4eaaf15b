# tocuda, Apache-2.0.
"""Tells which CUDA libraries this process has mapped: ours (below a folder named stand_in) or a real driver's."""


def mapped_drivers(maps):
    """Returns (one of ours is mapped, a real driver is mapped)."""
    stand_in = real = False
    for line in maps:
        driver = "/libcuda.so" in line
        ours = "/stand_in/" in line
        stand_in = stand_in or (ours and (driver or "/libcudart.so" in line))
        real = real or (driver and not ours)
    return stand_in, real


def device_of_this_process(gpu_answered):
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
        stand_in, real = mapped_drivers(maps)
    if stand_in:
        return "simulated"
    return "real" if real and gpu_answered() else "none"
