# tocuda, Apache-2.0.
"""Prints what an operator and a training step cost on the CPU and on a simulated GPU, in us of the process's time on
the CPU: the least, a quarter and the median of forty means, taken in turns, because programs that share the processor
slow both down by turns.

    OMP_NUM_THREADS=1 tocuda simulate 1xH200 -- python3 scripts/checking_operators/cost.py"""

import statistics
import time

import torch
from torch import nn


def mean(call, times):
    start = time.process_time_ns()
    for _ in range(times):
        call()
    return (time.process_time_ns() - start) / times / 1000


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


def transformer(width, sequence):
    def training_of(device):
        torch.manual_seed(0)
        block = nn.TransformerEncoderLayer(width, 4, 4 * width, dropout=0.0, batch_first=True, norm_first=True)
        layers = nn.TransformerEncoder(block, 4, enable_nested_tensor=False)
        model = nn.Sequential(nn.Embedding(65, width), layers, nn.Linear(width, 65)).to(device)
        optimizer = torch.optim.AdamW(model.parameters())
        x, y = (torch.randint(0, 65, (16, sequence), device=device) for _ in range(2))

        def step():
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x).flatten(0, 1), y.flatten()).backward()
            optimizer.step()

        return step

    return training_of


for name, make, times in (
    ("b + b", addition, 1000),
    ("training step", training, 30),
    ("small transformer, width 64", transformer(64, 32), 4),
    ("transformer, width 256", transformer(256, 128), 1),
):
    calls = {device: make(device) for device in ("cpu", "cuda")}
    means = {device: [] for device in calls}
    for _ in range(41):
        for device, call in calls.items():
            means[device].append(mean(call, times))
    for device, all_means in means.items():
        quarter, median, _ = statistics.quantiles(all_means[1:])
        print(f"{name}, {device}: {min(all_means[1:]):.1f}, {quarter:.1f}, {median:.1f} us")
