#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""The environment of kernels that are started by hand in a rehearsal."""

import pathlib
import sys
import tempfile
import types
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from campaigning import by_hand  # noqa: E402


class Rehearsal(unittest.TestCase):
    def test_simulation_is_compiled_by_tocuda(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            program = folder / "build/default/tocuda"
            program.parent.mkdir(parents=True)
            program.write_text('#!/bin/sh\necho "compiled: $*"\n')
            program.chmod(0o755)
            campaign = types.SimpleNamespace(repository=folder, asked=types.SimpleNamespace(simulate="1xH200"))
            worker, environment = by_hand.worker(campaign, folder)
            self.assertEqual(worker.name, "tocuda-cuda-simulated")
            simulation = pathlib.Path(environment["TOCUDA_SIMULATION"])
            self.assertEqual(simulation.read_text(), "compiled: __simulation 1xH200\n")


if __name__ == "__main__":
    sys.exit(unittest.main())
