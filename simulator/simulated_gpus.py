# tocuda, Apache-2.0.
"""For tests of workers: lets tocuda write a file for TOCUDA_SIMULATION from a profile."""

import json
import os
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


def environment(libraries, simulation, preload=(), **variables):
    # Without the option a program built with the address sanitizer refuses to start after a preloaded library.
    return {
        **os.environ,
        "LD_PRELOAD": ":".join([*preload, f"{libraries}/libcudart.so.13"]),
        "LD_LIBRARY_PATH": str(libraries),
        "TOCUDA_SIMULATION": str(simulation),
        "ASAN_OPTIONS": "verify_asan_link_order=0",
        **variables,
    }


def measured(worker, libraries, simulation, name, sets, preload=(), **variables):
    """The lines of a worker that measures these sets on the simulated GPUs that the file describes, with these
    variables in its environment."""
    protocol = {"kind": "protocol", "launches_min": 2, "launches_max": 2, "launch_budget_s": 0.001}
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" 3>&1 >/dev/null', "sh", worker, "measure", name],
        input="".join(json.dumps(each) + "\n" for each in [protocol, *sets]),
        capture_output=True,
        text=True,
        env=environment(libraries, simulation, preload, **variables),
        timeout=300,
    )
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    if (done.returncode, len(lines)) != (0, len(sets)):
        raise AssertionError(f"{name}: exit code {done.returncode}, {len(lines)} lines: {done.stderr}")
    return lines
