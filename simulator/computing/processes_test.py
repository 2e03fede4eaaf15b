#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""Tests programs of several processes under `tocuda simulate` that share memory of GPUs, or split one model among
them. Arguments: those of computing_test.py."""

import os
import sys
import unittest
import unittest.mock
from pathlib import Path

import computing_test

HERE = Path(__file__).resolve().parent
SHARES = "import sys; sys.path.insert(0, sys.argv[1]); import sharing_program; sharing_program.main()"


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


if __name__ == "__main__":
    computing_test.TOCUDA, computing_test.TORCH = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1])
