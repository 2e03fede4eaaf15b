#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""Tests what GPUs do otherwise than the CPU, whose kernels compute for them: types of indices, half precision, checks,
waiting, results of libraries. Arguments: tocuda, and the folder that holds torch."""

import sys
import unittest

import computing_test

# Indices of 32 bits, of which the CPU's kernels misread some and refuse others.
INDICES = """
    import torch
    import torch.nn.functional as F
    torch.manual_seed(0)
    x, source, i = torch.randn(50, 64), torch.randn(100, 64), torch.randint(0, 50, (100,))
    def gradient(call):
        def of(x, source, i):
            x = x.detach().requires_grad_()
            (call(x, i) * source).sum().backward()
            return x.grad
        return of
    calls = {
        'embedding': lambda x, s, i: F.embedding(i, x), 'index_select': lambda x, s, i: x.index_select(0, i),
        'its gradient': gradient(lambda x, i: F.embedding(i, x)),
        'gradient of index_select': gradient(lambda x, i: x.index_select(0, i)),
        'gradient by frequency': gradient(lambda x, i: F.embedding(i, x, 3, scale_grad_by_freq=True)),
        'index_select, columns': lambda x, s, i: x.index_select(1, i),
        'index_select, one column': lambda x, s, i: x[:, 0].index_select(0, i),
        'index_select, not contiguous': lambda x, s, i: x.t().index_select(1, i),
        'repeat_interleave': lambda x, s, i: x.repeat_interleave(i[:50] % 3, 0),
        'index': lambda x, s, i: x[i], 'index, two': lambda x, s, i: x[i[:50], i[50:]],
        'index_put': lambda x, s, i: x.clone().index_put_((i,), s, accumulate=True),
        'index_add': lambda x, s, i: x.index_add(0, i, s),
        'index_add, columns': lambda x, s, i: x.index_add(1, i, s[:50].repeat(1, 2)[:, :100]),
        'index_reduce': lambda x, s, i: x.index_reduce(0, i, s, 'mean'),
        'gather': lambda x, s, i: x.gather(0, i[:, None].expand(100, 64)),
        'gather, columns': lambda x, s, i: x.gather(1, i[None].expand(50, 100)),
        'scatter': lambda x, s, i: x.scatter(0, torch.arange(50, device=x.device).to(i)[:, None].expand(50, 64), s),
        'scatter_add': lambda x, s, i: x.scatter_add(0, i[:, None].expand(100, 64), s),
        'scatter_reduce': lambda x, s, i: x.scatter_reduce(0, i[:, None].expand(100, 64), s, 'amax'),
        'take': lambda x, s, i: x.take(i), 'index_copy': lambda x, s, i: x.index_copy(0, i[:1], s[:1]),
        'index_fill': lambda x, s, i: x.index_fill(0, i, 1.), 'put': lambda x, s, i: x.put(i[:1], s[0, :1]),
        'take_along_dim': lambda x, s, i: x.take_along_dim(i[:, None], 0),
        'cross_entropy': lambda x, s, i: F.cross_entropy(s, i), 'nll_loss': lambda x, s, i: F.nll_loss(s, i),
        'one_hot': lambda x, s, i: F.one_hot(i, 50), 'bincount': lambda x, s, i: i.bincount(s[:, 0].abs()),
        'searchsorted': lambda x, s, i: torch.searchsorted(i.sort()[0], i, out_int32=True),
        'segment_reduce': lambda x, s, i: torch.segment_reduce(s, 'sum', lengths=torch.tensor([60, 40]).to(i)),
        'ctc_loss': lambda x, s, i: F.ctc_loss(s[:, None].log_softmax(-1), i[None, :9] + 1,
                                               torch.tensor([100]).to(i), torch.tensor([9]).to(i)),
    }
    for dtype in torch.int32, torch.int64:
        for name, call in calls.items():
            cpus = call(x, source, i)
            try: ours = call(x.cuda(), source.cuda(), i.cuda().to(dtype)).cpu()
            except (RuntimeError, IndexError): ours = None  # as a GPU, which refuses some
            if ours is None and dtype == torch.int32 and name in REFUSED: continue
            try: torch.testing.assert_close(ours, cpus)
            except (AssertionError, TypeError) as error: print(name, dtype, 'differs:', error)
    print('all')
"""
REFUSED = ["take", "index_copy", "index_fill", "put", "take_along_dim", "cross_entropy", "nll_loss", "one_hot"]

# TorchScript knows more of its tensors' types than LibTorch's lists do.
SCRIPTED = '''
    import torch
    unit = torch.jit.CompilationUnit("""
    def chosen(x, i: Tensor): return x[i]
    def written(x, i: Tensor):
        x = x.clone()
        x[i] = 7
        return torch.stack([x, x]), torch.cat([x, x])
    """)
    chosen, written = unit.chosen, unit.written
    x, i = torch.arange(10, 16), torch.tensor([5, 0, 3])
    for _ in range(3): print(chosen(x.cuda(), i.cuda()).tolist(), chosen(x.cuda(), (x > 12).cuda()).tolist())
    print(chosen(x.cuda().float(), i.cuda()).tolist(), [y.tolist() for y in written(x.cuda(), i.cuda())])
    traced = torch.jit.trace(lambda x, i: x[:, i], (x.cuda()[None], i.cuda()))
    for _ in range(3): print(traced(x.cuda()[None], i.cuda()).tolist())
'''

# As torchvision's nms does, this operator's kernel decides how many are kept. The second is defined after a GPU's first
# use, and its kernels write what they are given.
LIBRARY = """
    import torch
    def launches(x):
        torch.cuda.jiterator._create_jit_fn('template <typename T> T f(T x) { return x; }')(x)
        return torch.empty(0, dtype=torch.long, device=x.device)
    def kept(x): return (x > 1).nonzero().flatten()
    library = torch.library.Library('outside', 'DEF')
    library.define('kept(Tensor x) -> Tensor')
    library.impl('kept', launches, 'CUDA')
    library.impl('kept', kept, 'CPU')
    x = torch.arange(4.)
    print(torch.ops.outside.kept(x.cuda()).tolist(), torch.ops.outside.kept(x).tolist())
"""

# A GPU computes these in float32 and rounds the result once.
IN_FLOAT = """
    import torch
    import torch.nn.functional as F
    torch.manual_seed(0)
    def near(what, ours, exact, times):
        error = ((ours.double() - exact) / exact.abs().clamp(min=.1)).abs().max().item()
        if not error < times * torch.finfo(ours.dtype).eps: print(what, ours.dtype, 'differs by', error)
    for dtype in torch.float16, torch.bfloat16:
        for mode in 'bilinear', 'nearest', 'bicubic':
            x, at = torch.randn(2, 3, 16, 16).to(dtype).cuda(), (torch.rand(2, 32, 32, 2) * 2 - 1).to(dtype).cuda()
            known = F.grid_sample(x.double(), at.double(), mode=mode, align_corners=False)
            near(mode, F.grid_sample(x, at, mode=mode, align_corners=False), known, 1)
        x, at = torch.randn(1, 2, 4, 4, 4).to(dtype).cuda(), (torch.rand(1, 4, 4, 4, 3) * 2 - 1).to(dtype).cuda()
        known = F.grid_sample(x.double(), at.double(), align_corners=False)
        near('volume', F.grid_sample(x, at, align_corners=False), known, 1)
        a, b, c = (torch.randn(*size).to(dtype).cuda() for size in ((25,), (10, 20), (20, 25)))
        known = F.gelu(torch.addmm(a.double(), b.double(), c.double()), approximate='tanh')
        near('gelu', torch._addmm_activation(a, b, c, use_gelu=True), known, 1)
    a, b, c = a.float(), b.float(), c.float()
    known = F.gelu(torch.addmm(a, b, c), approximate='tanh')
    print(torch.equal(torch._addmm_activation(a, b, c, use_gelu=True), known),
          torch.equal(torch._addmm_activation(a, b, c), torch.addmm(a, b, c).relu()))
"""

# A GPU sums the gradients of an index that repeats, and the statistics of normalizations, in float32.
SUMMED = """
    import torch
    import torch.nn.functional as F
    torch.manual_seed(0)
    at, x, by = torch.zeros(9000, dtype=torch.long), torch.randn(500, 40) + 2, torch.linspace(.5, 1.5, 40)
    def gradients(call, dtype, *given):
        given = [one.to(dtype).requires_grad_() for one in given]
        result = call(*given)
        result.backward(torch.linspace(.5, 1.5, result.shape[0]).to(result)[:, None].expand_as(result))
        return [one.grad.double().cpu() for one in given]
    def here(x, *others): return [one.to(x.device) for one in others]
    calls = {
        'index': lambda w: w[at.to(w.device)], 'embedding': lambda w: F.embedding(at.to(w.device), w),
        'bag': lambda w: F.embedding_bag(*here(w, at), w, *here(w, torch.arange(9000)), mode='sum'),
        'layer norm': lambda x, w: F.layer_norm(x, (40,), w),
        'batch norm': lambda x, w: F.batch_norm(x, None, None, w, training=True),
    }
    for dtype in torch.float16, torch.bfloat16:
        for name, call in calls.items():
            given = [one.to(dtype) for one in ((x, by) if 'norm' in name else (x[:3],))]
            for ours, known in zip(gradients(call, dtype, *(one.cuda() for one in given)),
                                   gradients(call, torch.float64, *given)):
                error = ((ours - known).abs().max() / known.abs().max()).item()
                if not error < 2 * torch.finfo(dtype).eps: print(name, dtype, 'differs by', error)
    means = [torch.zeros(40).cuda().half(), torch.ones(40).cuda().half()]
    F.batch_norm(x.cuda().half(), *means, training=True)
    torch.testing.assert_close(means[0].cpu().float(), x.mean(0) / 10, rtol=1e-2, atol=1e-3)
    print('all')
"""

# Results that are given or changed, and not contiguous. What lies between their elements stays.
WRITTEN = """
    import torch
    x = torch.rand(2, 3, 4, 6) + .5
    def within(like):
        around = torch.full((*like.shape, 3), 77., device='cuda')
        return around, around[..., 1]
    def change(call): return lambda x, y: call(y.copy_(x))
    pool, gelu = torch.ops.aten.avg_pool3d, torch.ops.aten.gelu
    calls = {'cumsum': (x.cumsum(0), change(lambda y: y.cumsum_(0))),
             'cumprod': (x.cumprod(1), change(lambda y: y.cumprod_(1))),
             'pool': (pool(x, 2), lambda x, y: pool.out(x, 2, out=y)),
             'gelu': (gelu(x), lambda x, y: gelu.out(x, out=y))}
    for name, (cpus, call) in calls.items():
        around, strided = within(cpus)
        transposed = torch.empty_like(cpus, device='cuda').mT.contiguous().mT
        for ours in strided, transposed: torch.testing.assert_close(call(x.cuda(), ours).cpu(), cpus)
        if not (around[..., ::2] == 77).all(): print(name, 'writes beside its result')
    print('all')
"""

LINEAR_ALGEBRA = """
    import torch
    torch.manual_seed(0)
    A, B, singular = torch.randn(2, 4, 4).cuda(), torch.randn(4, 2).cuda(), torch.diag(torch.tensor([1., 0, 1])).cuda()
    for driver in 'gesvd', 'gesvdj', 'gesvda':
        u, s, v = torch.linalg.svd(A, driver=driver)
        torch.testing.assert_close(u * s[..., None, :] @ v, A)
    torch.testing.assert_close(torch.linalg.svdvals(A, driver='gesvdj'), s)
    factors, pivots = torch.linalg.lu_factor(A, pivot=False)
    _, lower, upper = torch.linalg.lu(A, pivot=False)
    torch.testing.assert_close(lower @ upper, A, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(factors, lower.tril(-1) + upper)
    torch.testing.assert_close(A @ torch.linalg.lu_solve(factors, pivots, A), A, rtol=1e-3, atol=1e-3)
    out = torch.linalg.lu(A[0, :, :3], pivot=False, out=[torch.empty(0, device='cuda') for _ in range(3)])
    torch.testing.assert_close(out[1] @ out[2], A[0, :, :3], rtol=1e-4, atol=1e-4)
    print(pivots.tolist(), torch.linalg.lu_factor_ex(singular, pivot=False)[2].item())
    print(torch.cholesky_inverse(singular).isfinite().all().item())
    lower = torch.linalg.cholesky(A @ A.mT)
    torch.testing.assert_close(torch.cholesky_inverse(lower) @ (A @ A.mT), torch.eye(4).cuda().expand(2, 4, 4),
                               rtol=1e-2, atol=1e-2)
    solution = torch.linalg.lstsq(A[0, :, :3], B)
    torch.testing.assert_close(solution.solution.cpu(), torch.linalg.lstsq(A[0, :, :3].cpu(), B.cpu()).solution)
    print(solution.rank.numel(), solution.singular_values.numel())
    for name, call in {
        'driver': lambda: torch.linalg.svd(A, driver='gesdd'),
        'lstsq': lambda: torch.linalg.lstsq(A, A, driver='gelsd'),
        'lu': lambda: torch.linalg.lu_factor(singular, pivot=False), 'inv': lambda: torch.linalg.inv(A.half()),
        'cholesky': lambda: torch.linalg.cholesky(torch.eye(2, device='cuda').half()),
    }.items():
        try: print(name, call())
        except RuntimeError as error: print(name, str(error)[:36])
"""

# None of these waits for the GPU, so that they can also be captured.
WAITING = """
    import torch
    x, counts, one = torch.rand(4, 4, device='cuda'), torch.full((4,), 2, device='cuda'), torch.eye(4, device='cuda')
    calls = {'repeat_interleave': lambda: x.repeat_interleave(counts, 0, output_size=8),
             'fft': lambda: torch.fft.fft(x),
             'qr': lambda: torch.linalg.qr(x), 'cholesky': lambda: torch.linalg.cholesky_ex(one),
             'inverse': lambda: torch.linalg.inv_ex(one), 'digamma': lambda: x.digamma(),
             'nonzero': lambda: x.nonzero()}
    for name, call in calls.items():
        call()
        torch.cuda.set_sync_debug_mode('error')
        try: call()
        except RuntimeError as error: print(name, str(error)[:40])
        torch.cuda.set_sync_debug_mode('default')
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph): result = x.repeat_interleave(counts, 0, output_size=8)
    counts.copy_(torch.tensor([0, 5, 3, 0]))
    graph.replay()
    print(torch.equal(result.cpu(), x.cpu()[[1] * 5 + [2] * 3]))
"""

DETERMINISTIC = """
    import torch
    torch.use_deterministic_algorithms(True)
    x, at = torch.ones(2, device='cuda'), torch.tensor([1, 0], device='cuda')
    for call in (lambda: torch.bincount(at, weights=x), lambda: torch.bincount(at).tolist(),
                 lambda: x.index_reduce_(0, at, x, 'mean'), lambda: x.scatter_reduce_(0, at, x.clone(), 'prod'),
                 lambda: x.scatter_reduce_(0, at, x.clone(), 'amax').tolist()):
        try: print(call())
        except RuntimeError as error: print(str(error).split(' ')[0])
"""

# Times the n x n weights that the host's memory grows by.
ATTENTION = """
    import torch
    import torch.nn.functional as F
    def peak(): return int(next(l for l in open('/proc/self/status') if l.startswith('VmHWM')).split()[1]) * 1024
    n, heads = 4096, 4
    q = torch.rand(1, heads, n, 16, device='cuda', dtype=torch.half, requires_grad=True)
    F.scaled_dot_product_attention(q[:, :, :8], q[:, :, :8], q[:, :, :8], is_causal=True).sum().backward()
    before = peak()
    for mask in True, False:
        F.scaled_dot_product_attention(q, q, q, is_causal=mask).sum().backward()
    torch.cuda.synchronize()
    print(round((peak() - before) / (4 * heads * n * n)))
    for causal in True, False:
        for dropout in 0, .5:
            inputs = [torch.rand(1, 2, 1500, 8, device='cuda').requires_grad_() for _ in range(3)]
            torch.manual_seed(1)
            result = F.scaled_dot_product_attention(*inputs, is_causal=causal, dropout_p=dropout)
            result.backward(torch.linspace(-1, 1, result.numel(), device='cuda').view_as(result))
            if dropout: print(result.isfinite().all().item(), inputs[0].grad.isfinite().all().item())
            else:
                known = [x.detach().cpu().requires_grad_() for x in inputs]
                cpus = F.scaled_dot_product_attention(*known, is_causal=causal)
                cpus.backward(torch.linspace(-1, 1, cpus.numel()).view_as(cpus))
                for ours, theirs in zip([result, *(x.grad for x in inputs)], [cpus, *(x.grad for x in known)]):
                    torch.testing.assert_close(ours.cpu(), theirs, rtol=1e-3, atol=1e-4)
"""


class Differences(unittest.TestCase):
    def assert_prints(self, program, text):
        ran = computing_test.simulate(program)
        self.assertEqual(ran.stdout, text, ran.stderr)
        self.assertIn(" 0 not; values read back that were not computed: 0", ran.stderr)

    def test_indices_of_both_widths(self):
        self.assert_prints(INDICES.replace("REFUSED", str(REFUSED)), "all\n")

    def test_scripted_and_traced_indices(self):
        chosen = "[15, 10, 13] [13, 14, 15]\n"
        row = "7, 11, 12, 7, 14, 7"
        last = f"[15.0, 10.0, 13.0] [[[{row}], [{row}]], [{row}, {row}]]\n"
        self.assert_prints(SCRIPTED, chosen * 3 + last + "[[15, 10, 13]]\n" * 3)

    def test_a_result_of_a_library_has_the_size_of_its_values(self):
        ran = computing_test.simulate(LIBRARY)
        self.assertEqual(ran.stdout, "[2, 3] [2, 3]\n", ran.stderr)

    def test_half_precision_that_a_gpu_computes_in_float32(self):
        self.assert_prints(IN_FLOAT, "True True\n")

    def test_half_precision_that_a_gpu_sums_in_float32(self):
        self.assert_prints(SUMMED, "all\n")

    def test_results_that_are_given_and_not_contiguous(self):
        self.assert_prints(WRITTEN, "all\n")

    def test_linear_algebra_checks_what_a_gpu_checks(self):
        errors = [
            "driver torch.linalg.svd: unknown svd driver",
            "lstsq torch.linalg.lstsq: `driver` other t",
            "lu torch.linalg.lu_factor: U[2,2] is ze",
            "inv linalg.inv: Low precision dtypes not",
            'cholesky "cholesky_cpu" not implemented for \'',
        ]
        self.assert_prints(LINEAR_ALGEBRA, "[[1, 2, 3, 4], [1, 2, 3, 4]] 2\nFalse\n0 0\n" + "\n".join(errors) + "\n")

    def test_what_does_not_wait_for_the_gpu(self):
        self.assert_prints(WAITING, "nonzero called a synchronizing CUDA operation\nTrue\n")

    def test_alerts_of_operators_that_are_not_deterministic(self):
        alerts = "_bincount_cuda\n[1, 1]\nindex_reduce_cuda\nscatter_reduce_cuda_prod_\n[1.0, 1.0]\n"
        self.assert_prints(DETERMINISTIC, alerts)

    def test_attention_needs_no_matrix_of_all_weights(self):
        self.assert_prints(ATTENTION, "0\nTrue True\nTrue True\n")


if __name__ == "__main__":
    computing_test.TOCUDA, computing_test.TORCH = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1])
