# tocuda, Apache-2.0.
"""What is attributed to which line of an example, and what an example's file holds."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from worker_python import example
from worker_python.example import read_example, second_half

DOCUMENTS = Path(__file__).resolve().parents[3] / "scenarios/documents"


def seen_of(code, first=1):
    seen = {}
    lines = code.split("\n")
    watch, ended = example._run(lines, first, "code.py", {"__name__": "__main__"})
    example._say(seen.__setitem__, "line", watch, ended)
    return seen


class Watched(unittest.TestCase):
    def test_what_is_printed_belongs_to_its_line(self):
        self.assertEqual(seen_of("x = 1\nprint(x)\nprint('a', x)"), {"line.2.prints": ["1"], "line.3.prints": ["a 1"]})

    def test_what_a_function_prints_belongs_to_the_line_within_it(self):
        self.assertEqual(seen_of("def f():\n    print('in')\nf()"), {"line.2.prints": ["in"]})

    def test_what_a_loop_prints_is_one_text_cut_to_three_lines(self):
        self.assertEqual(seen_of("for i in range(5):\n    print(i)"), {"line.2.prints": ["0", "1", "2", "..."]})

    def test_a_caught_error_is_told_from_one_that_ends_it(self):
        code = "try:\n    int('x')\nexcept ValueError as e:\n    print('no')\nundefined"
        self.assertEqual(
            seen_of(code),
            {
                "line.2.catches": "ValueError: invalid literal for int() with base 10: 'x'",
                "line.4.prints": ["no"],
                "line.5.raises": "NameError: name 'undefined' is not defined",
            },
        )

    def test_an_error_within_a_function_ends_the_line_that_called_it(self):
        self.assertEqual(
            seen_of("def f():\n    1 / 0\n\nf()"), {"line.4.raises": "ZeroDivisionError: division by zero"}
        )

    def test_a_warning_belongs_to_its_line(self):
        seen = seen_of("import warnings\nwarnings.warn('careful')")
        self.assertEqual(seen, {"line.2.warns": ["UserWarning: careful"]})

    def test_the_second_half_keeps_the_numbers_of_its_lines(self):
        code = ["oops", "", "# Correct way: nothing", "print(2)"]
        self.assertEqual(second_half(code, 1), 3)
        self.assertEqual(second_half(code, 3), 0)
        self.assertEqual(seen_of("\n".join(code), 3), {"line.4.prints": ["2"]})


class Files(unittest.TestCase):
    def test_there_are_three_examples_of_each_document(self):
        names = sorted(path.stem for path in DOCUMENTS.glob("*.txt"))
        self.assertEqual(names, [f"00{document}_{number}" for document in range(5) for number in (1, 2, 3)])

    def test_each_has_its_words_its_claims_and_at_most_25_lines_of_code(self):
        claims = (DOCUMENTS.parent / "claims.txt").read_text(encoding="utf-8")
        for path in DOCUMENTS.glob("*.txt"):
            scenario, _ = read_example(path)
            with self.subTest(path.name):
                compile("\n".join(scenario.code), path.name, "exec")
                self.assertIn("import torch", scenario.code)
                self.assertLessEqual(len(scenario.code), 25)
                self.assertTrue(scenario.says)
                self.assertIn(f"{path.stem[:3]}-E{path.stem[4]}", scenario.illustrates)
                for claim in scenario.illustrates:
                    self.assertIn(claim, claims)

    def test_a_file_is_read_as_it_is_written(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "000_9.txt"
            path.write_text("add\nsays: it adds\nclaims: 000-01 000-02\n\na = 1\n\nb = a + 1\n", encoding="utf-8")
            scenario, _ = read_example(path)
        self.assertEqual(scenario.summary, "add")
        self.assertEqual(scenario.says, "it adds")
        self.assertEqual(scenario.illustrates, ("000-01", "000-02"))
        self.assertEqual(scenario.code, ("a = 1", "", "b = a + 1"))


if __name__ == "__main__":
    unittest.main()
