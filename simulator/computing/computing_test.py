#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""Tests programs of PyTorch under `tocuda simulate`: values, memory, what is not computed, and how they end.
Arguments: tocuda, and the folder that holds the package torch."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path


def simulate(program, *options, gpus="2x1GiB", arguments=(), **more):
    command = [TOCUDA, "simulate", gpus, *options, "--", sys.executable, "-c", textwrap.dedent(program), *arguments]
    environment = {**os.environ, "PYTHONPATH": TORCH, "OMP_NUM_THREADS": "1", "PYTHONFAULTHANDLER": "1"}
    return subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment, **more)


# Each line prints nothing, or what differs between a GPU and the CPU.
VALUES = """
    import torch
    import torch.nn.functional as F
    def same(what, function, *tensors):
        ours = function(*[tensor.cuda() for tensor in tensors])
        cpus = function(*tensors)
        try: torch.testing.assert_close(ours.cpu(), cpus)
        except AssertionError as error: print(what, 'differs:', error)
    x, y = torch.randn(5, 7), torch.randn(7)
    same('product', lambda a, b: a @ b, x, y)
    same('in place', lambda a: a.clone().mul_(2).add_(a), x)
    same('overlapping views', lambda a: a.t()[1:, ::2].exp_(), x.clone())
    same('out', lambda a: torch.mul(a, 3, out=torch.empty(0, device=a.device)), x)
    same('strides', lambda a: torch.cat([a.t() * 2, a.t().sum(1, True, dtype=torch.half).float().expand(7, 5)]), x)
    same('two results', lambda a: sum(a.t().sort(0)), x)
    same('channels last', lambda a: F.gelu(a[None, :, :, None].to(memory_format=torch.channels_last)), x)
    same('conjugated', lambda a: torch.complex(a, a).conj() @ torch.complex(a, -a).mT, x)
    same('nonzero', lambda a: (a > 0).nonzero(), x)
    same('mask', lambda a: a[a > 0], x)
    same('unique', lambda a: torch.unique((a * 2).long()), x)
    same('mask, written', lambda a: a.clone().masked_fill_(a > 0, -1), x)
    same('half', lambda a: (a.half() * a.half()).sum(), x)
    same('bfloat16', lambda a: a.bfloat16() + 1, x)
    same('complex', lambda a: torch.complex(a, a).conj() * 2j, x)
    same('complex logarithm of a sum', lambda a: torch.logaddexp(torch.complex(a, a), torch.complex(a, -a)), x)
    same('fft', lambda a: torch.fft.rfft(a).abs(), x)
    same('solve', lambda a: torch.linalg.solve(a @ a.mT + torch.eye(5, device=a.device), a), x)
    same('sparse', lambda a: a.relu().to_sparse().to_dense() * 2, x)
    same('special', lambda a: torch.special.i1e(a) + torch.lgamma(a), x)
    same('float8', lambda a: a.to(torch.float8_e4m3fn).float(), x)
    same('attention', lambda a: F.scaled_dot_product_attention(a, a, a, is_causal=True), torch.randn(1, 2, 9, 8))
    half = torch.ones(1, 2, 9, 64).half()
    same('attention in half', lambda a: F.scaled_dot_product_attention(a, a, a).isfinite(), half)
    traced = torch.jit.trace(lambda a: a * 2 + 1, y.cuda())
    for _ in range(3): same('traced and fused', lambda a: traced(a) if a.is_cuda else a * 2 + 1, y)
    z = torch.randn(40, 1100)
    same('results of one size', lambda a: torch.stack(torch.var_mean(a, 0)), z)
    same('results of one size, of two types', lambda a: sum(a.double().median(1)), z)
    same('results of one size, in a list', lambda a: torch.stack(torch._foreach_sqrt([a.abs(), a.exp()])), z)
    same('results of one size, transposed', lambda a: sum(torch.linalg.qr(a.mT @ a, mode='complete')), z[:, :80])
    same('normalised', lambda a: F.layer_norm(a, a.shape[1:]), z)
    same('foreach', lambda a: torch.stack(torch._foreach_add([a, a], 1)), x)
    same('scalar', lambda a: a * a.sum() + a.max(), x)
    a = torch.arange(4., device='cuda:0'); b = (a * 2).to('cuda:1') + 1
    print(b.device, b.tolist(), torch.equal(b, b.clone()), bool((b > 0).all()))
    pinned = torch.empty(4).pin_memory(); pinned.copy_(a, non_blocking=True); a.add_(1)
    torch.cuda.synchronize(); print(pinned.tolist(), a.tolist())
    try: torch.equal(x.cuda(), x)
    except RuntimeError as error: print('on the same device' in str(error))
    torch.manual_seed(0); before = torch.rand(1)
    torch.manual_seed(0); torch.rand(9, device='cuda'); print(torch.equal(before, torch.rand(1)))
"""

# Behind a copy that waits for its turn, and in a graph: what the CPU cannot compute, and an index that then changes.
LATER = """
    import torch
    x = torch.arange(4., device='cuda') + 2
    many = torch.empty(1 << 24).pin_memory()
    def behind_a_copy():
        torch.empty_like(many, device='cuda').copy_(many, non_blocking=True)
    chosen = torch.tensor([0, 1])
    behind_a_copy(); picked = x[chosen]; chosen.fill_(3)
    weight = torch.zeros(16, 64, dtype=torch.uint8, device='cuda')
    behind_a_copy(); missing = torch.ops.aten._convert_weight_to_int4pack(weight, 2)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph): torch.ops.aten._convert_weight_to_int4pack(weight, 2); later = x + 3
    graph.replay()
    print(picked.tolist(), missing.numel(), later.tolist()[:2])
"""

# How many times its result's memory each takes of the host in addition.
RESULTS = """
    import torch
    import torch.nn.functional as F
    from pathlib import Path
    x, at = torch.ones(32, 1024, 1024, device='cuda'), torch.arange(1024, device='cuda').repeat(32)
    def peak():
        return int(next(l for l in open('/proc/self/status') if l.startswith('VmHWM')).split()[1]) * 1024
    def adds(call):
        size = call().nbytes  # the GPU's memory is reused below
        Path('/proc/self/clear_refs').write_text('5')  # the peak is now what is used
        before = peak()
        call()
        return round((peak() - before) / size)
    print(adds(lambda: x * 2), adds(lambda: F.layer_norm(x, (1024,))), adds(lambda: torch._foreach_sqrt([x])[0]),
          adds(lambda: F.embedding(at, x[0])))
"""

# At once, of an index and of others; behind a copy that waits for its turn; in a graph.
ASSERTION = """
    import sys, torch
    x = torch.arange(4., device='cuda')
    wrong = torch.tensor([9], device='cuda')
    many = torch.empty(1 << 24).pin_memory()
    torch.cuda.synchronize()
    def fail():
        if sys.argv[1] == 'at once': torch.index_select(x, 0, wrong)
        elif sys.argv[1] == 'a probability': torch.empty_like(x).bernoulli_(x)
        elif sys.argv[1] == 'an estimate': torch.nn.functional.binary_cross_entropy(x, x)
        elif sys.argv[1] == 'later':
            torch.empty_like(many, device='cuda').copy_(many, non_blocking=True); torch.gather(x, 0, wrong)
        else:
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph): x[wrong]
            print('captured'); graph.replay()
        torch.cuda.synchronize()
    for call in fail, torch.cuda.synchronize:
        try: call()
        except torch.AcceleratorError as error: print(str(error).splitlines()[0])
"""

TRAINING = """
    import pickle, sys
    import torch
    from torch import nn
    torch.cuda.memory._record_memory_history(stacks='python', context=None)
    def losses(device):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.GELU(), nn.Flatten(), nn.Linear(144, 5))
        model, x, y = model.to(device), torch.randn(8, 3, 8, 8).to(device), torch.randint(5, (8,)).to(device)
        optimizer = torch.optim.AdamW(model.parameters(), 1e-2, fused=device == 'cuda')
        for _ in range(8):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
            yield loss.item()
    ours = list(losses('cuda'))
    trace = torch.cuda.memory._snapshot()['device_traces'][0]
    print([(event['action'], event['size']) for event in trace])
    if 'compare' in sys.argv:
        print(max(abs(one - other) for one, other in zip(ours, losses('cpu'))), ours[-1] < ours[0])
"""

NOT_COMPUTED = """
    import os, signal, torch
    a = torch.ones(4, device='cuda')
    weight = torch.ops.aten._convert_weight_to_int4pack
    x = torch.zeros(16, 64, dtype=torch.uint8, device='cuda')
    packed = weight(x, 2)
    (packed.float().sum() + a.sum()).item()
    print(a.tolist(), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""

# Half precision: each product is that in float32, rounded once, and takes the time of some of them at most.
PRODUCTS = """
    import time, torch
    def seconds(call):
        def once():
            began = time.process_time()
            call()
            torch.cuda.synchronize()
            return time.process_time() - began
        return min(once() for _ in range(6))
    def near(call):
        x, y, z = (torch.randn(2, 8, 8, device='cuda').half() for _ in range(3))
        single, half = call(x.float(), y.float(), z.float()).half(), call(x, y, z)
        return half.dtype == torch.float16 and torch.equal(half, single)
    print(near(lambda x, y, z: x @ y), near(lambda x, y, z: x[0] @ y[0].t()), near(lambda x, y, z: x[0] @ y[0, 0]))
    print(near(lambda x, y, z: torch.addmm(x[0], y[0], z[0], beta=0.5, alpha=2)))
    print(near(lambda x, y, z: x.baddbmm_(y, z)), near(lambda x, y, z: torch.mm(x[0], y[0], out=z[0])))
    a, b = (torch.randn(512, 512, device='cuda') for _ in range(2))
    one, other = a.half(), b.half()
    print(seconds(lambda: one @ other) < 8 * seconds(lambda: a @ b))
"""


KERNEL_OF_NO_OPERATOR = """
    import torch
    x = torch.ones(4, device='cuda')
    print(x.sum().item())
    mine = torch.cuda.jiterator._create_jit_fn('template <typename T> T mine(T x) { return x + 1; }')
    print(len(mine(x).tolist()))
"""


class Computing(unittest.TestCase):
    def test_values_are_those_of_the_cpu(self):
        ran = simulate(VALUES)
        expected = "cuda:1 [1.0, 3.0, 5.0, 7.0] True True\n[0.0, 1.0, 2.0, 3.0] [1.0, 2.0, 3.0, 4.0]\nTrue\nTrue\n"
        self.assertEqual(ran.stdout, expected, ran.stderr)
        self.assertIn("SIMULATED", ran.stderr)
        self.assertIn(" 0 not; values read back that were not computed: 0", ran.stderr)

    def test_a_gpu_runs_the_code_of_an_older_one_of_its_kind(self):
        """LibTorch has no code for 8.9 or 12.1: CUB asks which code runs, and has kernels for that of 8.6 and 12.0."""
        sorts = """
            import torch
            numbers = torch.arange(100000).flip(0)
            print(torch.equal(numbers.cuda().sort()[0].cpu(), numbers.sort()[0]), numbers.cuda().cumsum(0)[-1].item())
        """
        for gpus in ("1xL4", "1xGB10"):
            ran = simulate(sorts, gpus=gpus)
            self.assertEqual(ran.stdout, "True 4999950000\n", ran.stderr)

    def test_training_gives_the_cpus_losses_in_the_memory_that_it_takes_without_computing(self):
        computed = simulate(TRAINING.replace("'compare' in sys.argv", "True"))
        trace, difference = computed.stdout.splitlines()
        self.assertLess(float(difference.split()[0]), 1e-4)
        self.assertTrue(difference.endswith("True"))
        self.assertGreater(trace.count("alloc"), 100)
        self.assertEqual(simulate(TRAINING, "--no-compute").stdout.splitlines(), [trace])

    def test_results_are_computed_where_they_belong(self):
        ran = simulate(RESULTS)
        self.assertEqual(ran.stdout, "0 0 0 0\n", ran.stderr)

    def test_products_in_half_precision_are_added_in_float32(self):
        ran = simulate(PRODUCTS)
        self.assertEqual(ran.stdout, "True True True\nTrue\nTrue True\nTrue\n", ran.stderr)

    def test_what_is_not_computed_is_named_and_counted_though_the_program_is_killed(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "summary.json"
            ran = simulate(NOT_COMPUTED, "--json", "--output", str(file))
            counts = json.loads(file.read_text())
        self.assertEqual((ran.returncode, ran.stdout), (128 + signal.SIGKILL, "[1.0, 1.0, 1.0, 1.0]\n"), ran.stderr)
        self.assertEqual([row["operator"] for row in counts["not_computed"]], ["aten::_convert_weight_to_int4pack"])
        self.assertEqual(counts["not_computed"][0]["line"], "<string>:6")
        self.assertEqual(counts["read_back_not_computed"], 1)
        self.assertIn("a value was read back that was not computed: aten::_convert_weight_to_int4pack", ran.stderr)
        self.assertGreater(counts["computed"], 1)
        self.assertEqual(counts["bytes"]["device_to_host"], 4 + 16)
        self.assertGreaterEqual(counts["gpus"][0]["peak_allocated_bytes"], 1024)
        self.assertEqual(counts["gpus"][1]["peak_reserved_bytes"], 0)

    def test_what_a_kernel_of_no_operator_may_have_changed_is_counted_apart(self):
        ran = simulate(KERNEL_OF_NO_OPERATOR)
        self.assertEqual(ran.stdout, "4.0\n4\n", ran.stderr)
        self.assertIn("may depend on mine_vectorized8_kernel, which was not computed\n", ran.stderr)
        self.assertIn("values read back that were not computed: 0, that may depend on one: 1\n", ran.stderr)

    def test_what_cannot_be_computed_later_does_not_hang(self):
        ran = simulate(LATER)
        self.assertEqual((ran.returncode, ran.stdout), (0, "[2.0, 3.0] 256 [5.0, 6.0]\n"), ran.stderr)

    def test_a_failed_assertion_ends_the_context(self):
        said = "CUDA error: device-side assert triggered"
        for when, before in (("at once", []), ("a probability", []), ("an estimate", []), ("later", []),
                             ("in a graph", ["captured"])):  # fmt: skip
            with self.subTest(when):
                ran = simulate(ASSERTION, arguments=[when])
                self.assertEqual(ran.stdout.splitlines(), [*before, said, said], ran.stderr)
                self.assertIn("fails a device-side assertion: ", ran.stderr)

    def test_a_fault_that_happens_is_said_to_have(self):
        ran = simulate("import torch; torch.empty(1, device='cuda')", "--fault", "cudaMalloc 1 2 sticky")
        self.assertIn("out of memory", ran.stderr)
        self.assertIn("tocuda: the fault 'cudaMalloc 1 2 sticky' happened once\n", ran.stderr)
        self.assertNotIn("used no GPU", ran.stderr)

    def test_a_fault_between_gpus_is_counted_where_it_can_act(self):
        copy = "import torch; torch.ones(4, device='cuda:0').to('cuda:1')"
        ran = simulate(copy, "--fault", "peer 0 1 uncopied", "--fault", "peer 0 1 lost")
        self.assertIn("tocuda: the fault 'peer 0 1 uncopied' happened once\n", ran.stderr)
        self.assertIn("tocuda: the fault 'peer 0 1 lost' never happened\n", ran.stderr)


class Running(unittest.TestCase):
    """These commands use no GPU."""

    def run_simulated(self, *words, **more):
        return subprocess.run([TOCUDA, "simulate", *words], capture_output=True, text=True, timeout=60, **more)

    def test_input_output_and_exit_code_are_the_commands(self):
        ran = self.run_simulated("1x1GiB", "--", "sh", "-c", "cat; exit 7", input="said")
        self.assertEqual((ran.returncode, ran.stdout), (7, "said"))

    def test_its_end_by_a_signal_gives_128_and_the_signal(self):
        self.assertEqual(self.run_simulated("1x1GiB", "--", "sh", "-c", "kill -9 $$").returncode, 137)

    def test_signals_are_passed_on(self):
        waiting = "trap 'echo got it; exit 3' TERM; echo ready; while :; do sleep 0.1; done"
        with subprocess.Popen([TOCUDA, "simulate", "1x1GiB", "--", "sh", "-c", waiting], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as started:  # fmt: skip
            self.assertEqual(started.stdout.readline(), "ready\n")
            started.terminate()
            self.assertEqual((started.stdout.read(), started.wait()), ("got it\n", 3))

    def test_a_command_that_cannot_start_gives_4(self):
        ran = self.run_simulated("1x1GiB", "--", "/no/such/program")
        self.assertEqual(ran.returncode, 4)
        self.assertIn("cannot start '/no/such/program': No such file or directory", ran.stderr)

    def test_a_fault_that_never_happens_is_named(self):
        ran = self.run_simulated("1x1GiB", "--fault", "cudaMalloc 3 2", "--", "true")
        self.assertIn("tocuda: the fault 'cudaMalloc 3 2' never happened", ran.stderr)

    def test_a_summary_that_cannot_be_written_is_refused_first(self):
        ran = self.run_simulated("1x1GiB", "--json", "--output", "/no/such/folder/a.json", "--", "echo", "ran")
        self.assertEqual((ran.returncode, "ran" in ran.stdout.split()), (2, False))

    def test_wrong_usage_gives_2(self):
        for words in (["1xNoSuchGpu", "--", "true"], ["--", "true"], ["1x1GiB"], ["1x1GiB", "--json", "--", "true"],
                      ["1x1GiB", "--fault", "cudaMalloc", "--", "true"], ["1x1GiB", "--poison", "zero", "--", "true"],
                      ["1x1GiB", "--fault", "cudaMaloc 3 2", "--", "true"]):  # fmt: skip
            with self.subTest(words):
                self.assertEqual(self.run_simulated(*words).returncode, 2)
        self.assertIn("'--' is missing before the command", self.run_simulated("1x1GiB", "true", "-c").stderr)

    def test_everything_the_command_starts_inherits_the_gpus(self):
        ran = self.run_simulated("1x1GiB", "--", "sh", "-c", "sh -c 'echo $LD_PRELOAD $TOCUDA_COMPUTE'")
        self.assertIn("libcudart.so.13", ran.stdout)
        self.assertTrue(ran.stdout.endswith(" 1\n"), ran.stdout)


if __name__ == "__main__":
    TOCUDA, TORCH = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
