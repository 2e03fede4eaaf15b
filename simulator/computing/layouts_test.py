#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""Tests that nested, sparse and quantized tensors, sequences of different lengths, bags of embeddings and operators
whose CUDA paths are their own have the CPU's values and gradients on simulated GPUs. Arguments: tocuda, and the folder
that holds torch."""

import sys
import unittest

import computing_test

NESTED = """
    import torch, warnings
    import torch.nn.functional as F
    from torch import nn
    warnings.simplefilter('ignore')
    torch.manual_seed(0)
    a, b = torch.randn(3, 4), torch.randn(5, 4)
    def padded(device, call, **how):
        one, other = (x.detach().to(device, copy=True).requires_grad_() for x in (a, b))
        result = call(torch.nested.as_nested_tensor([one, other], **how)).to_padded_tensor(0.)
        result.square().sum().backward()
        return result.detach().cpu(), one.grad.cpu(), other.grad.cpu()
    def same(what, call, **how):
        try: torch.testing.assert_close(padded('cuda', call, **how), padded('cpu', call, **how))
        except AssertionError as error: print(what, how, 'differs:', error)
    torch.full((1000,), 77., device='cuda')
    for how in {}, {'layout': torch.jagged}:
        same('padded', lambda n: n, **how)
        same('product', lambda n: F.linear(n, torch.linspace(0, 1, 8).view(2, 4).to(n.device)), **how)
        same('sum', lambda n: n + n, **how)
        same('gelu', lambda n: F.gelu(n), **how)
    same('softmax', lambda n: torch.softmax(n, -1))
    encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 4, 32, batch_first=True), 2).eval()
    x, short = torch.randn(2, 5, 16), torch.tensor([[False] * 5, [False, False, True, True, True]])
    with torch.inference_mode():
        cpus = encoder(x, src_key_padding_mask=short)
        ours = encoder.cuda()(x.cuda(), src_key_padding_mask=short.cuda()).cpu()
    torch.testing.assert_close(ours, cpus, rtol=1e-4, atol=1e-5)
    each = [torch.randn(3, 2, 8), torch.randn(5, 2, 8)]
    def attention(dtype, **how):
        inputs = [x.to('cuda', dtype).requires_grad_() for x in each]
        n = torch.nested.as_nested_tensor(inputs, layout=torch.jagged).transpose(1, 2)
        result = F.scaled_dot_product_attention(n, n, n, **how).transpose(1, 2).values()
        result.square().sum().backward()
        return [result.detach(), *(x.grad for x in inputs)]
    def one_by_one(**how):
        inputs = [x.clone().requires_grad_() for x in each]
        parts = [x.transpose(0, 1)[None] for x in inputs]
        result = torch.cat([F.scaled_dot_product_attention(x, x, x, **how)[0].transpose(0, 1) for x in parts])
        result.square().sum().backward()
        return [result.detach(), *(x.grad for x in inputs)]
    for dtype, near in (torch.float32, 1e-4), (torch.float16, .05):
        for how in {}, {'is_causal': True}:
            for ours, cpus in zip(attention(dtype, **how), one_by_one(**how)):
                torch.testing.assert_close(ours.cpu().float(), cpus, rtol=near, atol=near)
    print('all')
"""

SPARSE = """
    import torch, warnings
    warnings.simplefilter('ignore')
    torch.manual_seed(0)
    x, y, z = torch.randn(6, 6).relu(), torch.randn(6, 4), torch.randn(4, 6)
    def same(what, call):
        ours, cpus = call(x.cuda(), y.cuda(), z.cuda()), call(x, y, z)
        try: torch.testing.assert_close(ours.cpu(), cpus)
        except AssertionError as error: print(what, 'differs:', error)
    same('compressed times dense', lambda x, y, z: x.to_sparse_csr() @ y)
    same('compressed times compressed', lambda x, y, z: (x.to_sparse_csr() @ x.to_sparse_csr()).to_dense())
    same('sum', lambda x, y, z: (x.to_sparse_csr() + x.mT.to_sparse_csr()).to_dense())
    same('sampled', lambda x, y, z: torch.sparse.sampled_addmm(x.to_sparse_csr(), y, z).to_dense())
    same('coordinates', lambda x, y, z: torch.sparse.mm(x.to_sparse(), x.to_sparse()).to_dense())
    same('coordinates times dense', lambda x, y, z: torch.sparse.mm(x.to_sparse(), y))
    same('softmax', lambda x, y, z: torch.sparse.softmax(x.to_sparse(), 1).to_dense())
    quantized = torch.quantize_per_tensor(torch.arange(4., device='cuda'), .5, 1, torch.qint8)
    print(quantized.dequantize().tolist(), quantized.int_repr().tolist())
    try: torch.sparse.to_sparse_semi_structured(torch.tensor([0, 0, 1, 1]).tile(128, 32).half().cuda())
    except RuntimeError as error: print('CPU' in str(error))
"""

# With indices that repeat, and without; operators in place and with a result that is given.
COORDINATES = """
    import torch, warnings
    warnings.simplefilter('ignore')
    def coordinates(dtype, values, coalesced):
        indices = torch.tensor([[0, 3, 0, 1, 2], [1, 3, 1, 0, 2]])[:, :values]
        made = torch.sparse_coo_tensor(indices, torch.arange(1, values + 1).to(dtype), (4, 4))
        return made.coalesce() if coalesced else made
    def plain(result): return (result.to_dense() if result.is_sparse else result).cpu()
    def changed(call):
        def changing(u, w, d):
            u = u.clone()
            call(u, w, d)
            return u
        return changing
    calls = {
        'dense': lambda u, w, d: u.to_dense(), 'sum of two': lambda u, w, d: u + w, 'difference': lambda u, w, d: u - w,
        'product of two': lambda u, w, d: u * w, 'with dense': lambda u, w, d: u * d, 'to dense': lambda u, w, d: d + u,
        'added to zeros': lambda u, w, d: torch.zeros_like(d).add_(u, alpha=2),
        'joined': lambda u, w, d: torch.cat([u, w]),
        'chosen': lambda u, w, d: u.index_select(1, torch.tensor([3, 1, 1], device=u.device)),
        'summed': lambda u, w, d: torch.sparse.sum(u, 0), 'turned': lambda u, w, d: u.t(),
        'masked': lambda u, w, d: d.sparse_mask(u.coalesce()), 'matrices': lambda u, w, d: u @ d,
        'matrix and row': lambda u, w, d: u @ d[0], 'added': changed(lambda u, w, d: u.add_(w)),
        'multiplied': changed(lambda u, w, d: u.mul_(w)), 'given': changed(lambda u, w, d: torch.add(u, w, out=u)),
    }
    count = 0
    for dtype in torch.float32, torch.int64, torch.complex64, torch.float16:
        for coalesced in False, True:
            u, w, d = coordinates(dtype, 5, coalesced), coordinates(dtype, 3, coalesced), torch.ones(4, 4).to(dtype)
            known = [t.float() if dtype == torch.float16 else t for t in (u, w, d)]  # the CPU lacks some in float16
            for name, call in calls.items():
                if 'matri' in name and dtype in (torch.int64, torch.float16): continue  # a GPU refuses these
                ours = plain(call(u.cuda(), w.cuda(), d.cuda()))
                try: torch.testing.assert_close(ours, plain(call(*known)).to(dtype))
                except AssertionError as error: print(name, dtype, coalesced, 'differs:', error)
                count += 1
    print(count)
"""

# What the CPU computes first must reach memory that nothing has touched; what is changed on the way is computed once.
IN_PLACE = """
    import torch
    for call in torch.Tensor.i0_, torch.Tensor.lgamma_, torch.Tensor.digamma_:
        ours, cpus = torch.zeros(1 << 20, device='cuda'), torch.zeros(4)
        print(torch.equal(call(ours)[:4].cpu(), call(cpus)))
    x, by, at = torch.arange(1., 5), torch.arange(3.) * 7, torch.tensor([0, 0, 2])
    for call in (lambda x, by, at: x.index_reduce_(0, at, by, 'mean'), lambda x, by, at: x.renorm_(1, 0, 2),
                 lambda x, by, at: x.scatter_reduce_(-1, at.expand(4, 3), by.expand(4, 3), 'mean')):
        for dtype in torch.float32, torch.bfloat16:
            given = [x.to(dtype).expand(4, 4).contiguous(), by.to(dtype), at]
            if 'index' in call.__code__.co_names[0]: given[0] = given[0][0].clone()
            ours = call(*(tensor.cuda() for tensor in given)).cpu()
            torch.testing.assert_close(ours, call(*given))
    out, kept = torch.empty(4, device='cuda'), torch.empty(0, device='cuda')  # a GPU keeps nothing
    torch.ops.aten.log_sigmoid_forward.output(x.cuda(), output=out, buffer=kept)
    print(torch.equal(out.cpu(), torch.nn.functional.logsigmoid(x)), len(kept))
    try: torch.zeros(1, device='cuda').expand(4).i0_()
    except RuntimeError as error: print('single memory location' in str(error))
"""

# As many training scripts do, though it is on already.
CUDNN = """
    import torch
    from torch import nn
    torch.backends.cudnn.enabled = True
    for kind in nn.LSTM, nn.GRU:
        torch.manual_seed(0)
        cpus, x = kind(3, 4), torch.ones(1, 3, 3)
        ours = kind(3, 4).cuda()
        ours.load_state_dict(cpus.state_dict())
        ours(x.cuda())[0].sum().backward()
        cpus(x)[0].sum().backward()
        for one, other in zip(ours.parameters(), cpus.parameters()):
            torch.testing.assert_close(one.grad.cpu(), other.grad)
    print('all')
    import os, sys
    sys.stdout.flush()
    os._exit(0)  # Python 3.11 aborts if it ends while LibTorch's thread of the backward pass still frees tensors
"""

BAGS = """
    import torch
    import torch.nn.functional as F
    from itertools import product
    indices = torch.tensor([1, 2, 4, 5, 4, 3, 2, 9])
    torch.manual_seed(0)
    for mode, weighted, padding in ('sum', False, None), ('sum', True, 4), ('mean', False, 4), ('max', False, None):
        # Some bags with several indices and some with none; one a bag; indices of 32 bits.
        for offsets, dtype, last in product(([0, 3, 3, 6], [*range(8)]), (torch.int64, torch.int32), (False, True)):
            found = []
            weight, by = torch.randn(10, 4), torch.rand(8)
            for device in 'cuda', 'cpu':
                w, b = weight.to(device, copy=True).requires_grad_(), by.to(device, copy=True).requires_grad_()
                at = torch.tensor(offsets + [8] * last).to(device, dtype)
                result = F.embedding_bag(indices.to(device, dtype), w, at, mode=mode, padding_idx=padding,
                                         per_sample_weights=b if weighted else None, include_last_offset=last)
                result.square().sum().backward()
                found.append([result.detach().cpu(), w.grad.cpu(), b.grad.cpu() if weighted else None])
            torch.testing.assert_close(*found)
    print('all')
"""


# CUDA paths that act on what their first kernel wrote; memory that was used before shows it.
LARGE = """
    import torch
    torch.manual_seed(0)
    junk = torch.full((1 << 16,), -1, device='cuda'); del junk
    x = torch.randn(10000)
    values, indices = x.cuda().topk(5000)
    print(torch.equal(values.cpu(), x.topk(5000)[0]), torch.equal(x[indices.cpu()], values.cpu()))
    print(torch.multinomial(torch.rand(10000, device='cuda'), 5000).unique().numel())
    print(*(one.item() for one in torch.arange(3000, device='cuda').div(3, rounding_mode='floor').mode()))
"""

COMPRESSED = """
    import torch, warnings
    warnings.simplefilter('ignore')
    a = torch.tensor([[1., 2, 0], [0, 0, 3], [4, 5, 6]], device='cuda').to_sparse_csr()
    for _ in range(3): print(a.sum(1, keepdim=True).to_dense().flatten().tolist())
    print(torch._sparse_csr_prod(a, (1,), True).to_dense().flatten().tolist())
    b = torch.tensor([[[1., 0], [2, 0]], [[0, 4], [5, 0]]], device='cuda').to_sparse_csr()
    ones = torch.ones(2, 2, 1, device='cuda')
    print(torch.bmm(b, ones).flatten().tolist(), torch.baddbmm(ones, b, ones, beta=2).flatten().tolist())
"""

# What is trained to be quantized later; its observers have no sizes before the first step.
OBSERVED = """
    import copy, torch, torch.ao.quantization as Q, warnings
    from torch import nn
    warnings.simplefilter('ignore')
    torch.manual_seed(0)
    model = nn.Sequential(Q.QuantStub(), nn.Linear(8, 4), nn.ReLU(), Q.DeQuantStub()).train()
    model.qconfig = Q.get_default_qat_qconfig('x86')
    Q.prepare_qat(model, inplace=True)
    ours = copy.deepcopy(model).cuda()
    for step in range(3):
        x = torch.randn(2, 8)
        torch.testing.assert_close(ours(x.cuda()).cpu(), model(x))
    print('all')
"""

OF_CUDNN = """
    import torch
    import torch.nn.functional as F
    torch.manual_seed(0)
    x, w, b, theta = torch.randn(2, 4, 9, 9), torch.randn(6, 4, 3, 3), torch.randn(6), torch.randn(2, 2, 3)
    def same(ours, cpus): torch.testing.assert_close(ours.cpu(), cpus, rtol=1e-4, atol=1e-4)
    gpu = [each.cuda() for each in (x, w, b, theta)]
    how = 1, False, False, False
    convolved = F.conv2d(x, w, b, 2, 1)
    same(torch.cudnn_convolution(*gpu[:2], (1, 1), (2, 2), (1, 1), *how), F.conv2d(x, w, None, 2, 1))
    same(torch.cudnn_convolution_relu(*gpu[:3], (2, 2), (1, 1), (1, 1), 1), convolved.relu())
    same(torch.cudnn_convolution_add_relu(*gpu[:2], convolved.cuda(), 0.5, gpu[2], (2, 2), (1, 1), (1, 1), 1),
         (convolved * 1.5).relu())
    same(torch.cudnn_convolution_transpose(convolved.cuda(), gpu[1], (1, 1), (0, 0), (2, 2), (1, 1), *how),
         F.conv_transpose2d(convolved, w, None, 2, 1))
    grid = F.affine_grid(theta, x.shape, align_corners=True)
    same(torch.cudnn_affine_grid_generator(gpu[3], *x.shape), grid)
    print('all')
"""


class Layouts(unittest.TestCase):
    def assert_prints(self, program, text):
        ran = computing_test.simulate(program)
        self.assertEqual(ran.stdout, text, ran.stderr)
        self.assertIn(" 0 not; values read back that were not computed: 0", ran.stderr)
        self.assertNotIn("cusparseCreate", ran.stderr)

    def test_nested_tensors(self):
        self.assert_prints(NESTED, "all\n")

    def test_sparse_and_quantized_tensors(self):
        self.assert_prints(SPARSE, "[0.0, 1.0, 2.0, 3.0] [1, 3, 5, 7]\nFalse\n")

    def test_coordinates(self):
        self.assert_prints(COORDINATES, "128\n")

    def test_special_functions_in_place(self):
        self.assert_prints(IN_PLACE, "True\nTrue\nTrue\nTrue 0\nTrue\n")

    def test_programs_may_switch_cudnn_on(self):
        self.assert_prints(CUDNN, "all\n")

    def test_operators_that_read_back_what_their_kernels_wrote(self):
        self.assert_prints(LARGE, "True True\n5000\n0 2\n")

    def test_compressed_matrices(self):
        products = "[1.0, 2.0, 4.0, 5.0] [3.0, 4.0, 6.0, 7.0]"
        self.assert_prints(COMPRESSED, 3 * "[3.0, 3.0, 15.0]\n" + "[2.0, 3.0, 120.0]\n" + products + "\n")

    def test_training_for_quantization(self):
        self.assert_prints(OBSERVED, "all\n")

    def test_operators_of_cudnn_called_by_name(self):
        self.assert_prints(OF_CUDNN, "all\n")

    def test_bags_of_embeddings(self):
        self.assert_prints(BAGS, "all\n")


if __name__ == "__main__":
    computing_test.TOCUDA, computing_test.TORCH = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1])
