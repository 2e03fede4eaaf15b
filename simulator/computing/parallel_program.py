# tocuda, Apache-2.0.
"""Models that are split among ranks by tensors, layers and experts, compared with one process on the CPU. Started by
processes_test.py."""

import copy
import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.nn.functional import all_to_all_single
from torch.distributed.pipelining import PipelineStage, Schedule1F1B, ScheduleGPipe, ScheduleInterleaved1F1B
from torch.distributed.tensor import DTensor
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

RANK, RANKS = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
HERE = torch.device("cuda", RANK)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.up, self.down = nn.LayerNorm(16), nn.Linear(16, 32), nn.Linear(32, 16)

    def forward(self, x):
        return x + self.down(F.gelu(self.up(self.norm(x))))


def say(name, differences):
    worst = torch.tensor([max(differences)], device=HERE)
    dist.all_reduce(worst, dist.ReduceOp.MAX)
    if RANK == 0:
        print(name, worst.item() < 1e-5, flush=True)


def batch(seed):
    numbers = torch.Generator().manual_seed(seed)
    return torch.randn(8, 4, 16, generator=numbers), torch.randn(8, 4, 16, generator=numbers)


def step(model, optimizer, x, y):
    optimizer.zero_grad()
    loss = F.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
    return loss.item()


def difference(ours, cpus):
    whole = ours.full_tensor() if isinstance(ours, DTensor) else ours
    return (whole.cpu() - cpus).abs().max().item()


def by_tensors():
    torch.manual_seed(0)
    alone = Block()
    model = copy.deepcopy(alone).to(HERE)
    mesh = init_device_mesh("cuda", (RANKS,))
    parallelize_module(model, mesh, {"up": ColwiseParallel(), "down": RowwiseParallel()})
    optimizers = [torch.optim.SGD(each.parameters(), 0.1, foreach=False) for each in (model, alone)]
    differences = []
    for seed in range(4):
        x, y = batch(seed)
        loss = step(model, optimizers[0], x.to(HERE), y.to(HERE))
        differences.append(abs(loss - step(alone, optimizers[1], x, y)))
    differences += [difference(*pair) for pair in zip(model.parameters(), alone.parameters())]
    say("tensors", differences)


def by_layers(schedule_of, layers_each):
    torch.manual_seed(1)
    layers = [Block() for _ in range(RANKS * layers_each)]
    alone = nn.Sequential(*layers)
    theirs = layers[RANK::RANKS]
    mine = [copy.deepcopy(layer).to(HERE) for layer in theirs]
    stages = [PipelineStage(layer, RANK + i * RANKS, len(layers), HERE) for i, layer in enumerate(mine)]
    schedule = schedule_of(stages if layers_each > 1 else stages[0], n_microbatches=4, loss_fn=F.mse_loss)
    optimizer = torch.optim.SGD([each for layer in mine for each in layer.parameters()], 0.1)
    other = torch.optim.SGD(alone.parameters(), 0.1)
    differences = []
    for seed in range(3):
        x, y = batch(seed)
        optimizer.zero_grad()
        losses = []
        last = {"target": y.to(HERE), "losses": losses} if RANK == RANKS - 1 else {}
        schedule.step(*([x.to(HERE)] if RANK == 0 else []), **last)
        optimizer.step()
        loss = step(alone, other, x, y)
        if last:
            differences.append(abs(torch.stack(losses).mean().item() - loss))
    pairs = zip(nn.ModuleList(mine).parameters(), nn.ModuleList(theirs).parameters())
    say(schedule_of.__name__, differences + [difference(*pair) for pair in pairs])


def mixture(router, experts, x):
    best, chosen = router(x).softmax(-1).max(-1)
    out = torch.zeros_like(x)
    for i, expert in enumerate(experts):
        out = out.index_add(0, (chosen == i).nonzero()[:, 0], expert(x[chosen == i]))
    return out * best[:, None]


def by_experts():
    torch.manual_seed(2)
    router, experts = nn.Linear(16, RANKS), [nn.Linear(16, 16) for _ in range(RANKS)]
    my_router, mine = copy.deepcopy(router).to(HERE), copy.deepcopy(experts[RANK]).to(HERE)
    x, y = (each.view(32, 16) for each in batch(5))
    expected = mixture(router, experts, x)
    F.mse_loss(expected, y).backward()
    tokens, goals = x.chunk(RANKS)[RANK].to(HERE), y.chunk(RANKS)[RANK].to(HERE)
    best, chosen = my_router(tokens).softmax(-1).max(-1)
    order = chosen.argsort(stable=True)
    sent = torch.bincount(chosen, minlength=RANKS)
    received = torch.empty_like(sent)
    dist.all_to_all_single(received, sent)
    sent, received = sent.tolist(), received.tolist()
    got = all_to_all_single(torch.empty(sum(received), 16, device=HERE), tokens[order], received, sent)
    back = all_to_all_single(torch.empty(len(tokens), 16, device=HERE), mine(got), sent, received)
    result = torch.zeros_like(tokens).index_copy(0, order, back) * best[:, None]
    (F.mse_loss(result, goals) / RANKS).backward()
    differences = [difference(result, expected.chunk(RANKS)[RANK])]
    for ours, cpus in zip(my_router.parameters(), router.parameters()):
        dist.all_reduce(ours.grad)
        differences.append(difference(ours.grad, cpus.grad))
    differences += [
        difference(ours.grad, cpus.grad) for ours, cpus in zip(mine.parameters(), experts[RANK].parameters())
    ]
    say("experts", differences)


torch.cuda.set_device(HERE)
dist.init_process_group("nccl", device_id=HERE)
by_tensors()
by_layers(ScheduleGPipe, 1)
by_layers(Schedule1F1B, 1)
by_layers(ScheduleInterleaved1F1B, 2)
by_experts()
dist.destroy_process_group()
