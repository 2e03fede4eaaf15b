# tocuda, Apache-2.0.
"""Reading complete and damaged result files through tocuda, and documents. Every figure in them is invented."""

import contextlib
import io
import json
import os
import pathlib
import tempfile
import unittest
import unittest.mock

import made_up
from document import Refused, Unreadable, ask, documents_of, files_in
from source import sources_of

ROWS = made_up.rows("copy/host_to_device/pinned", 1e-6, 5e10, [64, 4096, 2**20], processes=2)


@contextlib.contextmanager
def standard_error():
    """Captures stderr, including that of child processes."""
    told = io.StringIO()
    with tempfile.TemporaryFile() as file:
        kept = os.dup(2)
        os.dup2(file.fileno(), 2)
        try:
            yield told
        finally:
            os.dup2(kept, 2)
            os.close(kept)
            file.seek(0)
            told.write(file.read().decode())


class Documents(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "made_up.jsonl"

    def sources(self, content):
        """Returns the sources of a file with this content, and what tocuda printed to stderr."""
        self.path.write_bytes(content)
        with standard_error() as told:
            sources = sources_of(documents_of([self.path]).judged)
        return sources, told.getvalue()

    def refused(self, content, *words):
        self.path.write_bytes(content)
        with standard_error() as told, self.assertRaises(Refused) as caught:
            documents_of([self.path])
        self.assertEqual((caught.exception.code, told.getvalue().count("\n")), (2, 1), told.getvalue())
        for word in words:
            self.assertIn(word, told.getvalue())

    def test_complete_file_is_read_without_a_warning(self):
        sources, told = self.sources(made_up.section(made_up.run_line(), ROWS))
        self.assertEqual(([len(source.curves) for source in sources], sources[0].whole, told), ([1], True, ""))
        self.assertEqual([point.processes for point in sources[0].curves[0].points], [2, 2, 2])

    def test_unknown_fields_are_ignored(self):
        sources, told = self.sources(made_up.section(made_up.run_line(new={"a": 1}), [ROWS[0] | {"new_too": [None]}]))
        self.assertEqual((len(sources[0].curves), told), (1, ""))

    def test_lines_of_other_kinds_are_ignored(self):
        sources, told = self.sources(made_up.section(made_up.run_line(), [{"kind": "later"}, ROWS[0]]))
        self.assertEqual((len(sources[0].curves), told), (1, ""))

    def test_newer_schema_is_read_with_a_warning(self):
        sources, told = self.sources(made_up.section(made_up.run_line(schema=2), ROWS))
        self.assertEqual(len(sources[0].curves[0].points), 3)
        self.assertIn("schema 2", told)

    def test_section_without_an_end_is_marked_partial_with_a_warning(self):
        sources, told = self.sources(made_up.section(made_up.run_line(), ROWS, None))
        self.assertIn("PARTIAL", sources[0].facts())
        self.assertIn("partial", told)

    def test_interrupted_section_is_marked_partial(self):
        sources, _ = self.sources(made_up.section(made_up.run_line(), ROWS, "interrupted"))
        self.assertIn("PARTIAL", sources[0].facts())

    def test_torn_last_line_is_skipped_with_a_warning(self):
        sources, told = self.sources(made_up.section(made_up.run_line(), ROWS, None)[:-20])
        self.assertEqual(sum(point.processes for point in sources[0].curves[0].points), len(ROWS) - 1)
        self.assertIn("incomplete", told)

    def test_altered_section_is_read_with_a_warning(self):
        _, told = self.sources(made_up.section(made_up.run_line(), ROWS).replace(b"pinned", b"pinmed", 1))
        self.assertIn("altered", told)

    def test_several_runs_in_one_file_are_several_sources(self):
        other = made_up.run_line("ffffffff-0000-4000-8000-000000000000", driver="998.01")
        sources, _ = self.sources(made_up.section(made_up.run_line(), ROWS) + made_up.section(other, ROWS))
        self.assertEqual([source.driver for source in sources], ["998.01", "999.01"])

    def test_resumed_run_is_one_source(self):
        rest = made_up.run_line(
            "ffffffff-0000-4000-8000-000000000000", resumes=made_up.run_line()["run"], time="2026-01-02T03:05:05Z"
        )
        sources, _ = self.sources(
            made_up.section(made_up.run_line(), ROWS[:3], "interrupted") + made_up.section(rest, ROWS[3:])
        )
        self.assertEqual([(len(source.curves), source.whole) for source in sources], [(1, True)])
        self.assertEqual(sources[0].curves[0].points[0].processes, 2)

    def test_repeated_section_counts_once(self):
        once = made_up.section(made_up.run_line(), ROWS)
        sources, _ = self.sources(once + once)
        self.assertEqual([point.processes for source in sources for point in source.curves[0].points], [2, 2, 2])

    def test_errors_in_result_files_name_the_line(self):
        self.refused(b"", "empty")
        self.refused(b"\x89PNG\r\n\x1a\n\x00\xff\n", "not a result file")
        self.refused(b'["a", 1]\n', "not a result file")
        self.refused(json.dumps(ROWS[0]).encode() + b"\n", "before any run line")
        self.refused(made_up.section(made_up.run_line(schema="1"), ROWS), "schema")

    def test_damaged_row_is_skipped_with_a_warning_that_names_it(self):
        for changed, word in (
            ({"samples": ["1e-6"]}, "sample"),
            ({"samples": [-1.0]}, "sample"),
            ({"status": "fine"}, "fine"),
            ({"clock": "moon"}, "clock"),
            ({"before": 3}, "before"),
            ({"bytes_one_way": -1}, "bytes_one_way"),
            ({"benchmark": None}, "benchmark"),
            ({"flags": "x"}, "flags"),
        ):
            sources, told = self.sources(made_up.section(made_up.run_line(), [ROWS[0] | changed, ROWS[1]]))
            self.assertEqual([len(source.curves) for source in sources], [1], changed)
            self.assertEqual(told.count("\n"), 1, told)
            self.assertIn("made_up.jsonl:2", told)
            self.assertIn(word, told)

    def test_size_that_is_not_a_number_is_none(self):
        sources, _ = self.sources(
            made_up.section(made_up.run_line(), [ROWS[0] | {"parameters": {"bytes": "4"}}, ROWS[1]])
        )
        self.assertEqual([point.bytes for point in sources[0].curves[0].points], [None, 4096])

    def test_measurement_line_that_is_not_json_is_skipped(self):
        content = made_up.section(made_up.run_line(), ROWS)
        for damage in ((b'"process": 1', b'"process": NaN'), (b'"clock": ', b'"clock": {')):
            sources, told = self.sources(content.replace(b'{"kind": "', b'{"kind":"').replace(*damage, 1))
            self.assertEqual(sum(point.processes for point in sources[0].curves[0].points), len(ROWS) - 1, told)
            self.assertIn("not JSON", told)

    def test_missing_file_and_folder_without_results_are_reported(self):
        with standard_error() as told, self.assertRaises(Refused):
            documents_of([self.path])
        self.assertIn("made_up.jsonl: No such file", told.getvalue())
        with self.assertRaisesRegex(Unreadable, "no result file"):
            files_in(self.path.parent)

    def test_missing_program_is_reported(self):
        with unittest.mock.patch.dict(os.environ, TOCUDA_PROGRAM=str(self.path)):
            with self.assertRaisesRegex(Unreadable, "cannot be started"):
                ask("judge", self.path)

    def test_document_is_read_directly(self):
        self.path.write_bytes(made_up.section(made_up.run_line(), ROWS))
        document = ask("judge", self.path)
        for indent in (2, None):
            self.path.write_text(json.dumps(document, indent=indent), encoding="utf-8")
            self.assertEqual(documents_of([self.path]).judged, [document])

    def test_documents_of_compare_are_read_directly(self):
        for document, place in (
            ({"rows": [], "attribution": {}}, "compared"),
            ({"drivers": [{"old": "a", "new": "b", "compared": {"rows": []}}]}, "compared"),
            ({"cohorts": [], "found": []}, "fleets"),
        ):
            self.path.write_text(json.dumps(document), encoding="utf-8")
            self.assertEqual(len(getattr(documents_of([self.path]), place)), 1, document)

    def test_run_in_two_documents_counts_once(self):
        self.path.write_bytes(made_up.section(made_up.run_line(), ROWS))
        document = ask("judge", self.path)
        self.assertEqual(len(sources_of([document, document])), 1)

    def test_other_files_are_refused_in_one_line(self):
        for content, word in (
            (b'{"a": 1}\n', "neither a result file nor a document"),
            (b'{"runs": 1}\n', "neither a result file nor a document"),
            (b'{\n  "rows": [\n', "not JSON"),
        ):
            self.path.write_bytes(content)
            with self.assertRaisesRegex(Unreadable, word):
                documents_of([self.path])


if __name__ == "__main__":
    unittest.main()
