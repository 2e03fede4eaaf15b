#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""Tests arguments that GPUs take and the CPU refuses or reads otherwise, and those that only GPUs refuse. Arguments:
tocuda, and the folder that holds torch."""

import pathlib
import re
import sys
import unittest

import computing_test

# A GPU's first bag begins at 0 and its last one ends with the indices, whatever the offsets say.
BAGS = """
    import torch
    import torch.nn.functional as F
    at, zero = torch.arange(10, device='cuda'), torch.zeros(1, dtype=torch.long, device='cuda')
    def of(dtype, offsets, mode='sum', **how):
        weight = torch.arange(1., 11, device='cuda').view(10, 1).to(dtype)
        bags = F.embedding_bag(at, weight, torch.tensor(offsets, device='cuda'), mode=mode, **how)
        return bags.flatten().tolist()
    for dtype in torch.float64, torch.float32, torch.float16, torch.bfloat16:
        print(*(of(dtype, [0, 4, 7], mode, include_last_offset=True) for mode in ('sum', 'mean', 'max')),
              of(dtype, [3, 4]), of(dtype, [2], 'mean'), of(dtype, [7, 7, 10], 'max'),
              of(dtype, [5, 8, 2], include_last_offset=True, padding_idx=9))
    for dtype in torch.float64, torch.float32:
        weight, by = (torch.ones(size, device='cuda', dtype=dtype, requires_grad=True) for size in ((10, 1), 10))
        bags = F.embedding_bag(at // 2, weight, torch.tensor([1, 4, 7], device='cuda'), mode='sum',
                               per_sample_weights=by, include_last_offset=True)
        (bags * torch.tensor([[2.], [3.]], device='cuda')).sum().backward()
        print(bags.flatten().tolist(), weight.grad.flatten().tolist(), by.grad.tolist())
        for mode in 'mean', 'max':
            weight.grad = None
            F.embedding_bag(at, weight, torch.tensor([0, 8, 9], device='cuda'), mode=mode,
                            include_last_offset=True).sum().backward()
            print(weight.grad.flatten().tolist())
    print(F.embedding_bag(zero[:0], weight, zero, include_last_offset=True).shape)
"""
OF_BAGS = "[10.0, 45.0] [2.5, 7.5] [4.0, 10.0] [10.0, 45.0] [5.5] [7.0, 10.0, 0.0] [36.0, 9.0]"
GRADIENTS = [
    "[4.0, 6.0] [4.0, 4.0, 6.0, 6.0, 6.0, 0.0, 0.0, 0.0, 0.0, 0.0] [2.0, 2.0, 2.0, 2.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0]",
    "[0.125, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125, 0.5, 0.5]",
    "[1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]",
]

# Each in a process of its own, because a GPU is of no more use to it then.
ASSERTIONS = """
    import os, torch
    import torch.nn.functional as F
    def ones(*size): return torch.ones(size, device='cuda')
    def of(*values): return torch.tensor(values, device='cuda')
    calls = {
        'index in a bag': lambda: F.embedding_bag(of(5), ones(3, 2), of(0)),
        'index in a bag, float64': lambda: F.embedding_bag(of(0, 3), ones(3, 2).double(), of(0), mode='sum'),
        'bag that ends before it begins': lambda: F.embedding_bag(of(0, 1), ones(3, 2), of(0, 2, 1), mode='max'),
        'offset beyond the indices': lambda: F.embedding_bag(of(0, 1), ones(3, 2), of(0, 3)),
        'class': lambda: F.multi_margin_loss(ones(2, 3), of(0, 3)),
        'negative class': lambda: F.multi_margin_loss(ones(2, 3).double(), of(0, -1)),
        'place in an image': lambda: F.max_unpool2d(ones(1, 1, 2, 2), of(99, 0, 0, 0).view(1, 1, 2, 2), 2),
        'place in a volume': lambda: F.max_unpool3d(ones(1, 1, 1, 2, 2), of(-1, 0, 0, 0).view(1, 1, 1, 2, 2), 2),
        'rate': lambda: torch.poisson(-ones(3)), 'no rate': lambda: torch.poisson(ones(3) * float('nan')),
    }
    for name, call in calls.items():
        child = os.fork()
        if child: os.waitpid(child, 0)
        else:
            try: print(name, call().tolist(), flush=True)
            except RuntimeError as error: print(name, 'device-side assert' in str(error), flush=True)
            os._exit(0)
"""

MODULO = """
    import torch
    def of(*values, dtype=torch.int64): return torch.tensor(values, device='cuda', dtype=dtype)
    for dtype in torch.int64, torch.int32, torch.int16, torch.int8:
        print((of(5, -5, 0, 7, dtype=dtype) % of(0, 0, 0, 4, dtype=dtype)).tolist())
    a, b = of(5, -5, 7), of(0, 0, 4, dtype=torch.int32)
    print(a.fmod(b).tolist(), (a % 0).tolist(), (9 % b).tolist(), torch.remainder(a, b, out=of(0, 0, 0)).tolist(),
          a.clone().remainder_(b).tolist(), a.clone().fmod_(b).tolist())
    print((of(5, 0, dtype=torch.uint8) % of(0, 3, dtype=torch.uint8)).tolist())
    print((of(3, 4).float() % of(2, 3)).tolist())
"""
DIVISION = """
    import torch
    def of(*values, dtype=torch.int64): return torch.tensor(values, device='cuda', dtype=dtype)
    for dtype in torch.int64, torch.int32, torch.int16, torch.int8:
        print((of(5, -5, 0, 7, dtype=dtype) // of(0, 0, 0, 2, dtype=dtype)).tolist())
    a, b = of(5, -5, 7), of(0, 0, 4, dtype=torch.int32)
    print(a.div(b, rounding_mode='floor').tolist(), (a // 0).tolist(), a.clone().floor_divide_(b).tolist(),
          a.clone().div_(b, rounding_mode='floor').tolist(), torch.floor_divide(a, b, out=of(0, 0, 0)).tolist())
"""
FLOATS_BY_INTEGERS = """
    import torch
    c, d = torch.tensor([3., 4], device='cuda'), torch.tensor([2, 3], device='cuda')
    print((c // d).tolist(), c.div(d, rounding_mode='trunc').tolist())
"""
UNKNOWN_DIVISION = """
    import torch
    def of(*values, dtype=torch.int64): return torch.tensor(values, device='cuda', dtype=dtype)
    (of(1 << 40) % of(0)).tolist()
    (of(1, dtype=torch.uint8) // of(0, dtype=torch.uint8)).tolist()
    of(1).div(of(0), rounding_mode='trunc').tolist()
"""

# A GPU multiplies by the reciprocal of a number, which can fall short of a whole one.
TRUNCATED = """
    import torch
    for dtype in torch.float32, torch.float64, torch.float16, torch.bfloat16:
        x = torch.arange(1, 200, device='cuda', dtype=dtype)
        found = [i for i in range(1, 200) if (x[i - 1:i].div(i, rounding_mode='trunc') != 1).item()]
        one = torch.ones((), dtype=torch.float64 if dtype == torch.float64 else torch.float32)
        known = [i for i in range(1, 200) if (one / i * i).item() < 1]
        print(found[:3], found == known, x[:3].div(x[1:4], rounding_mode='trunc').tolist(),
              x.clone().div_(49, rounding_mode='trunc')[48].item())
    print(torch.tensor([7, -7], device='cuda').div(2., rounding_mode='trunc').tolist())
    of = torch.tensor([41.], device='cuda')
    print([of.div(torch.tensor(41., device=where), rounding_mode='trunc').item() for where in ('cpu', 'cuda')],
          of.clone().div_(torch.tensor(41.), rounding_mode='trunc').item())
"""

LABELS = """
    import torch
    import torch.nn.functional as F
    scores = torch.randn(6, 2, 4).log_softmax(2)
    def loss(device, labels, kind):
        labels, lengths = torch.tensor(labels), [torch.tensor([6, 6]), torch.tensor([3, 2])]
        if kind == 'joined':
            labels = torch.cat([labels[0], labels[1, :2]])
        if kind == 'on the GPU':
            lengths = [each.to(device) for each in lengths]
        return F.ctc_loss(scores.to(device), labels.to(device), *lengths, reduction='none').cpu()
    for kind in 'rows', 'joined', 'on the GPU':
        good = [[1, 2, 3], [1, 1, 99]]  # the last one is behind the end of its row
        print(kind, torch.allclose(loss('cuda', good, kind), loss('cpu', good, kind)))
    for bad in ([[1, 2, 4], [1, 1, 0]], [[1, -1, 3], [1, 1, 0]]):
        for kind in 'rows', 'joined':
            loss('cuda', bad, kind).tolist()
"""

MARGINS = """
    import torch
    import torch.nn.functional as F
    x = torch.tensor([[.1, .2, .4, .8], [.3, .5, .1, .2]])
    for dtype in torch.float32, torch.float64, torch.float16:
        both = []
        for targets in [[[3, 0, -1, -1], [-1] * 4], [[3, 0, -2, 77], [-9, 0, -3, 1]]]:
            ours = x.to('cuda', dtype).requires_grad_()
            loss = F.multilabel_margin_loss(ours, torch.tensor(targets, device='cuda'), reduction='none')
            loss.sum().backward()
            both.append([loss.tolist(), ours.grad.tolist()])
        print(both[0] == both[1], round(both[1][0][0], 2))
"""

REFUSED = """
    import re, torch
    torch.manual_seed(0)
    A = torch.randn(4, 4, dtype=torch.complex64)
    A, B = (A + A.mH).cuda(), torch.ones(4, 1, dtype=torch.complex64, device='cuda')
    factors, pivots = torch.linalg.ldl_factor(A, hermitian=True)
    half, sparse = torch.ones(6, 8, device='cuda').half(), torch.eye(3, dtype=torch.long, device='cuda').to_sparse()
    def preferring(library, **how):
        torch.backends.cuda.preferred_linalg_library(library)
        try: return torch.linalg.ldl_factor(A, **how)
        finally: torch.backends.cuda.preferred_linalg_library('default')
    calls = {
        'solve': lambda: torch.linalg.ldl_solve(factors, pivots, B, hermitian=True),
        'solve, out': lambda: torch.linalg.ldl_solve(factors, pivots, B, hermitian=True, out=B.clone()),
        'solve real': lambda: torch.linalg.ldl_solve(factors.real, pivots, B.real, hermitian=True),
        'factor': lambda: preferring('cusolver', hermitian=True),
        'rows': lambda: torch.fft.fft(half), 'columns': lambda: torch.fft.rfft(half, dim=0),
        'both': lambda: torch.fft.fft2(half), 'back': lambda: torch.fft.irfft(half, n=12),
        'bfloat16': lambda: torch.fft.rfft(half.bfloat16(), dim=0),
        'back to 8': lambda: torch.fft.irfft(half[:, :5], n=8),
        'one': lambda: torch.fft.ifft(half[:, :1]),
        'integers': lambda: torch.sparse.mm(sparse, torch.ones(3, 2, dtype=torch.long, device='cuda')),
        'sum': lambda: torch.sspaddmm(sparse.float(), sparse.float(), torch.ones(3, 3, device='cuda')),
        'number': lambda: torch.addcmul(B, torch.tensor(1j), B), 'other': lambda: torch.addcdiv(B, B, torch.tensor(1j)),
        'last number': lambda: torch.addcmul(B, B, torch.tensor(1j)),
    }
    for name, call in calls.items():
        try:
            call()
            print(name)
        except (RuntimeError, NotImplementedError) as error:
            print(name, re.split(' Currently|, but got tensor|, but found', str(error))[0])
"""
OF_BFLOAT16 = (
    "bfloat16 cuFFT only supports dimensions whose sizes are powers of two when computing in bfloat16 precision, but "
    "got a signal size of[6]"
)
OF_REFUSED = [
    "solve torch.linalg.ldl_solve: complex tensors with hermitian=True flag are not supported on CUDA.",
    "solve, out torch.linalg.ldl_solve: complex tensors with hermitian=True flag are not supported on CUDA.",
    "solve real",
    "factor torch.linalg.ldl_factor: complex tensors with hermitian=True flag are not supported with cuSOLVER backend.",
    "rows",
    "columns cuFFT only supports dimensions whose sizes are powers of two when computing in half precision, but got a "
    "signal size of[6]",
    "both cuFFT only supports dimensions whose sizes are powers of two when computing in half precision, but got a "
    "signal size of[6, 8]",
    "back cuFFT only supports dimensions whose sizes are powers of two when computing in half precision, but got a "
    "signal size of[12]",
    OF_BFLOAT16,
    "back to 8",
    "one",
    "integers \"addmm_sparse_cuda\" not implemented for 'Long'",
    "sum NYI: CUDA sspaddmm is not implemented",
    "number CPU Scalar support for tensor1 argument is not supported when calling addcmul on CUDA tensors. However, "
    "CPU Scalar support for tensor2 is supported, please swap your tensor1 and tensor2 terms.",
    "other Expected all tensors to be on the same device",
    "last number",
]

# For one matrix a GPU does not ask for its rank; for several cuBLAS does.
LEAST_SQUARES = """
    import torch
    torch.manual_seed(0)
    ones = torch.ones(3, 2, device='cuda')
    print(torch.linalg.lstsq(ones, ones[:, :1]).solution.shape)
    flat = torch.diag(torch.tensor([1., 0])).cuda()
    found = torch.linalg.lstsq(torch.cat([flat, flat[1:]]), ones[:, :1])
    print(found.solution.isfinite().all().item(), found.residuals.item())
    zeros = torch.zeros(2, 2, 2).cuda()
    print(torch.linalg.lstsq(torch.zeros(2, 3).cuda(), ones[:2, 0]).solution.isfinite().any().item(),
          torch.linalg.lstsq(zeros[0], ones[:2]).solution.isfinite().any().item())
    for several in flat.expand(2, 2, 2), zeros:
        try: torch.linalg.lstsq(several, zeros)
        except torch.linalg.LinAlgError as error: print('full rank' in str(error))
    for size in (5, 3), (3, 5), (4, 4):
        a, b = torch.randn(size), torch.randn(size[0], 2)
        torch.testing.assert_close(torch.linalg.lstsq(a.cuda(), b.cuda()).solution.cpu(),
                                   torch.linalg.lstsq(a, b).solution, rtol=1e-4, atol=1e-4)
"""


def version():
    """LibTorch's: major and minor."""
    text = pathlib.Path(computing_test.TORCH, "torch/version.py").read_text()
    return tuple(int(part) for part in re.search(r"__version__ = '(\d+)\.(\d+)", text).groups())


class Arguments(unittest.TestCase):
    def assert_prints(self, program, lines):
        ran = computing_test.simulate(program)
        self.assertEqual(ran.stdout.splitlines(), lines, ran.stderr)
        self.assertIn(" 0 not; values read back that were not computed: 0", ran.stderr)

    def test_bags_reach_to_both_ends_of_the_indices(self):
        self.assert_prints(BAGS, [OF_BAGS] * 4 + GRADIENTS * 2 + ["torch.Size([0, 1])"])

    def test_assertions_of_kernels(self):
        ran = computing_test.simulate(ASSERTIONS)
        lines = ran.stdout.splitlines()
        self.assertEqual([line for line in lines if not line.endswith(" True")], [], ran.stderr)
        self.assertEqual(len(lines), 10)

    def test_integers_modulo_zero(self):
        rest = 4294967295
        lines = [f"[{rest}, -1, {rest}, 3]", *["[-1, -1, -1, 3]"] * 3]
        modulo, by_zero = f"[{rest}, -1, 3]", f"[{rest}, -1, {rest}]"
        several = [modulo, by_zero, "[-1, -1, 1]", modulo, modulo, modulo]
        self.assert_prints(MODULO, [*lines, " ".join(several), "[255, 0]", "[1.0, 1.0]"])

    def test_integers_divided_by_zero(self):
        if version() < (2, 15):
            stderr = computing_test.simulate(DIVISION).stderr
            self.assertIn("what a GPU gives for an integer divided by zero is not known", stderr)
            self.assertIn(" 9 not; values read back that were not computed: 9", stderr)
            return
        quotient = "[0, 0, 1]"
        self.assert_prints(DIVISION, [*["[0, 0, 0, 3]"] * 4, " ".join([quotient, "[0, 0, 0]", *[quotient] * 3])])

    def test_floats_divided_by_integers(self):
        self.assert_prints(FLOATS_BY_INTEGERS, ["[1.0, 1.0] [1.0, 1.0]"])

    def test_what_no_source_tells_is_not_computed(self):
        ran = computing_test.simulate(UNKNOWN_DIVISION)
        self.assertIn(" 3 not; values read back that were not computed: 3", ran.stderr)

    def test_truncated_quotients(self):
        single = "[41, 47, 55] True [0.0, 0.0, 0.0] 1.0"
        self.assert_prints(
            TRUNCATED,
            [single, "[49, 98, 103] True [0.0, 0.0, 0.0] 0.0", single, single, "[3.0, -3.0]", "[0.0, 1.0] 0.0"],
        )

    def test_labels_that_are_no_classes(self):
        ran = computing_test.simulate(LABELS)
        kinds = "rows", "joined", "on the GPU"
        self.assertEqual(ran.stdout.splitlines(), [f"{kind} True" for kind in kinds], ran.stderr)
        self.assertIn("a label of ctc_loss is not one of the 4 classes", ran.stderr)
        self.assertIn(" 4 not; values read back that were not computed: 4", ran.stderr)

    def test_classes_behind_the_last(self):
        self.assert_prints(MARGINS, ["True 0.85"] * 3)

    def test_what_only_a_gpu_refuses(self):
        of_older = {OF_BFLOAT16: "bfloat16 Unsupported dtype BFloat16"} if version() < (2, 15) else {}
        self.assert_prints(REFUSED, [of_older.get(line, line) for line in OF_REFUSED])

    def test_least_squares_without_full_rank(self):
        self.assert_prints(LEAST_SQUARES, ["torch.Size([2, 1])", "False 1.0", "False False", "True", "True"])


if __name__ == "__main__":
    computing_test.TOCUDA, computing_test.TORCH = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1])
