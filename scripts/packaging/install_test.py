# tocuda, Apache-2.0.
"""Installs the built tree, moves it, makes it read-only, and runs it from elsewhere; packs it into a wheel and installs
that. TOCUDA_BUILD, TOCUDA_CMAKE, TOCUDA_PYTHON and TOCUDA_TORCH name the build folder, CMake, and a Python with torch's
folder."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

import wheel_backend

BUILD, CMAKE, PYTHON, TORCH = (os.environ[f"TOCUDA_{name}"] for name in ("BUILD", "CMAKE", "PYTHON", "TORCH"))
PINNED = "copy/host_to_device/pinned"
QUICK = ["bench", PINNED, "--bytes", "1MiB", "--simulate", "1xH200", "--quick"]


def contents(folder):
    """What is in a folder, with times: whether anything was written to it."""
    found = {}
    for path in sorted(folder.rglob("*")):
        about = path.lstat()
        digest = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
        found[str(path)] = (about.st_mode, about.st_mtime_ns, digest)
    return found


def torch_of_version(folder, version):
    """A folder for PYTHONPATH with what can be seen of a torch without importing it."""
    (folder / "torch/lib").mkdir(parents=True)
    (folder / "torch/__init__.py").touch()
    (folder / "torch/lib/libtorch_cuda.so").touch()
    (folder / "torch/version.py").write_text(f"__version__ = '{version}'\ncuda = '13.0'\n")
    return folder


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.own = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.own.cleanup)
        cls.place = Path(cls.own.name)
        first = cls.place / "first"
        subprocess.run([CMAKE, "--install", BUILD, "--prefix", first], check=True, stdout=subprocess.DEVNULL)
        cls.tree = first.rename(cls.place / "moved")
        for path in [cls.tree, *cls.tree.rglob("*")]:
            if not path.is_symlink():
                path.chmod(path.stat().st_mode & ~0o222)
        cls.addClassCleanup(subprocess.run, ["chmod", "-R", "u+w", cls.tree])
        cls.before = contents(cls.tree)
        cls.wheel = cls.place / wheel_backend.write_wheel(cls.tree, cls.place)

    def setUp(self):
        folder = tempfile.TemporaryDirectory(dir=self.place)
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "home").mkdir()

    def tearDown(self):
        changes = set(contents(self.tree).items()) ^ set(self.before.items())
        self.assertEqual(sorted(changes), [], "something was written to the tree")

    def run_program(self, *words, torch=Path(TORCH).parent, program=None):
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(self.folder / "home")}
        environment |= {"TOCUDA_PYTHON": PYTHON, "PYTHONPATH": str(torch)}
        command = [program or self.tree / "bin/tocuda", *words]
        return subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True)

    def document(self, *words, **how):
        ended = self.run_program(*words, "--json", **how)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        return json.loads(ended.stdout)

    def recorded(self):
        return sorted(self.folder.glob("results/local/*.jsonl"))

    def test_everything_that_users_need_is_there(self):
        for path in ("bash-completion/completions/tocuda", "zsh/site-functions/_tocuda", "man/man1/tocuda.1"):
            self.assertIn("simulate", (self.tree / "share" / path).read_text(), path)
        self.assertIn("complete -c tocuda", (self.tree / "share/fish/vendor_completions.d/tocuda.fish").read_text())
        profiles = Path(__file__).parents[2] / "simulator/profiles"
        installed = self.tree / "share/tocuda/profiles"
        self.assertEqual(
            [path.read_bytes() for path in sorted(profiles.glob("*.json"))],
            [path.read_bytes() for path in sorted(installed.glob("*.json"))],
        )

    def test_no_libtorch_is_there(self):
        names = [path.name for path in self.tree.rglob("*")]
        self.assertEqual([name for name in names if name.startswith(("libtorch_c", "libc10", "libtorch."))], [])

    @unittest.skipUnless(shutil.which("readelf"), "readelf is not installed")
    def test_paths_to_libraries_are_relative(self):
        listed = 0
        for path in self.tree.rglob("*"):
            if path.is_file() and path.read_bytes()[:4] == b"\x7fELF" and path.parent.name not in ("lib", "runtime"):
                said = subprocess.run(["readelf", "-d", path], capture_output=True, text=True).stdout
                entries = [line.partition("[")[2].rstrip("]") for line in said.splitlines() if "PATH)" in line]
                for entry in ":".join(entries).split(":") if entries else []:
                    self.assertTrue(entry.startswith("$ORIGIN"), f"{path}: {entry}")
                    listed += 1
        self.assertGreaterEqual(listed, 6)

    def test_digests_are_those_of_the_programs(self):
        folder = self.tree / wheel_backend.FOLDER
        digests = sorted(path.name for path in folder.glob("*.sha256"))
        self.assertEqual(digests, ["tocuda-cuda.sha256", "tocuda-python.sha256", "tocuda-torch.sha256"])
        subprocess.run(["sha256sum", "--quiet", "-c", *digests], cwd=folder, check=True)

    def test_all_is_listed_and_shown(self):
        listed = self.document("list")
        self.assertGreater(len(listed["scenarios"]), 50)
        self.assertEqual([one for one in listed["scenarios"] if "needs torch" in one["because"]], [])
        self.assertTrue(any(one["name"].startswith("framework/") for one in listed["benchmarks"]))
        shown = self.run_program("show", "002-06")
        self.assertEqual((shown.returncode, shown.stderr), (0, ""))
        self.assertIn("002-06", shown.stdout)

    def test_claim_of_libtorch_is_judged_and_recorded_here(self):
        ran = self.document("run", "002-06")
        (claim,) = (one for one in ran["claims"] if one["id"] == "002-06")
        self.assertEqual((claim["verdict"], claim["expected"]), ("reproduced", "reproduced"))
        (file,) = self.recorded()
        line = json.loads(file.read_text().partition("\n")[0])
        version = Path(TORCH, "version.py").read_text().partition("__version__ = '")[2].partition("'")[0]
        self.assertEqual(line["libtorch"]["version"], version.partition("+")[0])

    def test_libtorch_is_found_whatever_search_path_a_variant_sets(self):
        ran = self.document("run", "environment/conflicting_libraries")
        self.assertEqual((len(ran["scenarios"]), ran["totals"]["unexpected"]), (2, 0), ran["claims"])

    def test_claim_of_python_is_judged(self):
        ran = self.document("run", "python/numpy_arrays")
        self.assertEqual({one["verdict"] == one["expected"] for one in ran["claims"]}, {True})

    def test_simulated_gpu_is_measured(self):
        rows = self.document(*QUICK)["rows"]
        self.assertEqual([(row["benchmark"], row["status"]) for row in rows], [(PINNED, "ok")])
        self.assertEqual(len(self.recorded()), 1)

    def test_files_go_where_output_says(self):
        self.document(*QUICK, "--output", "else/where")
        self.assertEqual((len(list(self.folder.glob("else/where/*.jsonl"))), self.recorded()), (1, []))

    def test_runtime_is_measured_without_torch(self):
        rows = self.document(*QUICK, torch="/nowhere")["rows"]
        self.assertEqual([row["status"] for row in rows], ["ok"])

    def test_other_version_of_torch_is_refused(self):
        needed = (self.tree / wheel_backend.FOLDER / "libtorch_version").read_text().strip()
        ran = self.run_program("run", "002-06", torch=torch_of_version(self.folder / "site", "2.9.1"))
        self.assertEqual(ran.returncode, 4, ran.stderr)
        self.assertIn(
            f"tocuda: tocuda-torch needs torch {needed}; {PYTHON}: the installed one is 2.9.1, not {needed}; "
            f"set TOCUDA_PYTHON to a Python with torch {needed}",
            ran.stderr,
        )

    def test_copy_with_new_times_asks_no_worker(self):
        copy = self.folder / "copy"
        shutil.copytree(self.tree, copy, symlinks=True)
        for program in copy.rglob("tocuda-*"):
            if "." not in program.name:
                os.utime(program)
        listed = self.document("list", torch="/nowhere", program=copy / "bin/tocuda")
        self.assertEqual(len(listed["scenarios"]), len(self.document("list")["scenarios"]))
        subprocess.run(["chmod", "-R", "u+w", copy], check=True)

    def test_wheel_requires_its_torch_and_has_every_file(self):
        needed = (self.tree / wheel_backend.FOLDER / "libtorch_version").read_text().strip()
        self.assertRegex(self.wheel.name, rf"^tocuda-[0-9.]+\+torch{needed}-py3-none-linux_\w+\.whl$")
        with zipfile.ZipFile(self.wheel) as archive:
            self.assertIsNone(archive.testzip())
            names = archive.namelist()
            about = next(name for name in names if name.endswith("/METADATA"))
            self.assertIn(f"Requires-Dist: torch=={needed}.*\n", archive.read(about).decode())
            record = archive.read(about.replace("METADATA", "RECORD")).decode()
            self.assertEqual([line.split(",")[0] for line in record.splitlines()], names)
        self.assertEqual(len(names), len(set(names)))
        self.assertLessEqual({"tocuda/__init__.py", "tocuda/pytest_plugin.py", "tocuda/tocuda"}, set(names))

    def test_installed_wheel_runs(self):
        if subprocess.run([PYTHON, "-m", "pip", "--version"], capture_output=True).returncode != 0:
            self.skipTest(f"{PYTHON} has no pip")
        site = self.folder / "site"
        pip = [PYTHON, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", site, self.wheel]
        subprocess.run(pip, check=True)
        (site / "torch").symlink_to(TORCH)
        for more in Path(TORCH).parent.iterdir():
            if not (site / more.name).exists():
                (site / more.name).symlink_to(more)
        ran = self.document("run", "002-06", torch=site, program=site / "bin/tocuda")
        self.assertEqual(ran["totals"]["unexpected"], 0)
        self.assertEqual(ran["totals"].get("skipped", 0), 0)
        self.assertTrue((site / "share/man/man1/tocuda.1").exists())


class Backend(unittest.TestCase):
    def refusal(self, version):
        with tempfile.TemporaryDirectory() as folder:
            torch = torch_of_version(Path(folder), version)
            code = "import wheel_backend; wheel_backend.build_wheel('.')"
            environment = {**os.environ, "PYTHONPATH": f"{torch}:{Path(__file__).parent}"}
            ended = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
            self.assertNotEqual(ended.returncode, 0)
            return ended.stderr

    def test_torch_that_is_not_supported_is_refused(self):
        self.assertEqual(
            self.refusal("2.16.0"),
            f"tocuda: the wheel is built for the torch of {sys.executable}: the installed one is 2.16.0; "
            "supported are 2.11 to 2.15\n",
        )


if __name__ == "__main__":
    unittest.main(verbosity=2)
