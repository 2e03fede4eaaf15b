# tocuda, Apache-2.0.
"""Writes a scenario's observations: one line for each call, at once, so a crash loses nothing observed before it."""

from worker_python.lines import value_of


class Observer:
    def __init__(self, write, gpu_computes):
        self._write = write
        self._gpu_computes = gpu_computes

    def __call__(self, key, value):
        self._say(key, value, True)

    def computed_by_gpu(self, key, value):
        """Records a value that depends on a GPU kernel's result: from a simulated GPU it decides nothing."""
        self._say(key, value, self._gpu_computes())

    def _say(self, key, value, computed):
        self._write({"kind": "seen", "key": key, "value": value_of(value), "computed": computed})
