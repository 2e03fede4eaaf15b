# tocuda, Apache-2.0.
"""scripts/plot as a program: its exit codes, its messages and the files it writes."""

import unittest

import with_matplotlib  # noqa: F401  first: exits as skipped without matplotlib

import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

import made_up
import notes
from document import ask
from sheet import SIMULATED

HERE = pathlib.Path(__file__).resolve().parent
ROWS = made_up.rows("copy/host_to_device/pinned", 1e-6, 5e10)


class Plot(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.file = self.folder / "made_up.jsonl"
        self.file.write_bytes(made_up.section(made_up.run_line(), ROWS))
        self.pictures = self.folder / "pictures"

    def start(self, *words):
        search = os.pathsep.join(filter(None, [os.environ.get("TOCUDA_PLOTTING"), os.environ.get("PYTHONPATH")]))
        return subprocess.run(
            [sys.executable, "-B", str(HERE), *map(str, words)],
            env={**os.environ, "PYTHONPATH": search},
            text=True,
            capture_output=True,
            timeout=120,
        )

    def refused(self, *words, says):
        done = self.start(*words)
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
        self.assertIn(says, done.stderr)
        self.assertTrue(done.stderr.startswith("tocuda: "))
        self.assertFalse(self.pictures.exists())

    def test_all_formats_texts_tables_and_an_index_are_written_and_named(self):
        done = self.start(self.file, "-o", self.pictures, "--csv", "--format", "svg,png,pdf")
        self.assertEqual(done.returncode, 0, done.stderr)
        written = sorted(path.name for path in self.pictures.iterdir())
        self.assertEqual(sorted(pathlib.Path(line).name for line in done.stdout.split("\n") if line), written)
        names = ("bandwidth-by-size", "mechanisms-at-one-size")
        forms = ("csv", "pdf", "png", "svg", "txt")
        self.assertEqual(written, sorted([*(f"{name}.{form}" for name in names for form in forms), "index.html"]))

    def test_text_beside_a_picture_is_in_its_metadata(self):
        self.start(self.file, "-o", self.pictures)
        said = (self.pictures / "bandwidth-by-size.txt").read_text(encoding="utf-8")
        self.assertIn(made_up.RUN, said)
        tree = xml.etree.ElementTree.parse(self.pictures / "bandwidth-by-size.svg")
        described = tree.find(".//{http://purl.org/dc/elements/1.1/}description")
        self.assertEqual(described.text, said)

    def test_picture_of_the_documents_says_what_pictures_say_now(self):
        tree = xml.etree.ElementTree.parse(HERE.parents[1] / "docs" / "bandwidth-by-size.svg")
        described = tree.find(".//{http://purl.org/dc/elements/1.1/}description").text
        for said in ("NVIDIA H200", notes.CLOCKS, notes.UNITS):
            self.assertIn(said, described)
        self.assertNotIn(SIMULATED, described)

    def test_index_shows_every_picture_and_requests_nothing(self):
        self.file.write_bytes(made_up.section(made_up.run_line(gpu="<script>x</script>"), ROWS))
        self.start(self.file, "-o", self.pictures)
        page = (self.pictures / "index.html").read_text(encoding="utf-8")
        for path in self.pictures.glob("*.svg"):
            self.assertIn(f'src="{path.name}"', page)
        self.assertNotIn("://", page)
        self.assertNotIn("<script", page)
        self.assertIn("&lt;script&gt;", page)

    def test_size_that_no_row_has_is_refused_with_those_that_there_are(self):
        self.refused(
            self.file, "-o", self.pictures, "--bytes", "3MiB", says="--bytes 3 MiB: no row has this size; there"
        )

    def test_table_holds_the_numbers_of_the_document(self):
        self.start(self.file, "-o", self.pictures, "--csv", "--format", "svg")
        with open(self.pictures / "bandwidth-by-size.csv", newline="", encoding="utf-8") as file:
            rows = {int(row["x"]): float(row["value"]) for row in csv.DictReader(file)}
        said = ask("judge", self.file)["rows"]
        self.assertEqual(rows, {row["parameters"]["bytes"]: row["bytes_per_second_one_way"] for row in said})

    def test_same_file_gives_identical_pictures(self):
        for folder in ("one", "other"):
            self.start(self.file, "-o", self.folder / folder)
        for path in (self.folder / "one").iterdir():
            self.assertEqual(path.read_bytes(), (self.folder / "other" / path.name).read_bytes(), path.name)

    def test_document_gives_the_pictures_of_its_file(self):
        document = self.folder / "made_up.json"
        document.write_text(json.dumps(ask("judge", self.file)), encoding="utf-8")
        for given, folder in ((self.file, "one"), (document, "other")):
            self.assertEqual(self.start(given, "-o", self.folder / folder, "--format", "png").returncode, 0)
        for path in (self.folder / "one").iterdir():
            self.assertEqual(path.read_bytes(), (self.folder / "other" / path.name).read_bytes(), path.name)

    def test_folder_stands_for_the_files_in_it(self):
        self.assertEqual(self.start(self.folder, "-o", self.pictures, "--format", "png").returncode, 0)

    def test_partial_file_is_drawn_with_a_warning(self):
        self.file.write_bytes(made_up.section(made_up.run_line(), ROWS, None))
        done = self.start(self.file, "-o", self.pictures, "--format", "svg")
        self.assertEqual(done.returncode, 0)
        self.assertIn("partial", done.stderr)

    def test_usage_errors_are_one_line(self):
        self.refused(says="required")
        self.refused(self.file, says="-o/--output")
        self.refused("-o", self.pictures, says="FILE")
        self.refused(self.file, "-o", self.pictures, "--fromat", "png", says="--format?")
        self.refused(self.file, "-o", self.pictures, "--format", "pgn", says="png?")
        self.refused(self.file, "-o", self.pictures, "--bytes", "12Q", says="12Q")

    def test_undrawable_files_are_reported_in_one_line(self):
        self.refused(self.folder / "none.jsonl", "-o", self.pictures, says="none.jsonl: No such file")
        self.file.write_bytes(made_up.section(made_up.run_line(), []))
        self.refused(self.file, "-o", self.pictures, says="no rows to draw")
        self.file.write_bytes(b"no\n")
        self.refused(self.file, "-o", self.pictures, says="made_up.jsonl: not a result file")

    def test_unwritable_folder_is_reported_in_one_line(self):
        done = self.start(self.file, "-o", self.file / "below")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
        self.assertIn("cannot be written", done.stderr)

    def test_help_ends_with_examples(self):
        done = self.start("--help")
        self.assertEqual(done.returncode, 0)
        self.assertIn("scripts/plot", done.stdout.strip().splitlines()[-1])


if __name__ == "__main__":
    unittest.main()
