# tocuda, Apache-2.0.
"""Programs for tests of `tocuda fit`: models.py NAME [SIZE]. Each ends with 0; what fits is decided by their memory."""

import sys

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

WIDTH, HEADS, LENGTH, WORDS = 256, 4, 128, 1024


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norms = nn.ModuleList([nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)])
        self.heads = nn.Linear(WIDTH, 3 * WIDTH)
        self.out = nn.Linear(WIDTH, WIDTH)
        self.wide = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))

    def attend(self, x, cache=None):
        split = [
            each.unflatten(-1, (HEADS, -1)).transpose(1, 2) for each in self.heads(self.norms[0](x)).chunk(3, dim=-1)
        ]
        query, *stored = split
        if cache is not None:
            stored = [torch.cat([old, new], dim=2) for old, new in zip(cache, stored, strict=True)] if cache else stored
            cache[:] = stored
        mixed = nn.functional.scaled_dot_product_attention(query, *stored, is_causal=cache is None)
        return self.out(mixed.transpose(1, 2).flatten(2))

    def forward(self, x, cache=None):
        x = x + self.attend(x, cache)
        return x + self.wide(self.norms[1](x))


class Gpt(nn.Module):
    def __init__(self, layers=4, saves_memory=False):
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH)
        self.blocks = nn.ModuleList([Block() for _ in range(layers)])
        self.head = nn.Linear(WIDTH, WORDS)
        self.saves_memory = saves_memory

    def forward(self, tokens, caches=None):
        x = self.words(tokens)
        for i, block in enumerate(self.blocks):
            if self.saves_memory:
                x = checkpoint(block, x, use_reentrant=False)
            else:
                x = block(x, caches[i] if caches is not None else None)
        return self.head(x)


def tokens(batch, length=LENGTH):
    return torch.randint(WORDS, (batch, length), device="cuda")


def train(model, forward, steps=2, **options):
    trained = [each for each in model.parameters() if each.requires_grad]
    optimizer = torch.optim.AdamW(trained, **options)
    for _ in range(steps):
        optimizer.zero_grad()
        forward().backward()
        optimizer.step()


def loss_of(model, batch):
    words = tokens(batch)
    return nn.functional.cross_entropy(model(words).flatten(0, 1), words.flatten())


def gpt(batch=8):
    model = Gpt().cuda()

    def forward():
        with torch.autocast("cuda", torch.bfloat16):
            return loss_of(model, batch)

    train(model, forward)


def lora(batch=8):
    model = Gpt().cuda().requires_grad_(False)
    for block in model.blocks:
        low = nn.Sequential(nn.Linear(WIDTH, 4, bias=False), nn.Linear(4, WIDTH, bias=False)).cuda()
        block.low = low
        block.out.register_forward_hook(lambda _, given, result, low=low: result + low(given[0]))
    train(model, lambda: loss_of(model, batch))


def checkpointing(batch=8):
    model = Gpt(saves_memory=True).cuda()
    train(model, lambda: loss_of(model, batch))


def lstm(batch=16):
    model = nn.LSTM(64, 128, num_layers=2).cuda()
    train(model, lambda: model(torch.randn(32, batch, 64, device="cuda"))[0].square().mean())


def vit(batch=8):
    patches = nn.Conv2d(3, WIDTH, 16, 16)
    model = nn.ModuleList([patches, *[Block() for _ in range(3)]]).cuda()

    def forward():
        x = patches(torch.randn(batch, 3, 128, 128, device="cuda")).flatten(2).transpose(1, 2)
        for block in model[1:]:
            x = block(x)
        return x.square().mean()

    train(model, forward)


def generation(batch=4):
    model = Gpt().cuda().eval()
    caches = [[] for _ in model.blocks]
    with torch.no_grad():
        words = tokens(batch, 16)
        for _ in range(48):
            words = model(words, caches)[:, -1:].argmax(-1)


def sharded(batch=8):
    """A process for each of two GPUs, started by itself."""
    import torch.multiprocessing as processes

    processes.spawn(shard, (batch, free_port()), nprocs=2)


def free_port():
    import socket

    with socket.socket() as any_port:
        any_port.bind(("127.0.0.1", 0))
        return any_port.getsockname()[1]


def shard(rank, batch, port):
    from torch.distributed import destroy_process_group, init_process_group
    from torch.distributed.fsdp import fully_shard

    torch.cuda.set_device(rank)
    init_process_group("nccl", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=2)
    model = Gpt().cuda()
    for block in model.blocks:
        fully_shard(block)
    fully_shard(model)
    train(model, lambda: loss_of(model, batch))
    destroy_process_group()


def many_steps(_=0):
    weights = nn.Linear(512, 512).cuda()
    train(weights, lambda: weights(torch.randn(64, 512, device="cuda")).mean(), steps=1000)


def catches(_=0):
    """Takes less where memory is short: nothing is known of what it would have needed."""
    try:
        torch.empty(1 << 30, device="cuda")
    except torch.OutOfMemoryError:
        torch.empty(1 << 20, device="cuda")


def masked(_=0):
    numbers = torch.arange(1 << 20, device="cuda")
    numbers[numbers > 100].sum()


def greedy(_=0):
    """Takes nine tenths of what is free."""
    first = torch.zeros(5, device="cuda")
    torch.empty(torch.cuda.mem_get_info()[0] // 10 * 9, dtype=torch.uint8, device="cuda")
    del first


def boastful(_=0):
    """Takes all memory that the GPU has, of which the context needs a part."""
    torch.empty(torch.cuda.mem_get_info()[1], dtype=torch.uint8, device="cuda")


def spread(_=0):
    """One process with memory on each of two GPUs."""
    for device in ("cuda:0", "cuda:1"):
        torch.empty(64 << 20, dtype=torch.uint8, device=device)


def measures(_=0):
    """Takes nine tenths of what the GPU has, as its properties say."""
    of_gpu = torch.cuda.get_device_properties(0).total_memory
    torch.empty(of_gpu // 10 * 9, dtype=torch.uint8, device="cuda")


def refuses(_=0):
    """Ends with 1 on a small GPU, although it needs little."""
    if torch.cuda.get_device_properties(0).total_memory < 30 << 30:
        sys.exit("the GPU is too small")
    torch.empty(1 << 20, device="cuda")


def logs(mebibytes=600):
    """Asks, and does the same whatever the answer."""
    print(torch.cuda.mem_get_info(), file=sys.stderr)
    torch.empty(mebibytes << 20, dtype=torch.uint8, device="cuda")


def adapts(gibibytes=1):
    """Takes so much, or half of what is free."""
    half = torch.cuda.mem_get_info()[0] // 2
    torch.empty(min(gibibytes << 30, half), dtype=torch.uint8, device="cuda")


def only_hopper(_=0):
    if torch.cuda.get_device_capability() < (9, 0):
        sys.exit("needs a Hopper GPU")
    torch.empty(1 << 20, device="cuda")


def two_processes(_=0):
    import subprocess

    for _ in range(2):
        subprocess.run([sys.executable, "-B", __file__, "pinned"], check=True)


def beside(_=0):
    """Takes memory of CUDA itself."""
    import ctypes

    taken = ctypes.c_void_p()
    first = torch.zeros(5, device="cuda")
    ctypes.CDLL("libcudart.so.13").cudaMalloc(ctypes.byref(taken), ctypes.c_size_t(64 << 20))
    torch.zeros(1 << 20, device="cuda").add_(first[0])


def crashes(_=0):
    torch.zeros(1 << 20, device="cuda")
    import os
    import signal

    os.kill(os.getpid(), signal.SIGSEGV)


def pinned(_=0):
    torch.empty(33 << 20, dtype=torch.uint8).pin_memory().cuda()


def nothing(_=0):
    torch.zeros(5)


if __name__ == "__main__":
    torch.manual_seed(0)
    globals()[sys.argv[1]](*map(int, sys.argv[2:]))
