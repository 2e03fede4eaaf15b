# tocuda, Apache-2.0.
"""Fixture for tests: a tiny tree with the campaign's scripts, a fake tocuda that logs how it was called, and a prepared
folder."""

import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SCRIPTS))
import roles  # noqa: E402
from campaigning import steps  # noqa: E402

NETWORKLESS = []
for options in ("-n", "-rn") if shutil.which("unshare") else ():
    if (
        not NETWORKLESS
        and subprocess.run(["unshare", options, "true"], capture_output=True, check=False).returncode == 0
    ):
        NETWORKLESS = ["unshare", options]

# Every fake program logs how it was called. Those whose call contains $HANGS hang; those whose call contains $FAILS
# fail.
BEGIN = r"""#!/bin/sh
asked="$(basename "$0") $*"
echo "$asked" >>"$CALLS"
behave() {
  if [ -n "$HANGS" ]; then case "$asked" in *"$HANGS"*) sleep 1000 ;; esac; fi
  if [ -n "$FAILS" ]; then
    case "$asked" in *"$FAILS"*) echo "it failed, as requested"; exit "${CODE:-1}" ;; esac
  fi
}
"""
# As scripts/tocuda: builds in a folder that depends on LibTorch, or passes on what it is asked.
SET_UP = (
    r"""#!/bin/sh
build="${0%/scripts/tocuda}/build/${TOCUDA_BUILD:-default${TOCUDA_TORCH_VERSION:+-$TOCUDA_TORCH_VERSION}}"
if [ "$1" != set-up ]; then exec "$PROGRAMS/tocuda" "$@"; fi
"""
    + BEGIN.replace("#!/bin/sh\n", "").replace('$(basename "$0")', "set-up")
    + r"""
echo "architectures: $TOCUDA_CUDA_ARCHITECTURES, jobs: $TOCUDA_JOBS, packages: $TOCUDA_PACKAGES" >>"$CALLS.settings"
behave
mkdir -p "$build"
cp "$PROGRAMS"/* "$build/"
"""
)
OTHER = BEGIN + 'behave\necho "100% tests passed, 0 tests failed out of 2"\n'
WORKER = (
    BEGIN
    + r"""
case $(cat) in *'"gate": false'*'"in_flight": 4'*) ;; *) exit 3 ;; esac
echo '{"status": "'"${KERNELS:-ok}"'", "check": "1 differs", "parameters": {}}' >&3
"""
)


def program(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def make_programs(folder):
    """Writes the programs that set-up would install."""
    program(folder / "tocuda", (SCRIPTS / "campaigning/tests/tocuda.py").read_text())
    for name in ("tocuda-cuda", "tocuda-cuda-simulated"):
        program(folder / name, WORKER)
    parameters = {"bytes": [1, 2], "in_flight": [4, 8]}
    names = ("copy/device_to_device/best", "memory/read", "memory/add")
    lines = [{"kind": "benchmark", "name": name, "parameters": parameters} for name in names]
    (folder / "tocuda-cuda.describe.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


class TinyCampaign(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.place = Path(folder.name)
        self.tree, self.folder, self.out = (self.place / name for name in ("tree", "carried", "out"))
        ignored = shutil.ignore_patterns("__pycache__", "tests")
        shutil.copytree(SCRIPTS / "campaigning", self.tree / "scripts/campaigning", ignore=ignored)
        shutil.copytree(SCRIPTS / "set_up", self.tree / "scripts/set_up", ignore=ignored)
        shutil.copy(SCRIPTS / "campaign", self.tree / "scripts")
        for name in ("kept.py", "roles.py"):
            shutil.copy(SCRIPTS / name, self.tree / "scripts")
        descriptions = roles.DESCRIPTIONS.relative_to(SCRIPTS.parent)
        shutil.copytree(SCRIPTS.parent / descriptions, self.tree / descriptions)
        for name, text in (("tocuda", SET_UP), ("test", OTHER)):
            program(self.tree / "scripts" / name, text)
        self.programs = self.place / "programs"
        make_programs(self.programs)
        self.prepare()

    def prepare(self, **more):
        self.folder.mkdir(exist_ok=True)
        (self.folder / "commit").write_text("commit 1234\ndirty false\n")
        (self.folder / "prepared.json").write_text(json.dumps({"id": "one", **more}))

    def words(self, *words, verb="run"):
        places = [self.folder, self.out] if verb == "run" else []
        return [*NETWORKLESS, sys.executable, self.tree / "scripts/campaign", verb, *map(str, places), *map(str, words)]

    def environment(self, **more):
        names = " ".join(word for words in steps.MEASURED.values() for word in words.split() if "/" in word)
        ours = {"CALLS": str(self.place / "calls"), "PROGRAMS": str(self.programs), "NAMES": names}
        clean = {name: value for name, value in os.environ.items() if not name.startswith("TOCUDA_")}
        return {**clean, **ours, **more}

    def calls(self, kind=""):
        file = self.place / "calls"
        lines = file.read_text().splitlines() if file.exists() else []
        return [line.removeprefix("tocuda ") for line in lines if line.startswith(kind)]

    def start(self, *words, verb="run", **environment):
        """Runs the campaign. Returns the exit code, the calls made and the output."""
        (self.place / "calls").unlink(missing_ok=True)
        how = {"capture_output": True, "text": True, "check": False, "env": self.environment(**environment)}
        done = subprocess.run(self.words(*words, verb=verb), timeout=300, **how)
        return done.returncode, self.calls(), done.stdout + done.stderr

    def only(self, *names):
        return [word for name in names for word in ("--only", name)]

    def rehearse(self, *words, **environment):
        return self.start("--simulate", "1xH200", *words, **environment)

    def interrupted(self, number, until, *words, **environment):
        """Signals a campaign once it has made a call that contains `until`. Returns the exit code."""
        (self.place / "calls").unlink(missing_ok=True)
        alone = self.words(*words)[len(NETWORKLESS) :]
        with (self.place / "said").open("wb") as said:
            child = subprocess.Popen(alone, stdout=said, stderr=said, env=self.environment(**environment))
        while child.poll() is None and not any(until in call for call in self.calls()):
            time.sleep(0.02)
        child.send_signal(number)
        return child.wait(120)

    def state(self, name="campaign.tar.gz"):
        with tarfile.open(self.out / name) as tar:
            return json.loads(tar.extractfile("state.json").read())

    def outcomes(self, name="campaign.tar.gz"):
        return {step: found["outcome"] for step, found in self.state(name)["steps"].items()}

    def rows(self):
        """(benchmark, round) of everything measured, from all result files."""
        files = (self.tree / "build/campaign/one/recorded/results").rglob("*.jsonl")
        lines = [json.loads(line) for file in files for line in file.read_text().splitlines() if line.endswith("}")]
        return [(line["benchmark"], line["round"]) for line in lines if line["kind"] == "measurement"]
