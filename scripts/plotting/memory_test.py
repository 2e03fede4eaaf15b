# tocuda, Apache-2.0.
"""The picture of a recording of memory: its numbers are those of the recording."""

import unittest

import with_matplotlib  # noqa: F401  first: exits as skipped without matplotlib

import json
import pathlib
import tempfile

import memory
from document import Unreadable, documents_of

MIB = 1 << 20
HEADER = {"kind": "memory_history", "torch": "2.15.0", "settings": ""}


def event(action, addr, size, line=None):
    told = {"action": action, "device": 0, "addr": addr, "size": size, "stream": 0}
    return {**told, "line": f"train.py:{line}"} if line else told


EVENTS = [
    event("segment_alloc", 0, 20 * MIB),
    event("alloc", 0, 4 * MIB, 1),
    event("alloc", 4 * MIB, 6 * MIB, 2),
    event("free_requested", 0, 4 * MIB),
    event("free_completed", 0, 4 * MIB),
    {"action": "step"},
    event("alloc", 0, 1 * MIB, 3),
]


class Memory(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = pathlib.Path(folder.name) / "train.history"

    def write(self, events):
        lines = [json.dumps(line, separators=(",", ":")) + "\n" for line in (HEADER, *events)]
        self.file.write_text("".join(lines))

    def sizes(self, sheet):
        sizes = {}
        for _, line, at, size, *_ in sheet.table:
            sizes.setdefault(line, {})[at] = size
        return sizes

    def test_each_line_holds_what_it_allocated_until_that_is_free(self):
        self.write(EVENTS)
        sheet = memory.sheet_of(self.file)
        sizes = self.sizes(sheet)
        self.assertEqual(list(sizes["train.py:2"].values()), [0, 0, 6, 6, 6, 6])
        self.assertEqual(list(sizes["train.py:1"].values()), [0, 4, 4, 4, 0, 0])
        self.assertEqual(list(sizes[memory.OTHERS].values()), [0, 0, 0, 0, 0, 1], "3 held nothing at the peak")
        self.assertIn("most 10.0 MiB at train.py:2", sheet.facts)
        self.assertIn("SIMULATED", sheet.words)

    def test_of_many_events_those_with_most_are_drawn(self):
        addresses = range(0, 2000 * MIB, MIB)
        grown = [event("alloc", at, MIB, 1) for at in addresses]
        freed = [
            each for at in addresses for each in (event("free_requested", at, MIB), event("free_completed", at, MIB))
        ]
        self.write([event("segment_alloc", 0, 2000 * MIB), *grown, *freed])
        held = self.sizes(memory.sheet_of(self.file))["train.py:1"]
        self.assertLessEqual(len(held), 2 * memory.MOMENTS)
        self.assertEqual(max(held.values()), 2000)

    def test_an_out_of_memory_is_marked(self):
        self.write([*EVENTS, event("oom", 0, 64 * MIB, 4)])
        self.assertIn("X: out of memory at event 6", memory.sheet_of(self.file).words)

    def test_a_recording_is_told_from_a_result_file(self):
        self.write(EVENTS)
        self.assertEqual(documents_of([self.file]).recordings, [self.file])
        self.file.write_bytes(b"\x80\x04N.")
        with self.assertRaisesRegex(Unreadable, "no memory snapshot"):
            memory.sheet_of(self.file)


if __name__ == "__main__":
    unittest.main()
