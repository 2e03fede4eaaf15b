# tocuda, Apache-2.0.
"""Prints what an operator and a training step cost on a simulated GPU and on the CPU, in us of the process's time on
the CPU, which other processes hardly change: the median of ten means.

    tocuda simulate 1xH200 -- python3 scripts/checking_operators/cost.py"""

import statistics
import time

import torch
from torch import nn


def cost(call, times):
    means = []
    for _ in range(11):
        start = time.process_time_ns()
        for _ in range(times):
            call()
        means.append((time.process_time_ns() - start) / times)
    return statistics.median(means[1:]) / 1000


def addition(device):
    b = torch.rand(64, device=device)
    return lambda: b + b


def training(device):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(64, 256), nn.GELU(), nn.LayerNorm(256), nn.Linear(256, 10)).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), foreach=True)
    x, y = torch.randn(128, 64, device=device), torch.zeros(128, dtype=torch.long, device=device)

    def step():
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()

    return step


for name, make, times in (("b + b", addition, 1000), ("training step", training, 30)):
    print(name, *(f"{device} {cost(make(device), times):.1f} us" for device in ("cpu", "cuda")))
