# tocuda, Apache-2.0.
"""Tests tocuda-python as a program that answers the worker protocol. Argument: the program."""

import json
import os
import select
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
HARNESS = str(ROOT / "harness/workers")
EVIDENCE = ROOT / "scenarios" / "python" / "unset_name.evidence.jsonl"
THROWS = """
import sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from worker_python.worker_verbs import observe
from worker_python.registry import Entry
from worker_python.scenario import Scenario
class OutOfMemoryError(RuntimeError):
    __module__ = "torch"
def look(see, variant):
    see("variant", variant)
    raise eval(sys.argv[2])
scenario = Scenario("", "", "", {}, ())
sys.exit(observe({"a/b": Entry("a/b", scenario, look, None)}, Path("/"), "a/b", "v"))
"""


def ask(command, input=b"", redirection="3>&1 >/dev/null"):
    """Returns the exit code, the lines on descriptor 3, and stderr."""
    done = subprocess.run(
        ["sh", "-c", f'exec "$@" {redirection}', "sh", *command], input=input, capture_output=True, timeout=120
    )
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()], done.stderr.decode()


class Program(unittest.TestCase):
    def test_describe_names_the_protocol_and_every_scenario(self):
        code, lines, said = ask([PROGRAM, "describe"])
        self.assertEqual((code, lines[0]["kind"], lines[0]["protocol"]), (0, "worker", 1), said)
        files = sorted(
            f"{path.parent.name}/{path.stem}"
            for path in [*(ROOT / "scenarios").glob("*/*.py"), *(ROOT / "scenarios").glob("documents/*.txt")]
            if not path.stem.endswith("_test")
        )
        self.assertEqual([line["name"] for line in lines[1:]], files)

    def test_closed_descriptor_is_an_error_at_once(self):
        for words in (["describe"], ["observe", "python/unset_name", "no_driver"], ["judge"]):
            code, _, said = ask([PROGRAM, *words], redirection="3>&- >/dev/null")
            self.assertEqual((code, "descriptor 3 is closed" in said), (2, True), said)

    def test_unknown_arguments_are_errors(self):
        for words in ([], ["explain"], ["observe", "python/unset_name"], ["describe", "more"]):
            code, lines, said = ask([PROGRAM, *words])
            self.assertEqual((code, lines, "describe | observe NAME VARIANT | judge" in said), (2, [], True), said)

    def test_unknown_scenario_is_an_error(self):
        for words, row in (
            (["observe", "python/none", "default"], b""),
            (["judge"], EVIDENCE.read_bytes().replace(b"unset_name", b"none")),
        ):
            code, lines, said = ask([PROGRAM, *words], row)
            self.assertEqual((code, lines, said), (2, [], "no scenario named 'python/none'\n"))

    def test_malformed_row_ends_judge_after_earlier_rows(self):
        row = EVIDENCE.read_bytes().splitlines()[0]
        code, lines, said = ask([PROGRAM, "judge"], row + b"\nnonsense\n" + row)
        self.assertEqual((code, len(lines), said), (2, 1, "cannot read row: not JSON\n"))

    def test_answers_each_row_before_the_next(self):
        judge = subprocess.Popen(
            ["sh", "-c", 'exec "$@" 3>&1 >/dev/null', "sh", PROGRAM, "judge"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self.addCleanup(judge.stdout.close)
        self.addCleanup(judge.wait)
        self.addCleanup(judge.stdin.close)
        for row in EVIDENCE.read_bytes().splitlines()[:2]:
            judge.stdin.write(row + b"\n")
            judge.stdin.flush()
            self.assertTrue(select.select([judge.stdout], [], [], 60)[0], "no answer while standard input is open")
            self.assertEqual(json.loads(os.read(judge.stdout.fileno(), 65536))["claim"], "000-13")

    def test_scenario_that_throws_keeps_its_observations_without_done(self):
        code, lines, said = ask([sys.executable, "-c", THROWS, HARNESS, "ValueError('no tensor today')"])
        self.assertEqual((code, said), (70, "the scenario threw: ValueError: no tensor today\n"))
        self.assertEqual([(line["kind"], line["key"], line["value"]) for line in lines], [("seen", "variant", "v")])

    def test_scenario_that_lacks_memory_says_so_and_is_done(self):
        code, lines, said = ask([sys.executable, "-c", THROWS, HARNESS, "OutOfMemoryError('CUDA out of memory')"])
        self.assertEqual((code, said), (0, ""))
        self.assertEqual([line.get("key", line["kind"]) for line in lines], ["variant", "harness.lacked", "done"])


PROGRAM = sys.argv[1]
if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
