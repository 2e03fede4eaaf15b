# tocuda, Apache-2.0.
"""Result files for tests. Every figure is invented and the device is `simulated`: nothing here was measured."""

import hashlib
import json
import random

GPU = "GPU-00000000-0000-4000-8000-00000000000a"
POWERS = [4**power for power in range(1, 16)]
PEAK = 63015384615, "made up for a test: 32 GT/s x 16 lanes"


RUN = "0123abcd-0000-4000-8000-000000000000"
FEW = [4096, 2**20, 2**26, 2**30]


def run_line(run=RUN, verb="bench", gpu="Made-up GPU", driver="999.01", device="simulated", **more):
    return {
        "kind": "run",
        "schema": 1,
        "run": run,
        "time": "2026-01-02T03:04:05Z",
        "verb": verb,
        "device": device,
        "session": "made-up",
        "boot": "made-up",
        "suite": {"version": "0.0.0", "dirty": True},
        "machine": {"host": "made-up"},
        "driver": {"kernel_module": driver, "cuda": "13.0", "flavour": "simulated"},
        "cuda": {"runtime": "13.0", "architectures": []},
        "gpus": [{"index": 0, "uuid": GPU, "name": gpu, "pcie": {}}],
        "protocol": {"name": "default", "version": 2, "processes_min": 6},
        "seed": 1,
        "command": ["made", "up"],
        "unavailable": [],
        **more,
    }


def row_id(benchmark, parameters):
    said = f"{benchmark}\n" + "".join(f"{name}={parameters[name]}\n" for name in sorted(parameters)) + "protocol 2\n"
    return hashlib.sha256(said.encode()).hexdigest()[:16]


def row(benchmark, size, samples, process=0, clock="device", touched=2, peak=PEAK, one_way=1, **more):
    parameters = {"bytes": size, **more.pop("parameters", {})}
    made = {
        "kind": "measurement",
        "benchmark": benchmark,
        "parameters": parameters,
        "id": row_id(benchmark, parameters),
        "device": "simulated",
        "gpu": GPU,
        "clock": clock,
        "batch": 1,
        "round": 0,
        "process": process,
        "status": "ok",
        "check": "made up",
        "bytes_one_way": size * one_way,
        "bytes_touched": size * touched,
        "unit": "s",
        "samples": samples,
        "before": {},
        "after": {},
        "flags": [],
        **more,
    }
    if peak:
        made |= {"peak_bytes_per_second": peak[0], "peak_source": peak[1]}
    return made


def times(size, t0, bandwidth, chance, noise=0.01, launches=5):
    return [(t0 + size / bandwidth) * (1 + abs(chance.gauss(0, noise))) for _ in range(launches)]


def rows(benchmark, t0, bandwidth, sizes=None, processes=6, seed=1, noise=0.01, **more):
    chance = random.Random(f"{benchmark} {seed} {sorted(more.get('parameters', {}).items())}")
    return [
        row(benchmark, size, times(size, t0, bandwidth, chance, noise), process, **more)
        for process in range(processes)
        for size in sizes or POWERS
    ]


def section(run, made_rows, status="complete"):
    """The bytes of one section with its checksum. Without a status it has no end line."""
    body = "".join(json.dumps(line) + "\n" for line in [run, *made_rows]).encode()
    if status is None:
        return body
    end = {"kind": "end", "status": status, "rows": len(made_rows), "sha256": hashlib.sha256(body).hexdigest()}
    return body + json.dumps(end).encode() + b"\n"


def links(scale=1.0, **more):
    """Rows of every kind of path, by both clocks."""
    host = {"clock": "host", **more}
    made = []
    for way in ("host_to_device", "device_to_host"):
        for name, t0, rate in (("pinned", 1.4e-6, 56e9), ("write_combined", 1.5e-6, 54e9), ("zero_copy", 2.6e-6, 39e9)):
            made += rows(f"copy/{way}/{name}", t0, rate * scale, POWERS if name == "pinned" else FEW, **more)
        for pages, rate in (("fresh", 3e9), ("touched", 12e9)):
            made += rows(f"copy/{way}/pageable", 9e-6, rate * scale, parameters={"pages": pages}, **host)
        made += rows(f"copy/{way}/staged", 30e-6, 50e9 * scale, **host)
    return made


def pairs(count, narrow=(0, 1), wrong=None):
    """All pairs of GPUs: one link is narrow, and the copy of another arrives wrong."""
    made = []
    for sender in range(count):
        for receiver in range(count):
            if sender != receiver:
                pair = {"from": sender, "to": receiver}
                rate = (5e10 if (sender, receiver) == narrow else 2e11) + sender * 1e9
                more = {"status": "wrong"} if (sender, receiver) == wrong else {}
                for by, access in (("engine", "on"), ("push", "on"), ("engine", "off")):
                    given = {**pair, "by": by, "ways": "one", "access": access}
                    through = rate if access == "on" else rate / 9
                    made += rows("pairs/copy", 0, through, [2**26], parameters=given, peak=None, **more)
                made += rows(
                    "pairs/latency",
                    9e-7,
                    1e18,
                    [2**26],
                    parameters={**pair, "by": "load"},
                    peak=None,
                    one_way=0,
                    touched=0,
                )
    return made


def memory():
    more = {"peak": (4.8e12, "made up for a test: data sheet"), "sizes": FEW}
    made = []
    for number, way in enumerate(("scalar", "vector", "unrolled", "engine")):
        made += rows(f"copy/device_to_device/{way}", 2.2e-6, (1.1 + 0.2 * number) * 1e12, **more)
    for name, touched in (("read", 1), ("write", 1), ("scale", 2), ("triad", 3), ("dot", 2)):
        made += rows(f"memory/{name}", 2.1e-6, 4.4e12 / touched, touched=touched, **more)
    return made


def waiting():
    """The latency of one load, by working set; nothing is moved."""
    more = {"peak": None, "one_way": 0, "touched": 0}
    levels = (4096, 20e-9), (65536, 20e-9), (1 << 20, 150e-9), (16 << 20, 150e-9), (1 << 30, 400e-9)
    made = [row for size, one in levels for row in rows("latency/device", one, 1e21, [size], **more)]
    return made + rows("latency/host", 1.2e-6, 1e21, [16 << 20], **more)


def minute(seconds=60, slower=0.93):
    """Copies for a minute: after half of it slower, at a lower clock."""
    made = []
    for name, rate, more in (("host_to_device", 55e9, {}), ("device_to_device", 1.9e12, {"by": "kernel"})):
        speeds = [rate if 2 * second < seconds else rate * slower for second in range(seconds)]
        course = [
            {
                "sm_clock_mhz": 1980 if 2 * second < seconds else 1755,
                "power_w": 450.5,
                "temperature_c": 40 + second // 2,
            }
            for second in range(seconds)
        ]
        given = {"seconds": seconds, **more}
        times = [2**30 / speed for speed in speeds]
        made.append(row(f"sustained/{name}", 2**30, times, parameters=given, peak=None, course=course))
    return made


def levels():
    """Bandwidth by working set, of the whole GPU and of one multiprocessor, and cold."""
    made = []
    for way, touched in (("read", 1), ("write", 1), ("copy", 2)):
        for size, rate in ((16 << 10, 2e13), (1 << 20, 8e12), (1 << 28, 4e12)):
            for on, share, state in (("gpu", 1, "resident"), ("one", 132, "resident"), ("gpu", 9, "cold")):
                given = {"on": on, "state": state}
                made += rows(f"curve/{way}", 0, rate / share, [size], touched=touched, peak=None, parameters=given)
    made += rows("curve/strided", 0, 3e13, [64 << 20], touched=1, peak=None, parameters={"stride": 2, "width": 8})
    return made + rows("curve/shared", 0, 3e13, [32 << 10], touched=1, peak=None, parameters={"on": "gpu"})


def conversion():
    """Ways to convert on the way to the GPU."""
    more = {"clock": "host", "sizes": FEW, "parameters": {"from": "float", "to": "bfloat16"}, "peak_counted": "one_way"}
    ways = ("cast_then_move", 17e9), ("move_then_cast", 50e9), ("fused", 60e9)
    return [row for way, rate in ways for row in rows(f"convert/host_to_device/{way}", 5e-6, rate, **more)]


def framework():
    """The same copies through LibTorch and through the runtime."""
    made = []
    more = {"clock": "host", "peak_counted": "one_way"}
    for name, t0, extra in (("to", 5e-6, 6e-6), ("copy_to_host", 5e-6, 4e-6)):
        for through, start in (("runtime", t0), ("libtorch", t0 + extra)):
            made += rows(f"framework/{name}", start, 50e9, parameters={"through": through}, **more)
    return made


def without_size(made):
    for one in made:
        one["parameters"].pop("bytes")
        one["id"] = row_id(one["benchmark"], one["parameters"])
    return made


def start():
    """Benchmarks that count no bytes."""
    made = []
    more = {"clock": "host", "peak": None}
    for name, seconds in (("context", 0.21), ("first_copy", 0.0009)):
        made += rows(f"start/{name}", seconds, 1e18, [0], **more)
    made = without_size(made)
    for name, t0 in (("malloc", 8e-6), ("pool", 1e-6), ("cached", 4e-7)):
        made += rows(f"allocate/{name}", t0, 1e14, FEW, one_way=0, touched=0, **more)
    return made


def starts(count, rows_of, **more):
    """A file for each of several starts. `rows_of` makes the rows of one, `more` its run line."""
    for number in range(count):
        line = {name: value(number) for name, value in more.items()}
        run = f"{number:08x}-0000-4000-8000-{len(more):012x}"
        when = {"session": f"s{number}", "boot": f"b{number}", "time": f"2026-01-{number + 1:02}T03:04:05Z"}
        yield section(run_line(run, **when, **line), rows_of(number))


def drivers(count=22):
    """Runs with two drivers, half each; the later one is slower by 6 %."""

    def rows_of(number):
        factor = (1 if number < count // 2 else 0.94) * (1 + number % 4 / 1000)
        return [
            row
            for way in ("host_to_device", "device_to_host")
            for row in rows(f"copy/{way}/pinned", 1.4e-6 / factor, 55e9 * factor, FEW, seed=number)
        ]

    return starts(count, rows_of, driver=lambda number: "570.86.15" if number < count // 2 else "580.95.05")


def fleet(slow, count=12):
    """Runs on GPUs of one kind. The memory of one is slower by 7 %."""

    def uuid(number):
        return f"GPU-{number:08x}-0000-4000-8000-00000000000a"

    def rows_of(number):
        rate = 4.4e12 / (1.07 if number == slow else 1)
        return [row | {"gpu": uuid(number)} for row in rows("memory/read", 2e-6, rate, FEW[2:], seed=number, touched=1)]

    gpus = {"index": 0, "name": "Made-up GPU", "pcie": {}, "power_limit_w": 700.0}
    return starts(
        count,
        rows_of,
        machine=lambda number: {"host": f"node{number:02}"},
        gpus=lambda number: [gpus | {"uuid": uuid(number)}],
    )


def claim(name, verdict, expected):
    return {"id": name, "verdict": verdict, "expected": expected, "because": "made up"}


def scenario(name, variant, device, claims):
    """A scenario that no worker knows, so that its verdicts are kept as they are."""
    return {
        "kind": "scenario",
        "name": name,
        "variant": variant,
        "device": device,
        "stand_in": ["runtime made up"] if device == "simulated" else [],
        "outcome": {"ended": "exit", "code": 0, "seconds": 0.1},
        "evidence": [],
        "stderr_tail": "",
        "claims": claims,
    }


def verdict_rows(change=()):
    """Scenario rows. `change` holds (claim, verdict) pairs that differ from what is expected."""
    made = []
    words = ("reproduced", "refuted", "partial", "inconclusive", "skipped")
    for number in range(12):
        for variant in ("default", "with_gpu", "expandable_segments")[: 1 + number % 3]:
            claims = []
            for at in range(1 + number % 4):
                name = f"00{number % 5}-{1 + (number * 3 + at) % 14:02}"
                expected = words[(number + at) % 3]
                verdict = dict(change).get(name, words[(number + at) % 5] if at == 3 else expected)
                claims.append(claim(name, verdict, expected))
            family, device = (("capacity", "simulated"), ("selection", "none"))[number % 2]
            made.append(scenario(f"{family}/made_up_{number}", variant, device, claims))
    return made
