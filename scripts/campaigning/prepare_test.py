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
from campaigning import development_packages, prepare  # noqa: E402
from campaigning.tests.tiny_campaign import TinyCampaign, program  # noqa: E402

APT_CACHE = """#!/bin/sh
while [ "$1" = -c ]; do shift 2; done
[ "$2" = libfmt-dev ] && echo "  Depends: libfmt9" && echo "  Depends: libc6"
exit 0
"""
APT_GET = """#!/bin/sh
echo "apt-get $*" >>"$CALLS"
while [ "$1" = -c ] || [ "$1" = -o ]; do shift 2; done
[ "$1" = download ] || exit "${OFFLINE:-0}"
shift
for name in "$@"; do touch "${name}_1.0_amd64.deb"; done
"""
DPKG = """#!/bin/sh
name=$(basename "$2" _1.0_amd64.deb)
by_architecture=$3/usr/include/x86_64-linux-gnu/openssl
libraries=$3/usr/lib/x86_64-linux-gnu
mkdir -p "$by_architecture" "$libraries" "$3/usr/share/doc/$name" "$3/usr/share/cmake/$name"
echo "$name" >"$3/usr/include/$name.h"
touch "$by_architecture/configuration.h" "$libraries/libcrypto.a" "$3/usr/share/doc/$name/copyright"
"""
CMAKE = """#!/bin/sh
case "$*" in *carried*) ;; *) exit 1 ;; esac
[ -z "$MISSING" ] || echo "-- missing library: $MISSING"
"""


class Prepare(TinyCampaign):
    def setUp(self):
        super().setUp()
        for name, text in (("apt-get", APT_GET), ("apt-cache", APT_CACHE), ("dpkg", DPKG), ("cmake", CMAKE)):
            program(self.place / "bin" / name, text)
        for words in (
            ["init", "-q"],
            ["add", "."],
            ["-c", "user.name=A", "-c", "user.email=a@b", "commit", "-q", "-m", "first"],
        ):
            subprocess.run(["git", "-C", self.tree, *words], check=True)
        self.source = self.place / "source"
        self.source.mkdir()
        (self.source / "recipe.json").write_text(json.dumps({"build": [["true"]], "run": ["true"], "take": ["*.cu"]}))
        (self.source / "a.cu").write_text("a")
        self.carried = self.place / "new/carried"

    def prepared(self, *words, **environment):
        path = f"{self.place}/bin:{self.environment()['PATH']}"
        none = [word for name in ("nvbandwidth", "babelstream") for word in ("--peer", f"{name}=")]
        return self.start(
            self.carried, "--mirror", "file:/nowhere", *none, *words, verb="prepare", PATH=path, **environment
        )

    def test_collects_packages_peers_and_commit(self):
        code, _, said = self.prepared("--peer", f"other={self.source}")
        self.assertEqual(code, 0, said)
        commit = subprocess.run(
            ["git", "-C", self.tree, "rev-parse", "HEAD"], capture_output=True, text=True, check=True
        ).stdout.strip()
        self.assertEqual((self.carried / "commit").read_text().splitlines()[:2], [f"commit {commit}", "dirty false"])
        usr = self.carried / "packages/usr"
        self.assertTrue((usr / "include/openssl/configuration.h").is_file(), "headers kept by architecture are merged")
        self.assertTrue((usr / "include/libfmt9.h").is_file(), "the library that belongs to the headers is included")
        self.assertFalse((usr / "include/libc6.h").exists(), "the compiler has its own")
        self.assertFalse((usr / "share/doc").exists())
        self.assertFalse(list(usr.rglob("libcrypto.a")))
        self.assertEqual((self.carried / "peers/other/source/a.cu").read_text(), "a")
        prepared = json.loads((self.carried / "prepared.json").read_text())
        self.assertEqual((prepared["commit"], prepared["peers"]), (commit, ["other"]))

    def test_unreachable_peer_is_reported_and_skipped(self):
        code, _, said = self.prepared("--peer", f"gone=file://{self.place}/nowhere", "--peer", f"other={self.source}")
        self.assertEqual(code, 0, said)
        self.assertIn("peer skipped: gone: ", said)
        self.assertEqual(json.loads((self.carried / "prepared.json").read_text())["peers"], ["other"])
        self.assertFalse((self.carried / "peers/gone").exists())

    def test_uncommitted_changes_are_reported_and_recorded(self):
        (self.tree / "scripts/new").write_text("")
        code, _, said = self.prepared()
        self.assertEqual(code, 0, said)
        self.assertIn("the tree has uncommitted changes", said)
        self.assertIn("dirty true", (self.carried / "commit").read_text())

    def test_problems_are_reported_in_one_line(self):
        for environment, words in (
            ({"OFFLINE": "100"}, "apt-get"),
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


class Sizes(unittest.TestCase):
    def test_packed_size_is_that_of_an_archive(self):
        size = prepare.packed_size(Path(__file__).resolve().parent)
        self.assertGreater(size, 10_000)
        self.assertLess(size, prepare.size_of(Path(__file__).resolve().parent.rglob("*.py")))

    def test_both_systems_are_known(self):
        self.assertEqual(set(development_packages.SUITES), {"ubuntu-24.04", "debian-12"})


if __name__ == "__main__":
    if not shutil.which("git"):
        print("skipped: git not found")
        sys.exit(77)
    unittest.main()
