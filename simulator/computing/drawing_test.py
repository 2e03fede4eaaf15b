#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""Tests that operators on simulated GPUs draw the numbers of a real GPU: what users have published, and for the rest
the words of Philox in the order in which LibTorch's CUDA sources draw them. Arguments: those of computing_test.py."""

import sys
import unittest

import computing_test

# With torch.manual_seed(seed) or a generator of that seed, as printed on the GPU that is named, or on any.
PUBLISHED = """
    import torch
    def say(*tensors): print(*(f'{x:.4f}' for tensor in tensors for x in tensor.flatten().tolist()))
    torch.manual_seed(0); say(torch.rand(2, 4, device='cuda'))
    torch.manual_seed(0); say(torch.randn(2, 8, device='cuda'))
    torch.manual_seed(10); say(torch.randn(3, device='cuda'))
    torch.manual_seed(42)
    with torch.device('cuda'): layer = torch.nn.Linear(1, 1)
    say(layer.weight, layer.bias)
    generator = torch.Generator('cuda').manual_seed(1)
    many = torch.randn(49 * 12 * 112 * 144, device='cuda', generator=generator)
    say(many[:3], many[-3:])
"""
ANY_GPU = [
    # NVIDIA/TensorRT-LLM, tests/unittest/trt/model/redrafter/test_unpack_gen_data.py; many others print the same.
    "0.3990 0.5167 0.0249 0.9401 0.9459 0.7967 0.4150 0.8203",
    # The inputs in examples of a fused LoRA kernel in Triton 2.2.
    "-0.9247 -0.4253 -2.6438 0.1452 -0.1209 -0.5797 -0.6229 -0.3284 "
    "-1.0745 -0.3631 -1.6711 2.2655 0.3117 -0.1842 1.2866 1.1820",
    "-0.1029 1.6810 -0.2708",  # pytorch/pytorch#79496
    "0.2259 0.9754",  # mrdbourke/pytorch-deep-learning#759: a second draw after the first
]
# pytorch/pytorch#143086: the last elements depend on how many threads the GPU runs at once.
LARGE = {
    "1xH100": "-0.2963 2.6764 -0.1408 -0.6970 -0.7780 0.3267",
    "1xA100-80": "-0.2963 2.6764 -0.1408 0.1549 -0.6797 -0.1656",
}

# Philox in Python. Each line of the programs below prints nothing, or what differs from the words that it has to give.
PHILOX = """
    import math, torch
    def four(seed, position, thread):
        counter, key = [position, 0, thread, 0], [seed, 0]
        for _ in range(10):
            first, third = 0xd2511f53 * counter[0], 0xcd9e8d57 * counter[2]
            counter = [third >> 32 ^ counter[1] ^ key[0], third & 0xffffffff,
                       first >> 32 ^ counter[3] ^ key[1], first & 0xffffffff]
            key = [key[0] + 0x9e3779b9 & 0xffffffff, key[1] + 0xbb67ae85 & 0xffffffff]
        return counter
    def word(thread, index=0, seed=0): return four(seed, index // 4, thread)[index % 4]
    def uniform(thread, index=0): return (word(thread, index) + 0.5) / 2**32
    def same(what, drawn, expected):
        try: torch.testing.assert_close(drawn.cpu().double(), torch.tensor(expected).double(), rtol=1e-5, atol=2e-6)
        except AssertionError as error: print(what, 'differs:', error)
    def fresh(*size, **more):
        torch.manual_seed(0)
        return torch.empty(*size, device='cuda', **more)
"""
ORDER = (
    PHILOX
    + """
    F = torch.nn.functional
    def long_word(thread, index): return word(thread, 2 * index) << 32 | word(thread, 2 * index + 1)
    threads = 4 * 2048  # of a simulated GPU without a model
    places = [0, 1, 5000, threads - 1, threads, 2 * threads + 7, 3 * threads, 4 * threads, 4 * threads + 3]
    at = lambda tensor: tensor[places].cpu()
    same('more than one for each thread', at(fresh(5 * threads).uniform_()),
         [uniform(i % threads, i // threads) for i in places])
    same('range', fresh(9).uniform_(-2, 6), [-2 + 8 * uniform(i) for i in range(9)])
    same('half', fresh(9, dtype=torch.half).uniform_(), [torch.tensor(uniform(i)).half() for i in range(9)])
    same('bfloat16', fresh(9, dtype=torch.bfloat16).uniform_(), [torch.tensor(uniform(i)).bfloat16() for i in range(9)])
    same('double', at(fresh(5 * threads, dtype=torch.double).uniform_()),
         [((a ^ b << 21) + 0.5) / 2**53 for i in places
          for a, b in [[word(i % threads, 2 * (i // threads)), word(i % threads, 2 * (i // threads) + 1)]]])
    same('transposed', fresh(3, 4).t().uniform_().t().flatten(), [uniform(i) for i in range(12)])
    same('every second', fresh(8)[::2].uniform_(), [uniform(i) for i in range(4)])
    def normal(thread):
        return math.sqrt(-2 * math.log(uniform(thread))) * math.sin(2 * math.pi * uniform(thread, 1))
    same('normal', fresh(9).normal_(3, 2), [3 + 2 * normal(i) for i in range(9)])
    torch.manual_seed(0); mean, deviation = torch.arange(4., device='cuda'), torch.arange(1., 5, device='cuda')
    same('normal of tensors', torch.normal(mean, deviation), [i + (i + 1) * normal(i) for i in range(4)])
    torch.manual_seed(0); same('normal of a mean', torch.normal(mean, 2.0), [i + 2 * normal(i) for i in range(4)])
    torch.manual_seed(0)
    same('normal of a deviation', torch.normal(1.0, deviation), [1 + (i + 1) * normal(i) for i in range(4)])
    same('log-normal', fresh(5).log_normal_(1, 2), [math.exp(1 + 2 * normal(i)) for i in range(5)])
    same('integers', at(fresh(5 * threads).long().random_(-3, 10)),
         [word(i % threads, i // threads) % 13 - 3 for i in places])
    same('wide integers', at(fresh(5 * threads, dtype=torch.long).random_(0, 2**28) + 0.0),
         [long_word(i % threads, i // threads) % 2**28 for i in places])
    torch.manual_seed(0); same('randint', torch.randint(7, (9,), device='cuda'), [word(i) % 7 for i in range(9)])
    same('any byte', fresh(9, dtype=torch.uint8).random_(), [word(i) % 256 for i in range(9)])
    same('bernoulli', fresh(9).bernoulli_(0.3), [float(uniform(i) < 0.3) for i in range(9)])
    same('of probabilities', fresh(9).bernoulli_(torch.full((9,), 0.3, device='cuda')),
         [float(uniform(i // 4, i % 4) <= 0.3) for i in range(9)])
    torch.manual_seed(0)
    same('bernoulli of a tensor', torch.full((9,), 0.3, device='cuda').bernoulli(),
         [float(uniform(i // 4, i % 4) <= 0.3) for i in range(9)])
    same('exponential', fresh(9).exponential_(2), [-math.log(uniform(i)) / 2 for i in range(9)])
    same('cauchy', fresh(9).cauchy_(1, 2), [1 + 2 * math.tan(math.pi * (uniform(i) - 0.5)) for i in range(9)])
    same('geometric', fresh(9).geometric_(0.3),
         [math.ceil(math.log(uniform(i)) / math.log(0.7)) for i in range(9)])
    for n, dtype, at_once in [(16, torch.float, 4), (10, torch.float, 2), (7, torch.float, 1), (16, torch.double, 2),
                              (16, torch.half, 8), (12, torch.bfloat16, 4), (4 * threads * 2, torch.float, 4)]:
        ones = fresh(n, dtype=dtype).fill_(1)
        some = range(n) if n < 99 else [0, 5, 4 * threads - 1, 4 * threads, n - 1]
        word_of = lambda i: (i // at_once % threads, i // at_once // threads * (at_once + 3 & ~3) + i % at_once)
        same(f'dropout of {n} {dtype}', F.dropout(ones, 0.7)[list(some)] * 0.3,
             [torch.tensor(float(uniform(*word_of(i)) < 0.3) / 0.3, dtype=dtype) * 0.3 for i in some])
"""
)
PERMUTATION = (
    PHILOX
    + """
    for n in (1, 7, 300):
        bits = math.ceil(math.log2(n - (6 * n * n + 1) / (math.log(0.9) * 12)))
        key = lambda i: ((word(i) << 32 | word(i, 1)) % (2**32 - 1) - 2**31) % 2**bits
        torch.manual_seed(0)
        same(f'permutation of {n}', torch.randperm(n, device='cuda'), sorted(range(n), key=key))
    for n in (40000, 100001):
        drawn = torch.randperm(n, device='cuda')
        in_order = torch.arange(n, device='cuda')
        print(n, torch.equal(drawn.sort().values, in_order), torch.equal(drawn, in_order))
"""
)

STATE = """
    import torch
    from torch.utils.checkpoint import checkpoint
    F = torch.nn.functional
    def draw(): return torch.rand(3, device='cuda').tolist()
    torch.manual_seed(0); first, second = draw(), draw()
    print(torch.cuda.default_generators[0].get_offset(), first != second)
    torch.manual_seed(0); draw(); state = torch.cuda.get_rng_state(); print(draw() == second)
    torch.cuda.set_rng_state(state); print(draw() == second)
    torch.manual_seed(0); print(torch.rand(3, device='cuda:1').tolist() == first, draw() == first)
    own = torch.Generator('cuda').manual_seed(0); torch.manual_seed(1)
    print(torch.rand(3, device='cuda', generator=own).tolist() == first, own.get_offset())
    x = torch.ones(64, device='cuda', requires_grad=True)
    out = checkpoint(lambda x: F.dropout(x * x, 0.5), x, use_reentrant=False); out.sum().backward()
    print(torch.equal(out.detach() * 2, x.grad), 0 < int((out == 0).sum()) < 64)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph): replayed = torch.rand(3, device='cuda'); again = torch.rand(3, device='cuda')
    torch.manual_seed(0); eager = [draw() for _ in range(6)]
    torch.manual_seed(0); launched = []
    for _ in range(3): graph.replay(); launched += [replayed.tolist(), again.tolist()]
    print(launched == eager)
    graph = torch.cuda.CUDAGraph(); two = [torch.Generator('cuda'), torch.Generator('cuda')]
    for one in two: graph.register_generator_state(one)
    def draws():
        return [torch.rand(3, device='cuda', generator=two[0]), torch.randn(5, device='cuda', generator=two[1])]
    with torch.cuda.graph(graph): replayed = draws()
    def thrice(seed, what):
        for one in two: one.manual_seed(seed); seed += 1
        return [[one.tolist() for one in what()] + [two[1].get_offset()] for _ in range(3)]
    print(all(thrice(seed, draws) == thrice(seed, lambda: graph.replay() or replayed) for seed in (1, 7)))
"""

# Behind a copy that waits for its turn, and for operators whose order is not reproduced.
CPU_GENERATOR = """
    import torch
    torch.manual_seed(5); expected = torch.rand(4)
    def draws():
        p = torch.full((2, 8), 4., device='cuda')
        return [torch.poisson(p), torch.multinomial(p, 4, True), torch._standard_gamma(p), torch.binomial(p, p / 8),
                torch.rrelu(p - 5, training=True), torch.rand(3, device='cuda')]
    torch.manual_seed(5)
    many = torch.empty(1 << 24).pin_memory(); torch.empty_like(many, device='cuda').copy_(many, non_blocking=True)
    one = draws(); print(torch.equal(torch.rand(4), expected)); two = draws()
    print([torch.equal(a, b) for a, b in zip(one, two)])
    torch.manual_seed(5); again = draws(); print(all(torch.equal(a, b) for a, b in zip(one, again)))
"""

# Prints what draws again, later or earlier, what it drew before.
AGAIN = """
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel
    F = torch.nn.functional
    def different(what, draw):
        one, other = draw().flatten(), draw().flatten()
        for first, second in (one, other), (other, one):
            if (first.unfold(0, 64, 1) == second[:64]).all(1).any(): print(what)
    below, values = -torch.ones(512, device='cuda'), torch.eye(64, device='cuda').half().view(1, 1, 64, 64)
    different('twister', lambda: F.rrelu(below, 0.1, 0.9, training=True))
    for backend in SDPBackend.EFFICIENT_ATTENTION, SDPBackend.FLASH_ATTENTION:
        with sdpa_kernel(backend):
            different(backend, lambda: F.scaled_dot_product_attention(values, values, values, dropout_p=0.4) != 0)
"""

# With an identity as values, what is dropped can be seen in the result.
ATTENTION = """
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel
    F = torch.nn.functional
    for backend, dtype, places in [(SDPBackend.EFFICIENT_ATTENTION, torch.float, 1e-5),
                                   (SDPBackend.FLASH_ATTENTION, torch.half, 1e-2)]:
        torch.manual_seed(0)
        tensors = [*torch.randn(2, 1, 2, 8, 8, device='cuda', dtype=dtype).unbind(),
                   torch.eye(8, device='cuda', dtype=dtype).expand(1, 2, 8, 8).contiguous()]
        for tensor in tensors: tensor.requires_grad_()
        with sdpa_kernel(backend): out = F.scaled_dot_product_attention(*tensors, dropout_p=0.4)
        out.square().sum().backward()
        ours = [tensor.detach().cpu().float().requires_grad_() for tensor in tensors]
        weights = (ours[0] @ ours[1].mT / 8**0.5).softmax(-1) * (out.detach().cpu() != 0) / 0.6
        (weights @ ours[2]).square().sum().backward()
        for name, a, b in zip('qkv', tensors, ours):
            torch.testing.assert_close(a.grad.cpu().float(), b.grad, rtol=places, atol=places, msg=name)
        print(30 < int((out != 0).sum()) < 120)
    import os, sys
    sys.stdout.flush()
    os._exit(0)  # Python 3.11 aborts if it ends while LibTorch's thread of the backward pass still frees tensors
"""


class Drawing(unittest.TestCase):
    def gives(self, program, expected, gpus="2x1GiB"):
        ran = computing_test.simulate(program, gpus=gpus)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual(ran.stdout, "".join(f"{line}\n" for line in expected), ran.stderr)
        self.assertIn(" 0 not; values read back that were not computed: 0", ran.stderr)

    def test_published_numbers(self):
        for gpus, large in LARGE.items():
            with self.subTest(gpus):
                self.gives(PUBLISHED, [*ANY_GPU, large], gpus)

    def test_threads_draw_in_the_order_of_the_sources(self):
        self.gives(ORDER, [])

    def test_a_permutation_sorts_by_random_keys(self):
        self.gives(PERMUTATION, ["40000 True False", "100001 True False"])

    def test_seed_and_offset_decide_also_when_a_graph_is_launched(self):
        self.gives(STATE, ["8 True", "True", "True", "True True", "True 4", "True True", "True", "True"])

    def test_the_cpus_generator_is_not_touched(self):
        self.gives(CPU_GENERATOR, ["True", "[False, False, False, False, False, False]", "True"])

    def test_a_draw_repeats_none_before(self):
        self.gives(AGAIN, [])

    def test_attention_drops_the_same_weights_in_both_passes(self):
        self.gives(ATTENTION, ["True", "True"])


if __name__ == "__main__":
    computing_test.TOCUDA, computing_test.TORCH = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1])
