#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""Measures PyTorch's own copies, for comparison with ours. Prints one JSON object per line, with every sample.
Argument: seconds for each direction.

The time is that between two CUDA events around one copy_; warm-up copies are not counted. Bytes are counted one way,
as requested from PyTorch."""

import json
import statistics
import sys
import time

SIZE = 1 << 30
WARM, LEAST, MOST = 5, 10, 200


def say(line):
    print(json.dumps(line), flush=True)


def samples_of(torch, source, target, seconds):
    for _ in range(WARM):
        target.copy_(source, non_blocking=True)
    torch.cuda.synchronize()
    taken, until = [], time.monotonic() + seconds
    while len(taken) < LEAST or (len(taken) < MOST and time.monotonic() < until):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        target.copy_(source, non_blocking=True)
        end.record()
        end.synchronize()
        taken.append(begin.elapsed_time(end) / 1e3)
    return taken


def ways(torch, size):
    """Yields (name, source, target) one at a time, so that the memory of one is freed before the next."""
    # Random data, because zeros may be read faster.
    on_gpu = torch.empty(size, dtype=torch.uint8, device="cuda").random_()
    yield "device_to_device", on_gpu, torch.empty_like(on_gpu)
    for name, pinned in (("pinned", True), ("pageable", False)):
        on_host = torch.empty(size, dtype=torch.uint8, pin_memory=pinned)
        on_host.fill_(1)
        yield f"host_to_device_{name}", on_host, on_gpu
        yield f"device_to_host_{name}", on_gpu, on_host


def main():
    try:
        import torch
    except ImportError as why:
        print(f"torch_copy: {why}", file=sys.stderr)
        return 4
    if not torch.cuda.is_available():
        print("torch_copy: this torch sees no GPU", file=sys.stderr)
        return 4
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    say({"torch": torch.__version__, "gpu": torch.cuda.get_device_name(), "driver_cuda": torch.version.cuda})
    for name, source, target in ways(torch, SIZE):
        taken = samples_of(torch, source, target, seconds)
        say({"way": name, "bytes_one_way": SIZE, "median_seconds": statistics.median(taken), "samples": taken})
    return 0


if __name__ == "__main__":
    sys.exit(main())
