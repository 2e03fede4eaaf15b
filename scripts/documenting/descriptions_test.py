#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""The descriptions among the sources are those of the workers that were built; `scripts/document` writes them."""

import os
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import descriptions  # noqa: E402


class Descriptions(unittest.TestCase):
    def test_are_current(self):
        built = dict(descriptions.described(pathlib.Path(os.environ["TOCUDA_PROGRAM"]).parent))
        self.assertEqual(sorted(built), sorted(file.name for file in descriptions.FOLDER.iterdir()))
        for name, text in built.items():
            kept = (descriptions.FOLDER / name).read_text()
            self.assertEqual(text, kept, f"{name} is not current: start scripts/document")


if __name__ == "__main__":
    unittest.main()
