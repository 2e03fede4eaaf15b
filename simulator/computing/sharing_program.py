# tocuda, Apache-2.0.
"""Processes that share tensors of GPUs by torch.multiprocessing. Started by processes_test.py."""

import os

import torch
import torch.multiprocessing as mp
from torch.utils.data import DataLoader, Dataset


class OnGpu(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, i):
        return torch.full((3,), float(i), device="cuda")


def consumer(given, back, over, model, event):
    x = given.get()
    x += 1
    made = torch.full((1000,), 7.0, device="cuda:1")
    back.put((x.sum().item(), made))
    waited = torch.cuda.Event.from_ipc_handle(torch.device("cuda:0"), event)
    torch.cuda.current_stream().wait_event(waited)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    model(torch.ones(2, 4, device="cuda")).sum().backward()
    optimizer.step()
    torch.cuda.synchronize()
    over.wait()
    back.put(made[:2].tolist())


def producer_that_ends(given, over):
    given.put(torch.ones(4, device="cuda"))
    over.wait()
    os._exit(0)


def share_both_ways(context):
    given, back, over = context.Queue(), context.Queue(), context.Event()
    model = torch.nn.Linear(4, 1).cuda().share_memory()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.zero_()
    event = torch.cuda.Event(interprocess=True)
    event.record()
    other = context.Process(target=consumer, args=(given, back, over, model, event.ipc_handle()))
    other.start()
    x = torch.arange(10.0, device="cuda")
    given.put(x)
    seen, made = back.get()
    print("queues", seen, x.tolist()[-1], made.sum().item(), made.device)
    made.mul_(2)
    torch.cuda.synchronize()
    over.set()
    print("written", back.get())
    del made
    other.join()
    print("trained", model.weight.tolist(), other.exitcode)


def main():
    context = mp.get_context("spawn")
    share_both_ways(context)
    loader = DataLoader(OnGpu(), batch_size=4, num_workers=1, multiprocessing_context="spawn")
    print("loader", sum(batch.sum().item() for batch in loader))
    given, over = context.Queue(), context.Event()
    dying = context.Process(target=producer_that_ends, args=(given, over))
    dying.start()
    while given.empty():
        pass
    over.set()
    dying.join()
    try:
        given.get()
    except RuntimeError as error:
        print("ended", str(error).splitlines()[0])
