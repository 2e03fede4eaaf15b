# tocuda, Apache-2.0.
"""Programs for tests, whose memory snapshots `tocuda replay` must reproduce. Both under `tocuda simulate --no-compute`:
corpus.py record FOLDER NAME...
corpus.py run NAME...
corpus.py replay FILE..."""

import json
import os
import random
import signal
import sys
from pathlib import Path

import torch

MIB = 1 << 20


def blocks(seed, count, most=24, streams=(), waits=0.0, keep=None):
    """Allocates and frees blocks of many sizes, in streams by turns; some of them are used in another stream."""
    draw = random.Random(seed)
    alive = keep if keep is not None else []
    for _ in range(count):
        size = draw.choice([draw.randrange(1, 4096), draw.randrange(1, MIB), draw.randrange(MIB, most * MIB)])
        with torch.cuda.stream(draw.choice([torch.cuda.default_stream(), *streams])):
            alive.append(torch.empty(size, dtype=torch.uint8, device="cuda"))
        if len(alive) > 24:
            freed = alive.pop(draw.randrange(len(alive)))
            if draw.random() < waits:
                other = draw.choice(streams)
                with torch.cuda.stream(other):
                    torch.cuda._sleep(draw.randrange(1, 100000))
                freed.record_stream(other)
            del freed
        if draw.random() < waits:
            draw.choice(streams).synchronize()


def plain():
    blocks(1, 400)


def streams():
    blocks(2, 600, streams=[torch.cuda.Stream() for _ in range(4)])


def many_streams():
    blocks(3, 400, most=4, streams=[torch.cuda.ExternalStream(raw_stream()) for _ in range(40)])


def raw_stream():
    import ctypes

    made = ctypes.c_void_p()
    ctypes.CDLL("libcudart.so.13").cudaStreamCreateWithFlags(ctypes.byref(made), 1)
    return made.value


def record_stream():
    blocks(4, 600, streams=[torch.cuda.Stream() for _ in range(3)], waits=0.5)


def empty_cache():
    for seed in range(5):
        blocks(seed, 60)
        torch.cuda.empty_cache()


def retries():
    """More than fits beside what is cached: the allocator releases its cache and tries again."""
    for size in (11, 31, 71, 151, 21, 301):
        kept = [torch.empty(size * MIB, dtype=torch.uint8, device="cuda") for _ in range(550 // (size + 1))]
        blocks(size, 40, most=4)
        del kept


def out_of_memory():
    kept = []
    blocks(5, 100, keep=kept)
    try:
        torch.empty(100 << 30, dtype=torch.uint8, device="cuda")
    except torch.OutOfMemoryError:
        kept.clear()
    blocks(6, 100)


def ends_out_of_memory():
    kept = []
    try:
        while True:
            kept.append(torch.empty(30 * MIB, dtype=torch.uint8, device="cuda"))
    except torch.OutOfMemoryError:
        pass


def pools():
    pool, other = torch.cuda.MemPool(), torch.cuda.MemPool()
    blocks(7, 50)
    kept = []
    for seed in range(3):
        with torch.cuda.use_mem_pool(pool):
            blocks(seed, 40)
        with torch.cuda.use_mem_pool(other):
            kept.append(torch.empty(3 * MIB, dtype=torch.uint8, device="cuda"))
        blocks(seed, 40)
    del pool
    torch.cuda.empty_cache()
    blocks(8, 50)


def graph():
    a = torch.zeros(MIB, device="cuda")
    captured = torch.cuda.CUDAGraph()
    with torch.cuda.graph(captured):
        b = a + 1
        c = torch.cat([a, b])
        del b
        d = c * 2
    for _ in range(3):
        captured.replay()
        blocks(9, 40)
    del d, c, captured
    torch.cuda.empty_cache()
    blocks(10, 40)


def mixed_sizes():
    """With expandable segments, LibTorch never uses a free block above max_split_size_mb again: pytorch#193400."""
    draw, alive = random.Random(15), []
    for _ in range(400):
        alive.append(torch.empty(draw.choice((4, 12, 24, 50, 70)) * MIB, dtype=torch.uint8, device="cuda"))
        if len(alive) > 3:
            del alive[draw.randrange(len(alive))]


def training():
    model = torch.nn.Sequential(*[torch.nn.Linear(512, 512) for _ in range(6)]).cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    for batch in (64, 1024, 256, 2048):
        loss = model(torch.randn(batch, 512, device="cuda")).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def many():
    """100,000 events."""
    blocks(11, 34000)


def start(name, kept):
    if name != "late":
        return
    streams = [torch.cuda.Stream() for _ in range(2)]
    blocks(12, 300, streams=streams, keep=kept)
    del kept[::3]


def late():
    """The recording begins when memory is already in use and cached."""
    blocks(13, 300)


def killed():
    blocks(14, 300)
    os.kill(os.getpid(), signal.SIGKILL)


def record(name, path):
    torch.cuda.init()
    kept = []
    start(name, kept)
    torch.cuda.memory._record_memory_history("all", stacks="python")
    globals()[name]()
    torch.cuda.memory._dump_snapshot(path)


def each_alone(names, run):
    """In a process for each name, because a history is that of a process."""
    failed = 0
    for name in names:
        child = os.fork()
        if child == 0:
            run(name)
            os._exit(0)
        failed |= os.waitpid(child, 0)[1]
    return 1 if failed else 0


def record_all(folder, *names):
    return each_alone(names, lambda name: record(name, f"{folder}/{name}.pickle"))


def run_all(*names):
    return each_alone(names, lambda name: globals()[name]())


def replay_all(*files):
    """As `tocuda replay` does, but loads LibTorch only once."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    from replay.replay_main import Worker

    answers = {}
    with open(os.environ["TOCUDA_SIMULATION"]) as file:
        machine = file.read()
    for each in files:
        worker = Worker({}, machine, each)
        answers[each] = {
            **worker.same(),
            "completed_later": worker.program.frees_later,
            "start_bytes": worker.recording.start.reserved,
            "settings": worker.recording.settings,
        }
    print(json.dumps(answers))
    return 0


if __name__ == "__main__":
    sys.exit({"record": record_all, "run": run_all, "replay": replay_all}[sys.argv[1]](*sys.argv[2:]))
