# tocuda, Apache-2.0.
"""For tests of workers: lets tocuda write a file for TOCUDA_SIMULATION from a profile."""

import json
import subprocess


def profile(name="Simulated GPU", compute_capability="9.0", **figures):
    return {"name": name, "compute_capability": compute_capability, "figures": {"multiprocessors": 4, **figures}}


def write_simulation(tocuda, path, gpu, count=1, faults=()):
    described = f"{path}.json"
    with open(described, "w") as file:
        json.dump(gpu, file)
    words = [word for fault in faults for word in ("--fault", fault)]
    with open(path, "w") as file:
        subprocess.run([tocuda, "__simulation", f"{count}x{described}", *words], stdout=file, check=True)
