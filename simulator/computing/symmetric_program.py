# tocuda, Apache-2.0.
"""Ranks with symmetric memory: what its operators give, compared with sums of the CPU. Started by processes_test.py."""

import os

import torch
import torch.distributed as dist
import torch.distributed._symmetric_memory as symmetric

RANK, RANKS = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
HERE = torch.device("cuda", RANK)
OPS = torch.ops.symm_mem


def say(name, right):
    all_right = [None] * RANKS
    dist.all_gather_object(all_right, bool(right))
    if RANK == 0:
        print(name, all(all_right), flush=True)


def drawn(seed, *shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def sums(group, dtype):
    count = 1024 * RANKS
    inputs = [drawn(rank, count).to(dtype) for rank in range(RANKS)]
    total = sum(inputs[1:], inputs[0])
    mine = inputs[RANK].to(HERE)
    shared = symmetric.empty(count, dtype=dtype, device=HERE)
    handle = symmetric.rendezvous(shared, group)
    results = [OPS.one_shot_all_reduce_copy(shared, mine, "sum", group)]
    handle.barrier()
    shared.copy_(mine)
    results.append(OPS.one_shot_all_reduce(shared, "sum", group))
    results.append(OPS.two_shot_all_reduce_out(shared, "sum", group, torch.empty_like(shared)))
    shared.copy_(mine)
    part = OPS.reduce_scatter_out(shared, group, False, torch.empty(count // RANKS, dtype=dtype, device=HERE))
    rows = OPS.reduce_scatter_out(
        shared.view(16, -1), group, True, torch.empty(16, count // 16 // RANKS, dtype=dtype, device=HERE)
    )
    results.append(OPS.two_shot_all_reduce_(shared, "sum", group))
    say(f"sums in {dtype}", all(torch.equal(each.cpu(), total) for each in results))
    say("parts", torch.equal(part.cpu(), total.chunk(RANKS)[RANK]))
    say("parts of rows", torch.equal(rows.cpu(), total.view(16, -1).chunk(RANKS, 1)[RANK]))


def buffers_and_signals(group):
    shared = symmetric.empty(RANKS, device=HERE)
    handle = symmetric.rendezvous(shared, group)
    handle.barrier()
    for peer in range(RANKS):
        handle.get_buffer(peer, (RANKS,), torch.float32)[RANK] = RANK
    handle.put_signal(dst_rank=(RANK + 1) % RANKS, channel=2)
    handle.wait_signal(src_rank=(RANK - 1) % RANKS, channel=2)
    handle.barrier(channel=1)
    say("buffers", shared.tolist() == list(range(RANKS)))
    try:
        OPS.multimem_all_reduce_(shared, "sum", group)
    except RuntimeError as error:
        say("multicast is refused", "multicast support is required" in str(error))
    words = torch.zeros(8, dtype=torch.uint32, device=HERE)
    OPS.memset32_(words, 2, 7, 3)
    OPS.stream_write_value32_(words, 6, 5)
    say("words", words.tolist() == [0, 0, 7, 7, 7, 0, 5, 0])
    return handle


def in_a_graph(group):
    shared = symmetric.empty(64, device=HERE)
    symmetric.rendezvous(shared, group)
    shared.fill_(RANK + 1.0)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = OPS.one_shot_all_reduce(shared, "sum", group)
    seen = []
    for _ in range(2):
        graph.replay()
        seen.append(result[0].item())
        shared.mul_(2)
    all_ranks = RANKS * (RANKS + 1) / 2
    say("graph", seen == [all_ranks, 2 * all_ranks])


def fused(group):
    symmetric.enable_symm_mem_for_group(group)
    left, right = [drawn(rank, 48, 32) for rank in range(RANKS)], drawn(99, 32, 16)
    mine = left[RANK].to(HERE)
    gathered, [product] = OPS.fused_all_gather_matmul(mine, [right.to(HERE)], 0, group)
    say("gathered", torch.equal(gathered.cpu(), torch.cat(left)))
    say("product", torch.allclose(product.cpu(), torch.cat(left) @ right, atol=1e-4))
    scattered = OPS.fused_matmul_reduce_scatter(mine, right.to(HERE), "sum", 0, group)
    say("scattered", torch.allclose(scattered.cpu(), (sum(left) @ right).chunk(RANKS)[RANK], atol=1e-4))


def wait_in_vain(handle):
    store = dist.distributed_c10d._get_default_store()
    if RANK == 0:
        try:
            handle.barrier(timeout_ms=200)
            torch.cuda.synchronize()
        except RuntimeError as error:
            print(str(error).splitlines()[0], flush=True)
        store.set("over", "yes")
    else:
        store.wait(["over"])
    os._exit(0)


torch.cuda.set_device(HERE)
dist.init_process_group("nccl", device_id=HERE)
name = dist.group.WORLD.group_name
sums(name, torch.float32)
sums(name, torch.bfloat16)
kept = buffers_and_signals(name)
in_a_graph(name)
fused(name)
dist.barrier()
wait_in_vain(kept)
