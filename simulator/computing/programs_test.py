#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""Tests the programs that a new user tries first under `tocuda simulate`: training, several GPUs, half precision,
loaders, generation, graphs, torchrun; and how programs end. Arguments: those of computing_test.py."""

import os
import select
import signal
import subprocess
import sys
import tempfile
import textwrap
import unittest
import unittest.mock
from pathlib import Path

import computing_test

HERE = Path(__file__).resolve().parent

MLP = """
    import torch
    from torch import nn
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(20, 64), nn.LayerNorm(64), nn.ReLU(), nn.Linear(64, 5)).cuda()
    x, y = torch.randn(64, 20, device='cuda'), torch.randint(5, (64,), device='cuda')
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    losses = []
    for _ in range(30):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    print(losses[-1] < losses[0] / 5)
"""

COMPILED = """
    import torch
    from torch import nn
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(20, 64), nn.GELU(), nn.Linear(64, 5)).cuda()
    x, y = torch.randn(64, 20, device='cuda'), torch.randint(5, (64,), device='cuda')
    expected = model(x)
    compiled = torch.compile(model, mode='max-autotune')
    print(torch.equal(compiled(x), expected))
    nn.functional.cross_entropy(compiled(x), y).backward()
    print(model[0].weight.grad.abs().sum().item() > 0)
"""

SPLIT = """
    import torch
    from torch import nn
    first, second = nn.Linear(32, 64).to('cuda:0'), nn.Linear(64, 3).to('cuda:1')
    optimizer = torch.optim.SGD([*first.parameters(), *second.parameters()], lr=0.5)
    x, y = torch.randn(32, 32, device='cuda:0'), torch.randint(3, (32,), device='cuda:1')
    losses = []
    for _ in range(20):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(second(first(x).relu().to('cuda:1')), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    print(loss.device, losses[-1] < losses[0] / 2)
    both = nn.DataParallel(nn.Linear(8, 2).cuda())
    both(torch.randn(6, 8, device='cuda')).sum().backward()
    print(both.module.bias.grad.tolist())
"""

AUTOCAST = """
    import torch
    from torch import nn
    torch.manual_seed(0)
    model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Linear(288, 4)).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    scaler = torch.amp.GradScaler('cuda')
    x, y = torch.randn(16, 3, 8, 8, device='cuda'), torch.randint(4, (16,), device='cuda')
    losses = []
    for step in range(10):
        optimizer.zero_grad()
        with torch.autocast('cuda', dtype=torch.float16):
            out = model(x)
            loss = nn.functional.cross_entropy(out, y)
        if step == 5: loss = loss * float('inf')
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        losses.append(loss.item())
    print(out.dtype, losses[-1] < losses[0], scaler.get_scale())
"""

LOADER = """
    import sys
    import torch
    from torch.utils.data import DataLoader, TensorDataset
    data = TensorDataset(torch.arange(64.), torch.arange(64))
    for context in ('fork', 'spawn'):
        total = 0
        for x, y in DataLoader(data, batch_size=8, num_workers=2, pin_memory=True, multiprocessing_context=context):
            total += (x.cuda(non_blocking=True) + y.cuda(non_blocking=True)).sum().item() * x.is_pinned()
        print(total)
"""

# As GPT-2 does: attention with dropout while it trains, then words drawn from the best.
GENERATION = """
    import sys, torch
    sys.path.insert(0, sys.argv[1])
    from torch import nn
    from training_program import Gpt
    torch.manual_seed(0)
    model = Gpt().cuda()
    ids = torch.randint(50, (1, 8), device='cuda')
    def generate(model, ids, choose):
        for _ in range(8): ids = torch.cat([ids, choose(model(ids)[-1:])], 1)
        return ids.tolist()
    def draw(scores):
        best, places = scores.topk(5)
        return places.gather(1, torch.multinomial(best.softmax(-1), 1))
    greedy = lambda scores: scores.argmax(-1, keepdim=True)
    with torch.no_grad():
        print(generate(model, ids, greedy) == generate(model.cpu(), ids.cpu(), greedy))
        model.cuda()
        torch.manual_seed(1); once = generate(model, ids, draw)
        torch.manual_seed(1); print(once == generate(model, ids, draw), len(once[0]))
    x = torch.randn(2, 4, 16, 8, device='cuda', requires_grad=True)
    seen = nn.functional.scaled_dot_product_attention(x, x, x, dropout_p=0.1, is_causal=True)
    seen.sum().backward()
    print(bool(seen.isfinite().all()), bool(x.grad.isfinite().all()))
"""

GRAPH = """
    import torch
    from torch import nn
    torch.manual_seed(0)
    model = nn.Linear(16, 1).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    x, y = torch.randn(32, 16, device='cuda'), torch.empty(32, 1, device='cuda')
    def step():
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        return loss
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3): step()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph): loss = step()
    losses = []
    for _ in range(40):
        x.copy_(torch.randn(32, 16))
        y.copy_(x.sum(1, keepdim=True))
        graph.replay()
        losses.append(loss.item())
    print(losses[-1] < losses[0] / 4)
"""

# Two processes train on half a batch each, one process without them on the whole.
TORCHRUN = """
    import copy
    import torch
    import torch.distributed as dist
    from torch import nn
    from torch.distributed.fsdp import fully_shard
    from torch.nn.parallel import DistributedDataParallel as Ddp
    dist.init_process_group('nccl')
    rank = dist.get_rank()
    torch.cuda.set_device(rank)
    def check(name, wrap, make, whole=lambda tensor: tensor):
        torch.manual_seed(0)
        alone = nn.Sequential(nn.Conv2d(3, 4, 3), make(), nn.ReLU(), nn.Flatten(), nn.Linear(144, 2))
        model = wrap(copy.deepcopy(alone).cuda())
        both = [(net, torch.optim.SGD(net.parameters(), 0.1)) for net in (model, alone)]
        for _ in range(5):
            x, y = torch.randn(8, 3, 8, 8), torch.randint(2, (8,))
            mine = slice(rank * 4, rank * 4 + 4)
            for (net, optimizer), x, y in zip(both, (x[mine].cuda(), x), (y[mine].cuda(), y)):
                optimizer.zero_grad()
                nn.functional.cross_entropy(net(x), y).backward()
                optimizer.step()
        pairs = zip(model.parameters(), alone.parameters())
        worst = max((whole(one).detach().cpu() - other.detach()).abs().max().item() for one, other in pairs)
        if rank == 0: print(name, worst < 1e-5, flush=True)
    check('ddp', lambda net: Ddp(net, device_ids=[rank]), nn.Identity)
    to_sync = nn.SyncBatchNorm.convert_sync_batchnorm
    check('synchronised', lambda net: Ddp(to_sync(net), device_ids=[rank]), lambda: nn.BatchNorm2d(4))
    check('fsdp2', fully_shard, nn.Identity, lambda shard: shard.full_tensor())
    dist.barrier()
    out, given = torch.empty(2, device='cuda'), torch.tensor([0., 1.], device='cuda') + 10 * rank
    dist.all_to_all_single(out, given)
    if rank == 1: print(out.tolist(), flush=True)
    dist.destroy_process_group()
"""

ON_A_GPU = "import os, sys, torch; x = torch.ones(3, device='cuda'); torch.cuda.synchronize()\n"


class Programs(unittest.TestCase):
    def assert_prints(self, program, *lines, **more):
        ran = computing_test.simulate(program, **more)
        self.assertEqual(ran.stdout.splitlines(), list(lines), ran.stderr)
        self.assertIn(" 0 not; values read back that were not computed: 0", ran.stderr)

    def test_the_loss_of_a_perceptron_falls(self):
        self.assert_prints(MLP, "True")

    def test_a_model_split_over_two_gpus_learns(self):
        self.assert_prints(SPLIT, "cuda:1 True", "[6.0, 6.0]")

    def test_what_is_compiled_runs_operator_by_operator(self):
        ran = computing_test.simulate(COMPILED)
        self.assertEqual(ran.stdout.splitlines(), ["True", "True"], ran.stderr)
        self.assertIn("not through Inductor: rounding and memory differ from a GPU's; without effect: ", ran.stderr)
        self.assertIn("max_autotune", ran.stderr)
        self.assertIn("tocuda: torch.compile: 1 graph ran operator by operator, not through Inductor\n", ran.stderr)
        self.assertEqual(computing_test.simulate(COMPILED, "--strict").returncode, 3)
        refused = computing_test.simulate(COMPILED, "--compile", "refuse")
        self.assertEqual(refused.returncode, 1)
        self.assertIn("torch.compile on simulated GPUs was refused", refused.stderr)
        self.assertEqual(computing_test.simulate(MLP, "--strict").returncode, 0)

    def test_autocast_with_a_scaler_that_skips_a_step(self):
        self.assert_prints(AUTOCAST, "torch.float16 True 32768.0")

    def test_a_loader_with_workers_and_pinned_memory(self):
        self.assert_prints(LOADER, "4032.0", "4032.0")

    def test_words_are_generated(self):
        self.assert_prints(GENERATION, "True", "True 16", "True True", arguments=[str(HERE)])

    def test_a_training_step_in_a_graph(self):
        self.assert_prints(GRAPH, "True")

    def test_four_networks_have_the_cpus_losses(self):
        ran = computing_test.simulate((HERE / "training_program.py").read_text())
        rows = [line.split(maxsplit=2) for line in ran.stdout.splitlines()]
        self.assertEqual([(row[0], row[2]) for row in rows],
                         [(name, "falls") for name in ("resnet18", "gpt", "lstm", "vit")], ran.stderr)  # fmt: skip
        for name, worst, _ in rows:
            self.assertLess(float(worst), 1e-4, name)

    def test_torchrun(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "train.py").write_text(textwrap.dedent(TORCHRUN))
            launch = ["import runpy; runpy.run_module('torch.distributed.run', run_name='__main__')"]
            self.assert_prints(*launch, "ddp True", "synchronised True", "fsdp2 True", "[1.0, 11.0]",
                               arguments=["--nproc-per-node", "2", f"{folder}/train.py"])  # fmt: skip


class Ends(unittest.TestCase):
    def test_a_program_that_ends_while_the_thread_of_its_backward_pass_does(self):
        ends = "import torch\nx = torch.ones(64, 64, device='cuda', requires_grad=True)\n(x @ x).exp().sum().backward()"
        for _ in range(4):  # about half of them failed when the thread was ended
            ran = computing_test.simulate(ends)
            self.assertEqual(ran.returncode, 0, ran.stderr)

    def test_cuda_visible_devices_is_obeyed(self):
        asks = "import torch\nprint(torch.cuda.device_count())"
        for visible, count in (("1", "1"), ("7", "0"), ("1,0", "2")):
            with self.subTest(visible), unittest.mock.patch.dict(os.environ, CUDA_VISIBLE_DEVICES=visible):
                ran = computing_test.simulate(asks)
                self.assertEqual(ran.stdout.strip(), count, ran.stderr)
                self.assertIn(f"CUDA_VISIBLE_DEVICES={visible} holds for the simulated GPUs, too", ran.stderr)

    def test_the_exit_code_is_the_programs(self):
        for name, program, code in (
            ("crash", "import ctypes; ctypes.string_at(0)", 128 + signal.SIGSEGV),
            ("abort", "os.abort()", 128 + signal.SIGABRT),
            ("exit at once", "os._exit(9)", 9),
            ("closed descriptors", "os.closerange(0, 4096); os._exit(6 if (x + 1).tolist() == [2, 2, 2] else 1)", 6),
            ("fork", "child = os.fork()\nif child == 0: os._exit(3)\n"
                     "sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) + int(x.sum()))", 6),
            ("exec", "os.execv(sys.executable, [sys.executable, '-c', 'import torch, sys; "
                     "sys.exit(int(torch.ones(8, device=\"cuda\").sum()))'])", 8),
        ):  # fmt: skip
            with self.subTest(name):
                ran = computing_test.simulate(ON_A_GPU + program)
                self.assertEqual(ran.returncode, code, ran.stderr)
                self.assertIn("tocuda: operators: ", ran.stderr)

    def test_a_program_that_is_interrupted_or_loses_tocuda_ends(self):
        loop = ON_A_GPU + "print(os.getpid(), flush=True)\nwhile True: x.add_(1)"
        environment = {**os.environ, "PYTHONPATH": computing_test.TORCH, "OMP_NUM_THREADS": "1"}
        for how, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)):
            with self.subTest(how), subprocess.Popen(
                [computing_test.TOCUDA, "simulate", "1x1GiB", "--", sys.executable, "-c", loop],
                env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as started:  # fmt: skip
                program = os.pidfd_open(int(started.stdout.readline()))  # of no later process with its number
                self.addCleanup(os.close, program)
                started.send_signal(how)
                self.assertEqual(started.wait(60), code)
                ended, _, _ = select.select([program], [], [], 60)
                if not ended:
                    signal.pidfd_send_signal(program, signal.SIGKILL)
                self.assertTrue(ended)


if __name__ == "__main__":
    computing_test.TOCUDA, computing_test.TORCH = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1])
