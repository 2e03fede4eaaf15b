#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""Measures with the simulated libcudas of tests/libcuda in turns with the installed one: one that makes everything
cost 5 % more, one that is equal, and some that no GPU takes. Arguments: tocuda, their folder."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROFILE = pathlib.Path(__file__).resolve().parents[3] / "simulator/profiles/H100.json"
BENCHMARK = "copy/host_to_device/pinned"
NOTHING_ABOUT = "this says nothing about the module, GSP, firmware, or driver 590.44.01 as installed"


def write_profile(folder):
    gpu = json.loads(PROFILE.read_text())
    del gpu["sources"], gpu["unknown"]
    gpu |= {"noise": 0.002, "process_noise": 0.0005}
    gpu["machine"] = {"driver": 13000, "driver_name": "580.95.05", "boot": "boot 1", "clock": "2026-11-01T10:00:00Z"}
    (folder / "H100.json").write_text(json.dumps(gpu))


class OtherLibcuda(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        write_profile(cls.folder)
        cls.done = cls.against("slower", "--json")
        cls.document = json.loads(cls.done.stdout)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @classmethod
    def tocuda(cls, *words, **variables):
        return subprocess.run(
            [TOCUDA, *map(str, words)],
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            cwd=cls.folder,
            env={**os.environ, "XDG_STATE_HOME": str(cls.folder / "state"), "NO_COLOR": "1", **variables},
            check=False,
            timeout=300,
        )

    @classmethod
    def against(cls, folder, *words, benchmark=BENCHMARK, **variables):
        output = pathlib.Path(folder).name if benchmark == BENCHMARK else "fakes"
        where = ["--simulate", "1xH100.json", "--output", output]
        driver = folder if isinstance(folder, pathlib.Path) else LIBCUDAS / folder
        return cls.tocuda(
            "bench", benchmark, "--bytes", "64KiB,1MiB", "--quick", *where, "--against-driver", driver, *words,
            **variables,
        )  # fmt: skip

    @classmethod
    def lines(cls, file):
        return [json.loads(line) for line in (cls.folder / file).read_text().splitlines()]

    def assert_refused(self, done, code, *parts):
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (code, "", 1), done.stderr)
        for part in parts:
            self.assertIn(part, done.stderr)

    def test_finds_a_libcuda_with_which_everything_costs_more(self):
        self.assertEqual(self.done.returncode, 1, self.done.stderr)
        against = self.document["against"]
        self.assertEqual(len(against["rows"]), 2)
        for row in against["rows"]:
            self.assertEqual(row["verdict"], "slower")
            self.assertTrue(0.045 < row["change"] < 0.055, row["change"])
        self.assertEqual(
            against["libcuda"],
            {
                "version": "590.44.01",
                "cuda": "13.1",
                "installed": "580.95.05",
                "installed_cuda": "13.0",
                "module": "580.95.05",
            },
        )
        self.assertEqual(against["attribution"]["only"], "user-mode libcuda")
        self.assertIn("libcuda 590.44.01 on module 580.95.05", against["attribution"]["text"])
        self.assertIn(NOTHING_ABOUT, against["attribution"]["text"])

    def test_does_not_find_a_difference_where_none_is(self):
        done = self.against("equal", "--strict")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        said = " ".join(done.stdout.split())
        self.assertIn("2 rows: 0 slower, 0 faster, 2 same", said)
        self.assertIn("old: libcuda 580.95.05 (CUDA 13.0), the installed one", said)
        self.assertIn("new: libcuda 590.44.01 (CUDA 13.1) on module 580.95.05", said)
        self.assertIn(NOTHING_ABOUT, said)

    def test_each_file_says_which_libcuda_its_processes_loaded(self):
        sides = {}
        for file in sorted((self.folder / "slower").glob("*.jsonl")):
            run, *rows, end = self.lines(file)
            self.assertEqual(end["status"], "complete")
            sides[run["driver"].get("libcuda")] = (run["driver"], {row["libcuda"] for row in rows}, len(rows))
        self.assertEqual(set(sides), {None, "590.44.01"})
        self.assertEqual(sides[None][1:], ({"libcuda.so.1"}, 40))
        self.assertEqual(sides["590.44.01"][1:], ({"libcuda.so.590.44.01"}, 40))
        self.assertEqual({driver["kernel_module"] for driver, _, _ in sides.values()}, {"580.95.05"})
        self.assertEqual([sides[side][0]["cuda"] for side in (None, "590.44.01")], ["13.0", "13.1"])

    def test_both_files_verify_and_stay_apart_when_they_are_merged(self):
        files = sorted((self.folder / "slower").glob("*.jsonl"))
        self.assertEqual([self.tocuda("verify", file).returncode for file in files], [0, 0])
        self.assertEqual(self.tocuda("merge", *files, "-o", "merged.jsonl").returncode, 0)
        rows = json.loads(self.tocuda("judge", "merged.jsonl", "--json").stdout)["rows"]
        self.assertEqual(len(rows), 4, "two of each libcuda")

    def test_a_row_without_its_libcuda_does_not_verify(self):
        other = self.folder / self.document["against"]["file"]
        text = other.read_text().replace('"libcuda":"libcuda.so.590.44.01",', "", 1)
        (self.folder / "altered.jsonl").write_text(text)
        done = self.tocuda("verify", "altered.jsonl")
        self.assertEqual(done.returncode, 1)
        self.assertIn("the row does not name it", " ".join((done.stdout + done.stderr).split()))

    def test_the_other_libcuda_is_no_start_of_a_driver(self):
        ours = next(
            file for file in (self.folder / "slower").glob("*.jsonl") if "libcuda" not in self.lines(file)[0]["driver"]
        )
        theirs = self.folder / self.document["against"]["file"]
        done = self.tocuda("compare", ours, theirs)
        self.assertEqual(done.returncode, 4, done.stdout)
        self.assertIn("no start of a driver", done.stderr)
        document = json.loads(self.tocuda("compare", ours, ours, "--history", self.folder / "slower", "--json").stdout)
        self.assertTrue([one for one in document["warnings"] if "left out: 1 section " in one], document["warnings"])

    def test_it_is_repeated_as_it_was_measured_or_not_at_all(self):
        theirs = self.folder / self.document["against"]["file"]
        self.assert_refused(self.tocuda("reproduce", theirs), 2, "libcuda 590.44.01 on module 580.95.05")

    def test_says_that_both_have_the_same_version(self):
        done = self.against("same_version")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("both libcudas have version 580.95.05", done.stderr)
        self.assertIn("both have the same version", " ".join(done.stdout.split()))

    def test_refuses_a_libcuda_that_the_gpu_does_not_take(self):
        self.assert_refused(
            self.against("mismatched", "--quiet"), 4, "libcuda 575.57.08", "kernel module 580.95.05", "returned 803"
        )
        self.assert_refused(
            self.against("not_supported", "--quiet"), 4, "not taken by NVIDIA H100", "returned 804", "GeForce"
        )

    def test_refuses_the_libcuda_that_is_loaded_without_it(self):
        installed = LIBCUDAS.parents[1] / "simulator/simulated"
        self.assert_refused(self.against(installed, "--quiet"), 2, "loaded without it")

    def test_refuses_a_folder_without_a_libcuda_or_with_one_that_cannot_be_loaded(self):
        empty = self.folder / "empty"
        empty.mkdir()
        self.assert_refused(self.against(empty), 2, "there is no libcuda.so.1 in it")
        torn = self.folder / "torn"
        torn.mkdir()
        (torn / "libcuda.so.1").write_text("")
        self.assert_refused(self.against(torn, "--quiet"), 4, "cannot be loaded")
        # The loader passes over libraries of 32 bits, and finds the next one.
        foreign = self.folder / "foreign"
        foreign.mkdir()
        (foreign / "libcuda.so.1").write_bytes(b"\x7fELF\x01\x01\x01" + bytes(505))
        self.assert_refused(self.against(foreign, "--quiet"), 4, "the loader took ")

    def test_a_row_counts_only_if_its_process_says_that_it_loaded_it(self):
        fakes = str(LIBCUDAS.parent / "fake_bench")
        done = self.against("slower", "--json", benchmark="fake/on_gpu", TOCUDA_WORKERS=fakes)
        self.assertEqual(done.returncode, 4, done.stderr)
        rows = json.loads(done.stdout)["against"]["rows"]
        self.assertEqual({row["verdict"] for row in rows}, {"invalid"})
        self.assertIn("loaded no libcuda instead of", rows[0]["because"])

    def test_benchmarks_that_quick_leaves_out_are_said_to_be_left_out(self):
        where = ["--simulate", "1xH100.json", "--against-driver", LIBCUDAS / "slower"]
        self.assert_refused(self.tocuda("bench", "calls/", "--quick", *where), 4, "is part of --quick")

    def test_other_options_that_make_no_sense_are_refused(self):
        for more in (["--against", "x"], ["--budget", "5"], ["--together", "--gpus", "all"], ["--forecast"]):
            self.assertEqual(self.against("slower", *more).returncode, 2, more)


if __name__ == "__main__":
    TOCUDA = str(pathlib.Path(sys.argv[1]).resolve())
    LIBCUDAS = pathlib.Path(sys.argv[2]).resolve()
    if not LIBCUDAS.is_dir():
        print("this build has no simulated GPUs")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
