# tocuda, Apache-2.0.
"""Everything that the README tells its reader to type, in a fresh folder with an empty home."""

import json
import os
import pathlib
import re
import subprocess
import tempfile

import claims_page
import readme


class Rehearsal:
    """The README's commands, run in order in one folder. Its scripts/ are ours; only scripts/tocuda is the program
    itself, so that nothing is set up or built."""

    def __init__(self, root, program):
        self.root, self.program = root, str(pathlib.Path(program).resolve())
        self.text = (root / "README.md").read_text()
        self.commands, self.problems, self.skipped, self.ran = readme.commands(self.text), [], [], []
        self.seen = {}  # of each command that was run: exit code, output, standard error
        self.samples = {}  # line of the README -> its new text

    def __enter__(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.scratch.name).resolve()
        (self.folder / "home").mkdir()
        (self.folder / "scripts").mkdir()
        for script in (self.root / "scripts").iterdir():
            (self.folder / "scripts" / script.name).symlink_to(script)
        (self.folder / "scripts/tocuda").unlink()
        (self.folder / "scripts/tocuda").symlink_to(self.program)
        return self

    def __exit__(self, *_):
        self.scratch.cleanup()

    def settings(self):
        kept = ("PATH", "LANG", "LC_ALL", "TOCUDA_PREFIX", "TOCUDA_PYTHON", "TOCUDA_JOBS")
        environment = {name: os.environ[name] for name in kept if name in os.environ}
        environment.update(HOME=str(self.folder / "home"), TERM="xterm", NO_COLOR="1")
        return {"cwd": self.folder, "env": environment}

    def run_all(self, said=lambda command: None):
        for command in self.commands:
            if not command.is_run():
                self.skipped.append(command.words)
            else:
                said(command)
                self.check(command)

    def check(self, command):
        if command.words not in self.seen:
            self.seen[command.words] = readme.run(command, **self.settings())
        code, shown, error = self.seen[command.words]
        self.ran.append(command.words)
        expected = readme.EXITS.get(command.words, 0)
        if code != expected:
            self.problems.append(f"README.md:{command.line + 1}: exit code {code}, not {expected}: {error[-400:]}")
            return
        new, missing = readme.refreshed(command.sample, shown)
        self.samples.update(new)
        if missing is not None:
            self.problems.append(f"README.md:{command.line + 1}: does not print '{missing}'")

    def readme(self):
        lines = self.text.splitlines()
        for number, text in self.samples.items():
            lines[number] = (readme.INDENT + text).rstrip()
        return self.counted("\n".join(lines) + "\n")

    def counted(self, text):
        """The README with the numbers of claims, scenarios and benchmarks that this program has."""
        listed = self.json_of("list")
        claims = {claim["id"] for scenario in listed["scenarios"] for claim in scenario["claims"]}
        tests = [scenario for scenario in listed["scenarios"] if scenario["claims"]]  # a document's example tests none
        numbers = {"claims": claims, "scenarios": tests, "benchmarks": listed["benchmarks"]}
        for what, those in numbers.items():
            text, found = re.subn(rf"(?<=[* ])\d+(?= {what}\.?[,*])", str(len(those)), text)
            if found == 0:
                raise ValueError(f"the README does not count its {what}")
        return text

    def json_of(self, *words):
        command = [self.program, *words, "--json"]
        return json.loads(subprocess.run(command, capture_output=True, check=True, **self.settings()).stdout)

    def claims(self):
        """docs/claims.md from the file of the first `run`, which is the README's of all scenarios."""
        file = min(self.folder.glob("results/local/*-run-*.jsonl"))
        rows = [json.loads(line) for line in file.read_text().splitlines()]
        rows = [row for row in rows if row["kind"] == "scenario"]
        ledgers = [(self.root / "scenarios" / name).read_text() for name in ("claims.txt", "claims_of_today.txt")]
        return claims_page.written(self.json_of("list"), self.json_of("judge", str(file)), rows, *ledgers)
