# tocuda, Apache-2.0.
"""What a scenario says while it looks: each call is one line, out before the next thing happens, so that a crash leaves all that was seen."""
from worker_python.lines import value_of


class Observer:
    def __init__(self, write, gpu_computes):
        self._write = write
        self._gpu_computes = gpu_computes

    def __call__(self, key, value):
        self._say(key, value, True)

    def computed_by_gpu(self, key, value):
        """A value that rests on what a GPU kernel computed: on a simulated GPU it decides nothing."""
        self._say(key, value, self._gpu_computes())

    def _say(self, key, value, computed):
        self._write({"kind": "seen", "key": key, "value": value_of(value), "computed": computed})
