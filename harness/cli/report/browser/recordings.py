# tocuda, Apache-2.0.
"""Result files for the tests of pages: recorded evidence of every scenario, and made-up measurements."""

import hashlib
import json

UUID = "{:08x}-2222-4333-8444-555555555555"


def run_line(number, verb, **changes):
    gpus = changes.pop("gpus", 1)
    line = {
        "kind": "run",
        "schema": 1,
        "run": UUID.format(number),
        "time": f"2026-11-{number % 28 + 1:02d}T10:00:00Z",
        "verb": verb,
        "device": "simulated",
        "session": UUID.format(0xA0000000 + number),
        "boot": UUID.format(0xB0000000 + number),
        "suite": {"version": "0.1.0", "commit": "c" * 40, "dirty": False},
        "machine": {"host": "node17", "os": "Debian GNU/Linux 12 (bookworm)", "cpu": "a CPU", "numa_nodes": 2},
        "driver": {"kernel_module": "580.95.05", "cuda": "13.0", "flavour": "simulated"},
        "cuda": {"architectures": []},
        "libtorch": {"version": "2.15.0"},
        "gpus": [
            {"index": index, "uuid": gpu_id(index), "name": "NVIDIA H200", "memory_bytes": 150109945856,
             "power_limit_w": 700, "pcie": {"generation_max": 5, "width_max": 16}}
            for index in range(gpus)
        ],
        "seed": 1,
        "command": ["tocuda", verb],
        "unavailable": [],
    }  # fmt: skip
    if verb == "bench":
        line["protocol"] = {"name": "default", "version": 2, "launches_max": 50, "launch_budget_s": 0.05,
                            "processes_min": 6}  # fmt: skip
    return line | changes


def gpu_id(index):
    return "GPU-" + UUID.format(0xC0000000 + index)


def write(path, *sections):
    """Each section is a run line and its rows."""
    text = ""
    for lines in sections:
        part = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
        end = {"kind": "end", "status": "complete", "rows": len(lines) - 1,
               "sha256": hashlib.sha256(part.encode()).hexdigest()}  # fmt: skip
        text += part + json.dumps(end, separators=(",", ":")) + "\n"
    path.write_text(text)
    return path


def scenarios(root):
    """A row of each variant of each scenario, as `run` recorded it."""
    rows = [json.loads(line) for file in sorted(root.glob("scenarios/*/*.evidence.jsonl"))
            for line in file.read_text().splitlines()]  # fmt: skip
    return [row for row in rows if "changed" not in row]


def measurement(benchmark, parameters, seconds, process, gpu=0, **changes):
    size = parameters.get("bytes", 0)
    text = benchmark + "\n" + "".join(f"{key}={parameters[key]}\n" for key in sorted(parameters)) + "protocol 2\n"
    row = {
        "kind": "measurement",
        "benchmark": benchmark,
        "parameters": parameters,
        "id": hashlib.sha256(text.encode()).hexdigest()[:16],
        "device": "simulated",
        "stand_in": ["runtime 1xH200"],
        "gpu": gpu_id(gpu),
        "clock": "host" if "pageable" in benchmark or benchmark.startswith("framework") else "device",
        "batch": 10,
        "round": process + 1,
        "process": process,
        "status": "ok",
        "check": "every byte",
        "bytes_one_way": size,
        "bytes_touched": 2 * size,
        "unit": "s",
        "samples": [seconds] * 3,
        "flags": [],
    }
    if benchmark.startswith(("copy/host_to_device", "copy/device_to_host")):
        row |= {"peak_bytes_per_second": 63015385600, "peak_source": "PCIe 5.0 x16, from NVML"}
    return row | changes


FAILURES = ("wrong", "failed", "timeout", "crashed", "invalid")


def measured(row, number):
    """Six processes of a row that was planned, or, of every fiftieth, one that failed."""
    size = row["parameters"].get("bytes", 0)
    touched = 0 if row["benchmark"].startswith("allocate/") else 2 * size
    row = row | {"check": "every byte", "batch": 10, "bytes_one_way": size, "bytes_touched": touched}
    if row["benchmark"].startswith(("memory/", "copy/device_to_device/", "tune/copy", "tune/triad")):
        row |= {"peak_bytes_per_second": 4.9e12, "peak_source": "2 x 3201 MHz x 6144 bits, reported by the driver",
                "peak_counted": "touched"}  # fmt: skip
    if number % 50 == 49:
        return [row | {"status": FAILURES[number // 50 % len(FAILURES)], "check": "word 7 is 0, not 7"}]
    seconds = 2e-6 + size / (50e9 + number % 7 * 3e9)
    return [
        row
        | {"status": "ok", "round": process + 1, "process": process}
        | {"samples": [seconds * (1 + process * 7 % 5 * 0.01)] * 3, "flags": ["partly_in_l2"][: number % 2]}
        for process in range(6)
    ]


SPEEDS = {  # start-up in seconds, bytes per second
    "copy/host_to_device/pinned": (2e-6, 62.9e9),
    "copy/host_to_device/pageable": (4e-6, 8e9),
    "copy/host_to_device/zero_copy": (3e-6, 60e9),
    "copy/device_to_host/pinned": (2.5e-6, 61e9),
    "copy/device_to_host/pageable": (4e-6, 7e9),
    "copy/device_to_device/engine": (2e-6, 2200e9),
    "memory/read": (2e-6, 1800e9),
}
SIZES = (4096, 65536, 1 << 20, 16 << 20, 256 << 20)


def measurements(gpu=0, slower=1.0, jitter=0.001):
    """Six processes of each mechanism at each size, and LibTorch against the runtime."""
    rows = []
    for process in range(6):
        noise = 1 + jitter * ((process * 7 + gpu * 3) % 5)
        for benchmark, (start, rate) in SPEEDS.items():
            for size in SIZES:
                seconds = (start + size / rate * (slower if "host_to_device" in benchmark else 1)) * noise
                rows.append(measurement(benchmark, {"bytes": size}, seconds, process, gpu))
        for size in (4096, 256 << 20):
            for through, more in (("runtime", 0), ("libtorch", 3e-6)):
                seconds = (4e-6 + size / 60e9 + more) * noise
                rows.append(measurement("framework/to", {"bytes": size, "through": through}, seconds, process, gpu))
    return rows
