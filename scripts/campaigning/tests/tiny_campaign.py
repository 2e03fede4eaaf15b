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
NETWORKLESS = []
for options in ("-n", "-rn") if shutil.which("unshare") else ():
    if (
        not NETWORKLESS
        and subprocess.run(["unshare", options, "true"], capture_output=True, check=False).returncode == 0
    ):
        NETWORKLESS = ["unshare", options]

BENCHMARKS = (
    "copy/device_to_device/best",
    "copy/device_to_device/engine",
    "copy/device_to_device/tma_bulk",
    "copy/host_to_device/pinned",
    "copy/device_to_host/pinned",
    "copy/host_to_device/staged",
    "copy/host_to_host/threads",
    "copy/host_to_device/pageable",
    "framework/to",
    "memory/read",
    "memory/triad",
    "start/first_byte",
)

# Every fake program logs how it was called. Those whose call contains $HANGS hang; those whose call contains $FAILS
# fail.
BEGIN = r"""#!/bin/sh
asked="$(basename "$0") $*"
echo "$asked" >>"$CALLS"
[ -z "$HELD" ] || echo "$asked: $(ls -l "/proc/$PPID/fd" | grep -c "$HELD") held" >>"$CALLS"
behave() {
  if [ -n "$HANGS" ]; then case "$asked" in *"$HANGS"*) sleep 1000 ;; esac; fi
  if [ -n "$FAILS" ]; then
    case "$asked" in *"$FAILS"*) echo "it failed, as requested"; exit "${CODE:-1}" ;; esac
  fi
}
"""
SET_UP = (
    BEGIN.replace('$(basename "$0")', "set-up")
    + r"""
behave
mkdir -p "${0%/scripts/tocuda}/build/default"
cp "$PROGRAMS"/* "${0%/scripts/tocuda}/build/default/"
"""
)
OTHER = (
    BEGIN
    + r"""
behave
echo "100% tests passed, 0 tests failed out of 2"
"""
)
WORKER = (
    BEGIN
    + r"""
case $(cat) in *'"gate": false'*'"in_flight": 8'*) ;; *) exit 3 ;; esac
for set in 1 2; do echo '{"status": "'"${KERNELS:-ok}"'", "check": "1 differs", "parameters": {}}' >&3; done
"""
)
# Writes a result file as tocuda would, unless it resumes one.
TOCUDA = (
    BEGIN
    + r"""
case $1 in
  list) cat "$PROGRAMS/list"; exit ;;
  cite) echo "it was simulated" >&2; exit 1 ;;
  verify) behave; exit ;;
esac
device=real
benchmarks=""
while [ $# -gt 0 ]; do
  case $1 in
    --resume) [ -z "$REFUSES" ] || exit 2; behave; exit ;;
    --output) folder=$2 ;;
    --simulate) device=simulated ;;
    */*) benchmarks="$benchmarks $1" ;;
  esac
  shift
done
mkdir -p "$folder"
file=$folder/$(echo "$asked" | cut -d ' ' -f 2)-$device-$$.jsonl
echo '{"kind": "run", "device": "'$device'", "gpus": [{"name": "NVIDIA H200"}], "driver": {"kernel_module": "580.1"},
  "suite": {"commit": "'"${COMMIT-1234}"'", "dirty": '"${DIRTY:-false}"'}}' | tr -d '\n' >"$file"
echo >>"$file"
for name in $benchmarks; do
  case $name in /*) continue ;; esac
  echo '{"kind": "measurement", "benchmark": "'$name'", "id": "ab", "status": "ok", "samples": [0.5],
    "bytes_one_way": 1000000000, "bytes_touched": 2000000000}' | tr -d '\n'
  echo
done >>"$file"
behave
"""
)


def program(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def make_programs(folder, more=()):
    """Writes the programs that set-up would install."""
    program(folder / "tocuda", TOCUDA)
    for name in ("tocuda-cuda", "tocuda-cuda-simulated"):
        program(folder / name, WORKER)
    each = {"kind": "benchmark", "parameters": {"bytes": [1, 2], "in_flight": [4, 8]}}
    lines = [{"kind": "worker"}, *({**each, "name": name} for name in BENCHMARKS)]
    (folder / "tocuda-cuda.describe.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (folder / "list").write_text(json.dumps({"benchmarks": [{"name": name} for name in (*BENCHMARKS, *more)]}))


class TinyCampaign(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.place = Path(folder.name)
        self.tree, self.folder, self.out = (self.place / name for name in ("tree", "carried", "out"))
        (self.tree / "scripts").mkdir(parents=True)
        shutil.copy(SCRIPTS / "campaign", self.tree / "scripts")
        shutil.copy(SCRIPTS / "kept.py", self.tree / "scripts")
        shutil.copytree(
            SCRIPTS / "campaigning", self.tree / "scripts/campaigning", ignore=shutil.ignore_patterns("__pycache__")
        )
        for name, text in (("tocuda", SET_UP), ("test", OTHER), ("fidelity", OTHER)):
            program(self.tree / "scripts" / name, text)
        program(self.tree / "scripts/set_up/installed_torch.py", "")
        self.programs = self.place / "programs"
        make_programs(self.programs)
        self.prepare()

    def prepare(self, **more):
        self.folder.mkdir(exist_ok=True)
        (self.folder / "commit").write_text("commit 1234\ndirty false\n")
        (self.folder / "prepared.json").write_text(json.dumps({"id": "one", "peers": [], **more}))

    def words(self, *words, verb="run"):
        places = [self.folder, self.out] if verb == "run" else []
        return [*NETWORKLESS, sys.executable, self.tree / "scripts/campaign", verb, *map(str, places), *map(str, words)]

    def environment(self, **more):
        return {**os.environ, "CALLS": str(self.place / "calls"), "PROGRAMS": str(self.programs), **more}

    def calls(self):
        file = self.place / "calls"
        return [line.removeprefix("tocuda ") for line in file.read_text().splitlines()] if file.exists() else []

    def start(self, *words, verb="run", **environment):
        """Runs the campaign. Returns the exit code, the calls made and the output."""
        (self.place / "calls").unlink(missing_ok=True)
        how = {"capture_output": True, "text": True, "check": False, "env": self.environment(**environment)}
        done = subprocess.run(self.words(*words, verb=verb), timeout=300, **how)
        return done.returncode, self.calls(), done.stdout + done.stderr

    def built(self):
        """Puts the build in the state that the first part leaves."""
        make_programs(self.tree / "build/default")
        (self.tree / "build/default/.campaign").write_text("one")

    def rehearse(self, *words, **environment):
        return self.start("--simulate", "1xH200", *words, **environment)

    def interrupted(self, number, until, *words, **environment):
        """Signals a rehearsal once it has made a call that contains `until`. Returns the exit code."""
        (self.place / "calls").unlink(missing_ok=True)
        alone = self.words("--simulate", "1xH200", *words)[len(NETWORKLESS) :]
        with (self.place / "said").open("wb") as said:
            child = subprocess.Popen(alone, stdout=said, stderr=said, env=self.environment(**environment))
        while child.poll() is None and not any(until in call for call in self.calls()):
            time.sleep(0.02)
        child.send_signal(number)
        return child.wait(120)

    def state(self, name="rehearsal.tar.gz"):
        with tarfile.open(self.out / name) as tar:
            return json.loads(tar.extractfile("state.json").read())

    def outcomes(self, name="rehearsal.tar.gz"):
        return {step: found["outcome"] for step, found in self.state(name)["steps"].items()}
