#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""Tests that results and gradients in half precision are computed on simulated GPUs, though the CPU has no such kernel,
and gradients for which a GPU keeps something else than the CPU. Arguments: tocuda, and the folder that holds torch."""

import sys
import unittest

import computing_test

# Prints what differs from the same in float32 on the CPU by more than the rounding of half precision.
HALF = """
    import torch
    import torch.nn.functional as F
    from torch import nn
    def gradient(function, x):
        x = x.detach().requires_grad_()
        result = function(x)
        result.float().square().sum().backward()
        return result.detach().cpu().float(), x.grad.cpu().float()
    def same(what, function, size, types=(torch.half, torch.bfloat16)):
        for dtype in types:
            x = torch.randn(*size).to(dtype)
            ours, cpus = gradient(function, x.cuda()), gradient(function, x.float())
            try: torch.testing.assert_close(ours, cpus, rtol=.1, atol=.1)
            except AssertionError as error: print(what, dtype, 'differs:', error)
    def network(module): return lambda x: module.to(x.device, x.dtype)(x)
    torch.manual_seed(0)
    same('layer norm', network(nn.LayerNorm(8)), (4, 8))
    same('batch norm', network(nn.BatchNorm2d(3)), (4, 3, 5, 5))
    same('batch norm, evaluated', network(nn.BatchNorm1d(8).eval()), (4, 8))
    same('instance norm', network(nn.InstanceNorm2d(3, affine=True)), (4, 3, 5, 5))
    same('group norm', network(nn.GroupNorm(2, 4)), (4, 4, 5, 5))
    same('softmax', lambda x: F.softmax(x, -1, dtype=torch.float32), (4, 8))
    same('log softmax', lambda x: F.log_softmax(x, -1, dtype=torch.float32), (4, 8))
    same('log sigmoid', F.logsigmoid, (4, 8), (torch.half, torch.bfloat16, torch.float32, torch.float64))
    same('pooling', lambda x: F.avg_pool3d(x, 2), (1, 2, 4, 4, 4))
    same('smaller', lambda x: F.interpolate(x, scale_factor=.5, mode='bilinear', antialias=True), (1, 2, 8, 8))
    target = torch.tensor([1, 0, 3, 2])
    same('margins', lambda x: F.multi_margin_loss(x, target.to(x.device)), (4, 8))
    same('margins of labels', lambda x: F.multilabel_margin_loss(x, target[None].expand(4, 4).to(x.device)), (4, 4))
    print(F.rrelu(torch.ones(3, device='cuda').half().neg(), training=True).isfinite().all().item())
    print(torch.histc(torch.tensor([1, 1, 7], dtype=torch.uint8, device='cuda'), 2, 0, 8).tolist())
"""

# Attention by hand in float16, as people write it: its softmax is in float32.
AUTOCAST = """
    import torch
    from torch import nn
    torch.manual_seed(0)
    model, last = nn.Linear(16, 48).cuda(), nn.Linear(16, 4).cuda()
    parameters = [*model.parameters(), *last.parameters()]
    optimizer, scaler = torch.optim.AdamW(parameters, 1e-2), torch.amp.GradScaler('cuda')
    x, y = torch.randn(8, 5, 16, device='cuda'), torch.randint(0, 4, (8,), device='cuda')
    losses = []
    for _ in range(5):
        with torch.autocast('cuda', dtype=torch.float16):
            q, k, v = model(x).chunk(3, -1)
            loss = nn.functional.cross_entropy(last(((q @ k.mT / 4).softmax(-1) @ v).mean(1)), y)
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        losses.append(loss.item())
    print(losses[-1] < losses[0], scaler.get_scale())
"""

# An index that changes after the forward pass. LibTorch's backward pass runs in a thread without Python.
BACKWARD = """
    import torch
    x = torch.ones(3, device='cuda', requires_grad=True)
    chosen = torch.tensor([0, 1], device='cuda')
    loss = x.gather(0, chosen).sum()
    chosen.data.fill_(9)
    try:
        loss.backward()
        torch.cuda.synchronize()
    except torch.AcceleratorError: print('failed')
"""


class Gradients(unittest.TestCase):
    def assert_prints(self, program, text):
        ran = computing_test.simulate(program)
        self.assertEqual(ran.stdout, text, ran.stderr)
        self.assertIn(" 0 not; values read back that were not computed: 0", ran.stderr)

    def test_half_precision_has_the_gradients_of_float32(self):
        self.assert_prints(HALF, "True\n[2, 1]\n")

    def test_attention_by_hand_learns_with_autocast(self):
        self.assert_prints(AUTOCAST, "True 65536.0\n")

    def test_an_operator_of_a_backward_pass_has_its_line(self):
        ran = computing_test.simulate(BACKWARD)
        self.assertEqual(ran.stdout, "failed\n", ran.stderr)
        self.assertIn("aten::scatter_add_ at <string>:8 fails a device-side assertion", ran.stderr)


if __name__ == "__main__":
    computing_test.TOCUDA, computing_test.TORCH = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1])
