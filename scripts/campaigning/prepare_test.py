#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""`prepare` with a fake package manager and no network."""

import json
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from campaigning.tests.tiny_campaign import TinyCampaign, program  # noqa: E402

APT_CACHE = """#!/bin/sh
printf 'libfmt-dev\\n  Depends: libfmt9\\nlibfmt9\\nlibc6\\n'
"""
APT_GET = """#!/bin/sh
echo "apt-get $*" >>"$CALLS"
while [ "$1" = -c ]; do cat "$2" >>"$CALLS.apt"; shift 2; done
[ "$1" = download ] || exit "${OFFLINE:-0}"
shift
for name in "$@"; do touch "${name}_1.0_amd64.deb"; done
"""
DPKG = """#!/bin/sh
name=$(basename "$2" _1.0_amd64.deb)
by_architecture=$3/usr/include/aarch64-linux-gnu/openssl
mkdir -p "$by_architecture"
echo "$name" >"$3/usr/include/$name.h"
touch "$by_architecture/configuration.h"
"""
CMAKE = """#!/bin/sh
case "$*" in *carried*) ;; *) exit 1 ;; esac
[ -z "$MISSING" ] || echo "-- missing library: $MISSING"
"""
# Instead of what builds and fetches real peers.
PEERS = """[ "$1" != babelstream ] || { echo "could not be reached" >&2; exit 1; }
mkdir -p "$3/tree" && cp "$4/a.cu" "$3/tree"
"""


class Prepare(TinyCampaign):
    def setUp(self):
        super().setUp()
        for name, text in (("apt-get", APT_GET), ("apt-cache", APT_CACHE), ("dpkg", DPKG), ("cmake", CMAKE)):
            program(self.place / "bin" / name, text)
        (self.tree / "scripts/campaigning/peers.sh").write_text(PEERS)
        for words in ("init -q", "add .", "-c user.name=A -c user.email=a@b commit -q -m first"):
            subprocess.run(["git", "-C", self.tree, *words.split()], check=True)
        (self.place / "a.cu").write_text("a")
        self.carried = self.place / "new/carried"

    def prepared(self, *words, **environment):
        path = f"{self.place}/bin:{self.environment()['PATH']}"
        peer = ["--peer", f"nvbandwidth={self.place}"]
        return self.start(self.carried, *peer, *words, verb="prepare", PATH=path, **environment)

    def test_collects_packages_peers_commit_and_forecasts(self):
        code, _, said = self.prepared()
        self.assertEqual(code, 0, said)
        prepared = json.loads((self.carried / "prepared.json").read_text())
        commit = (self.carried / "commit").read_text().splitlines()[:2]
        self.assertEqual(commit, [f"commit {prepared['commit']}", "dirty false"])
        usr = self.carried / "packages/usr"
        self.assertTrue((usr / "include/openssl/configuration.h").is_file(), "headers kept by architecture are merged")
        self.assertTrue((usr / "include/libfmt9.h").is_file(), "the library that belongs to the headers is included")
        self.assertFalse((usr / "include/libc6.h").exists(), "the compiler has its own")
        self.assertEqual((self.carried / "peers/nvbandwidth/tree/a.cu").read_text(), "a")
        self.assertIn("peer skipped: babelstream: could not be reached", said)
        self.assertFalse((self.carried / "peers/babelstream").exists())
        self.assertEqual(prepared["forecasts"]["1"]["rounds"], 320)
        self.assertEqual(set(prepared["forecasts"]), {"1", "8"})

    def test_machine_may_have_another_system_and_architecture(self):
        sources = self.place / "sources.list"
        sources.write_text("")
        code, _, said = self.prepared("--apt-sources", sources, "--architecture", "arm64", MISSING="fmt")
        self.assertEqual(code, 0, said)
        told = (self.place / "calls.apt").read_text()
        self.assertIn(f'Dir::Etc::SourceList "{sources.resolve()}"', told)
        self.assertIn('APT::Architecture "arm64"; APT::Architectures "arm64";', told)

    def test_uncommitted_changes_are_reported_and_recorded(self):
        (self.tree / "scripts/new/file").parent.mkdir()
        (self.tree / "scripts/new/file").write_text("")
        code, _, said = self.prepared()
        self.assertEqual(code, 0, said)
        self.assertIn("the tree has uncommitted changes", said)
        self.assertIn("dirty true", (self.carried / "commit").read_text())

    def test_problems_are_reported_in_one_line(self):
        for environment, words in (
            ({"OFFLINE": "100"}, "packages to carry: "),
            ({"MISSING": "fmt"}, "CMake does not find these libraries in the packages: fmt"),
        ):
            code, _, said = self.prepared(**environment)
            self.assertEqual(code, 1, said)
            self.assertIn(words, said.splitlines()[-1])
            self.assertNotIn("Traceback", said)
            self.assertFalse(self.carried.exists(), "an incomplete folder would block the next start")
        self.carried = self.tree
        code, _, said = self.prepared()
        self.assertEqual((code, "is not empty" in said), (2, True), said)


if __name__ == "__main__":
    if not shutil.which("git"):
        print("skipped: git not found")
        sys.exit(77)
    unittest.main()
