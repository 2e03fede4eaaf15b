# tocuda, Apache-2.0.
"""Reading result files, whole ones and damaged ones. Every figure in them is made up."""
import json
import pathlib
import tempfile
import unittest

import made_up
from result_file import Unreadable, files_in, read
from source import sources_of

ROWS = made_up.rows("copy/host_to_device/pinned", 1e-6, 5e10, [64, 4096, 2 ** 20], processes=2)


class ResultFiles(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name) / "made_up.jsonl"
        self.warnings = []

    def read(self, content):
        self.path.write_bytes(content)
        return read(self.path, self.warnings.append)

    def refused(self, content, *words):
        with self.assertRaises(Unreadable) as caught:
            self.read(content)
        for word in words:
            self.assertIn(word, str(caught.exception))
        self.assertNotIn("\n", str(caught.exception))

    def test_a_whole_file_is_read_without_a_warning(self):
        sections = self.read(made_up.section(made_up.run_line(), ROWS))
        self.assertEqual((len(sections), len(sections[0].rows), sections[0].whole, self.warnings), (1, len(ROWS), True, []))

    def test_unknown_fields_change_nothing(self):
        sections = self.read(made_up.section(made_up.run_line(new={"a": 1}), [ROWS[0] | {"new_too": [None]}]))
        self.assertEqual(len(sources_of(sections, self.warnings.append)[0].curves), 1)
        self.assertEqual(self.warnings, [])

    def test_lines_of_other_kinds_are_passed_over(self):
        sections = self.read(made_up.section(made_up.run_line(), [{"kind": "later"}, ROWS[0]]))
        self.assertEqual((len(sections[0].rows), self.warnings), (1, []))

    def test_a_newer_schema_is_read_with_a_warning(self):
        self.assertEqual(len(self.read(made_up.section(made_up.run_line(schema=2), ROWS))[0].rows), len(ROWS))
        self.assertIn("schema 2", self.warnings[0])

    def test_a_section_without_an_end_is_read_with_a_warning(self):
        sections = self.read(made_up.section(made_up.run_line(), ROWS, None))
        self.assertFalse(sections[0].whole)
        self.assertIn("partial", self.warnings[0])

    def test_an_interrupted_section_is_said_to_be(self):
        self.read(made_up.section(made_up.run_line(), ROWS, "interrupted"))
        self.assertIn("interrupted", self.warnings[0])

    def test_a_torn_last_line_is_left_out_with_a_warning(self):
        sections = self.read(made_up.section(made_up.run_line(), ROWS, None)[:-20])
        self.assertEqual(len(sections[0].rows), len(ROWS) - 1)
        self.assertIn("torn", self.warnings[0])

    def test_an_altered_section_is_read_with_a_warning(self):
        self.read(made_up.section(made_up.run_line(), ROWS).replace(b"pinned", b"pinmed", 1))
        self.assertIn("altered", self.warnings[0])

    def test_several_runs_in_one_file_are_several_sources(self):
        other = made_up.run_line("ffffffff-0000-4000-8000-000000000000", driver="998.01")
        sections = self.read(made_up.section(made_up.run_line(), ROWS) + made_up.section(other, ROWS))
        self.assertEqual([source.driver for source in sources_of(sections, self.warnings.append)], ["998.01", "999.01"])

    def test_a_resumed_run_is_one_source(self):
        rest = made_up.run_line("ffffffff-0000-4000-8000-000000000000", resumes=made_up.run_line()["run"])
        sections = self.read(made_up.section(made_up.run_line(), ROWS[:3], "interrupted") + made_up.section(rest, ROWS[3:]))
        sources = sources_of(sections, self.warnings.append)
        self.assertEqual([(len(source.curves), source.whole) for source in sources], [(1, True)])
        self.assertEqual(len(sources[0].curves[0].points[0].process_medians), 2)

    def test_a_section_that_comes_twice_counts_once(self):
        once = made_up.section(made_up.run_line(), ROWS)
        sources = sources_of(self.read(once + once), self.warnings.append)
        self.assertEqual([len(point.rows) for source in sources for point in source.curves[0].points], [2, 2, 2])

    def test_what_is_no_result_file_is_said_by_line(self):
        self.refused(b"", "empty")
        self.refused(b"\x89PNG\r\n\x1a\n\x00\xff\n", "made_up.jsonl:1")
        self.refused(b'{"a": 1}\n', "made_up.jsonl:1", "kind")
        self.refused(json.dumps(ROWS[0]).encode() + b"\n", "outside of a section")
        self.refused(made_up.section(made_up.run_line(schema="1"), ROWS), "schema")
        self.refused(made_up.section(made_up.run_line(), ROWS).replace(b'"process": 1', b'"process": NaN', 1), "NaN")
        self.refused(made_up.section(made_up.run_line(), ROWS).replace(b"\n{", b"\n{{", 2), "made_up.jsonl:2")

    def test_a_row_with_a_wrong_field_is_left_out_with_a_warning_that_names_it(self):
        for changed, word in (({"samples": ["1e-6"]}, "samples"), ({"samples": [-1.0]}, "samples"), ({"status": "fine"}, "ok, wrong"),
                              ({"clock": "moon"}, "clock"), ({"parameters": {"bytes": "4"}}, "bytes"), ({"before": 3}, "before"),
                              ({"bytes_one_way": -1}, "bytes_one_way"), ({"benchmark": None}, "benchmark"), ({"flags": "x"}, "flags")):
            self.warnings.clear()
            sections = self.read(made_up.section(made_up.run_line(), [ROWS[0] | changed, ROWS[1]]))
            self.assertEqual([len(source.curves) for source in sources_of(sections, self.warnings.append)], [1], changed)
            self.assertEqual(len(self.warnings), 1)
            self.assertIn("made_up.jsonl:2", self.warnings[0])
            self.assertIn(word, self.warnings[0])

    def test_a_file_that_is_not_there_and_a_folder_with_none_are_said(self):
        with self.assertRaisesRegex(Unreadable, "cannot be read"):
            read(self.path, self.warnings.append)
        with self.assertRaisesRegex(Unreadable, "no result file"):
            files_in(self.folder.name)


if __name__ == "__main__":
    unittest.main()
