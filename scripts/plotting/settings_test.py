# tocuda, Apache-2.0.
"""The picture of a replay: its lines are the courses of the document."""

import unittest

import with_matplotlib  # noqa: F401  first: exits as skipped without matplotlib

import json
import pathlib
import tempfile

from document import documents_of
from settings import settings_sheet

MIB = 1 << 20


def row(settings, reserved, **more):
    course = {"events": [1, 5, 9], "allocated_bytes": [MIB, 4 * MIB, MIB], "reserved_bytes": [2 * MIB, *reserved]}
    return {"torch": "2.15.0", "settings": settings, "course": course, **more}


def fails(settings):
    return {"torch": "2.15.0", "settings": settings, "capacity_bytes": 5 * MIB, "oom": {"event": 5, "size": MIB}}


DOCUMENT = {
    "kind": "replay",
    "torch": "2.15.0",
    "source": {"events": 9},
    "same": {"reproduced": True},
    "what_if": [
        row("", [8 * MIB, 8 * MIB]),
        fails(""),
        row("max_split_size_mb:128", [8 * MIB, 8 * MIB]),
        row("expandable_segments:True", [6 * MIB, 6 * MIB]),
        {**row("", [4 * MIB, 4 * MIB]), "torch": "2.11.0"},
    ],
}


class Settings(unittest.TestCase):
    def test_settings_that_reserve_the_same_share_a_line(self):
        sheet = settings_sheet(DOCUMENT)
        peaks = {}
        for _, label, _, size, *_ in sheet.table:
            peaks[label] = max(size, peaks.get(label, 0))
        self.assertEqual(peaks, {"default, max_split_size_mb:128": 8, "expandable_segments:True": 6, "torch 2.11.0": 4})

    def test_a_failure_is_marked(self):
        self.assertIn("X: out of memory at event 5 with 5 MiB: default", settings_sheet(DOCUMENT).words)

    def test_what_is_not_reproduced_says_so(self):
        self.assertIn("NOT reproduced", settings_sheet({**DOCUMENT, "same": {"reproduced": False}}).words)

    def test_a_document_on_one_line_or_many_is_no_result_file(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "memory.json"
            for indent in (None, 2):
                file.write_text(json.dumps(DOCUMENT, indent=indent))
                self.assertEqual(documents_of([file]).replayed, [DOCUMENT])


if __name__ == "__main__":
    unittest.main()
