# tocuda, Apache-2.0.
"""Which drivers and runtimes this process has mapped: stand-ins of ours, which all lie below a folder called stand_in, or real ones."""


def mapped_drivers(maps):
    """(a stand-in, a real driver)"""
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
