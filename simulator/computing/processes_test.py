#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""Tests programs of several processes under `tocuda simulate` that share memory of GPUs, or split one model among
them. Arguments: those of computing_test.py."""

import os
import sys
import tempfile
import textwrap
import unittest
import unittest.mock
from pathlib import Path

import computing_test

HERE = Path(__file__).resolve().parent
SHARES = "import sys; sys.path.insert(0, sys.argv[1]); import sharing_program; sharing_program.main()"

LAUNCH = "import runpy; runpy.run_module('torch.distributed.run', run_name='__main__')"

# The first program that people try with it.
REDUCES = """
    import os, sys, torch, torch.distributed as dist, torch.distributed._symmetric_memory as symmetric
    rank = int(os.environ["RANK"])
    device = torch.device("cuda", rank)
    torch.cuda.set_device(device)
    dist.init_process_group("nccl", device_id=device)
    x = symmetric.empty(64, device=device)
    symmetric.rendezvous(x, dist.group.WORLD)
    x.fill_(rank + 1.0)
    sum = torch.ops.symm_mem.one_shot_all_reduce(x, "sum", dist.group.WORLD.group_name)
    sys.stdout.write(f"{sum[:1].tolist()}\\n")
"""


class Sharing(unittest.TestCase):
    def test_tensors_in_queues_loaders_and_models(self):
        for settings in ("", "expandable_segments:True"):
            with self.subTest(settings), unittest.mock.patch.dict(os.environ, PYTORCH_CUDA_ALLOC_CONF=settings):
                ran = computing_test.simulate(SHARES, arguments=[str(HERE)])
                lines = ran.stdout.splitlines()
                self.assertEqual(lines[:4], ["queues 55.0 10.0 7000.0 cuda:1", "written [14.0, 14.0]",
                                             "trained [[-1.0, -1.0, -1.0, -1.0]] 0", "loader 84.0"],
                                 ran.stderr)  # fmt: skip
                self.assertRegex(lines[4], "^ended .*(invalid resource handle|pidfd_open)")
                self.assertIn(" 0 not; values read back that were not computed: 0", ran.stderr)


class Ranks(unittest.TestCase):
    def launched(self, ranks, program):
        ran = computing_test.simulate(LAUNCH, gpus="4xH200", arguments=["--nproc-per-node", str(ranks), str(program)])
        self.assertIn(" 0 not; values read back that were not computed: 0", ran.stderr)
        return ran

    def test_a_sum_in_symmetric_memory(self):
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "reduces.py"
            program.write_text(textwrap.dedent(REDUCES))
            ran = self.launched(2, program)
            self.assertEqual(ran.stdout.splitlines(), ["[3.0]", "[3.0]"], ran.stderr)

    def test_symmetric_memory(self):
        ran = self.launched(4, HERE / "symmetric_program.py")
        *lines, last = ran.stdout.splitlines()
        self.assertEqual(len(lines), 13, ran.stderr)
        for line in lines:
            self.assertTrue(line.endswith(" True"), line)
        self.assertEqual(last, "CUDA error: unspecified launch failure")
        self.assertIn("[FATAL] SymmetricMemory::barrier: rank 0 waited in vain for 200 milliseconds", ran.stderr)

    def test_models_split_by_tensors_layers_and_experts(self):
        ran = self.launched(4, HERE / "parallel_program.py")
        self.assertEqual(ran.stdout.splitlines(), [f"{way} True" for way in (
            "tensors", "ScheduleGPipe", "Schedule1F1B", "ScheduleInterleaved1F1B", "experts")], ran.stderr)  # fmt: skip


if __name__ == "__main__":
    computing_test.TOCUDA, computing_test.TORCH = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1])
