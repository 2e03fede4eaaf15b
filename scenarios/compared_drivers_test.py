#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""Compares two simulated drivers, each measured in several sessions: the differences between them are reported, and
nothing else. A history, which would take many sessions, is derived here from a recorded one."""

import hashlib
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

TOCUDA = os.environ["TOCUDA_PROGRAM"]
PROFILE = pathlib.Path(__file__).resolve().parent.parent / "simulator/profiles/H200.json"
SLOWER, UNCHANGED = "copy/host_to_device/pinned", "copy/device_to_host/pinned"
SCENARIO = "capacity/less_explicit"
WORDS = "no room left on this device"
SESSIONS = 3


def profile(boot, day, changed):
    gpu = json.loads(PROFILE.read_text())
    del gpu["sources"], gpu["unknown"]
    gpu |= {"noise": 0.002, "process_noise": 0.0005}
    gpu["machine"] = {
        "driver": 13010 if changed else 13000,
        "driver_name": "590.44.01" if changed else "580.95.05",
        "boot": boot,
        "clock": f"2026-11-{day:02d}T10:00:00Z",
    }
    if changed:
        gpu["machine"]["error_texts"] = {"2": WORDS}
        gpu["figures"]["host_to_device_bytes_per_second"] = round(
            gpu["figures"]["host_to_device_bytes_per_second"] / 1.03
        )
    return gpu


def section(lines):
    """Returns the section's text, including its end line."""
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    end = {
        "kind": "end",
        "status": "complete",
        "rows": len(lines) - 1,
        "sha256": hashlib.sha256(text.encode()).hexdigest(),
    }
    return text + json.dumps(end, separators=(",", ":")) + "\n"


class ComparedDrivers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.environment = {**os.environ, "XDG_STATE_HOME": str(cls.folder / "state"), "NO_COLOR": "1"}
        cls.side("old", 1, changed=False)
        cls.side("again", 8, changed=False)
        cls.side("new", 15, changed=True)
        cls.write_history()

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @classmethod
    def tocuda(cls, *words):
        return subprocess.run(
            [TOCUDA, *words],
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            cwd=cls.folder,
            env=cls.environment,
            check=False,
        )

    @classmethod
    def side(cls, name, first_day, changed):
        for session in range(SESSIONS):
            file = f"{name}{session}.json"
            (cls.folder / file).write_text(json.dumps(profile(f"boot {name} {session}", first_day + session, changed)))
            where = ["--simulate", f"1x{file}", "--output", name, "--quiet"]
            done = cls.tocuda(
                "bench", SLOWER, UNCHANGED, "--bytes", "1MiB", "--quick", "--seed", str(first_day + session), *where
            )
            assert done.returncode == 0, done.stdout + done.stderr
            if session == 0:
                done = cls.tocuda("run", SCENARIO, *where)
                assert done.returncode == 0, done.stdout + done.stderr

    @classmethod
    def lines(cls, side, verb):
        return [
            [json.loads(line) for line in file.read_text().splitlines()]
            for file in sorted((cls.folder / side).glob(f"*-{verb}-*"))
        ]

    @classmethod
    def write_history(cls):
        (cls.folder / "history").mkdir()
        chance = random.Random(7)
        for number in range(18):
            run, *rows, _ = cls.lines("old", "bench")[number % SESSIONS]
            run |= {
                "run": f"00000000-0000-4000-8000-{number:012d}",
                "session": f"00000000-0000-4000-9000-{number:012d}",
                "boot": f"boot history {number}",
                "time": f"2026-10-{number + 1:02d}T10:00:00Z",
            }
            start = {}
            for row in rows:
                factor = start.setdefault(row["id"], 1 + chance.gauss(0, 0.0005))
                row["samples"] = [factor * sample for sample in row["samples"]]
            (cls.folder / "history" / f"{number}.jsonl").write_text(section([run, *rows]))

    def compare(self, *words):
        done = self.tocuda("compare", *words, "--history", "history", "--json")
        return done.returncode, json.loads(done.stdout), done.stderr

    def test_each_boot_is_a_session_that_records_its_driver(self):
        runs = [lines[0] for side in ("old", "again", "new") for lines in self.lines(side, "bench")]
        self.assertEqual(len({run["session"] for run in runs}), 3 * SESSIONS)
        self.assertEqual(
            [run["boot"] for run in runs[:SESSIONS]], [f"boot old {session}" for session in range(SESSIONS)]
        )
        self.assertEqual({run["driver"]["kernel_module"] for run in runs[-SESSIONS:]}, {"590.44.01"})
        self.assertEqual(runs[0]["time"], "2026-11-01T10:00:00Z")

    def test_runs_of_one_boot_share_a_session(self):
        for side in ("old", "again", "new"):
            self.assertEqual(self.lines(side, "run")[0][0]["session"], self.lines(side, "bench")[0][0]["session"])

    def test_compare_attributes_the_change_to_the_driver(self):
        code, document, said = self.compare("old", "new")
        self.assertEqual(code, 1, said)
        self.assertEqual(
            {row["benchmark"]: row["verdict"] for row in document["rows"]},
            {SLOWER: "slower", UNCHANGED: "same"},
            document["rows"],
        )
        slower = next(row for row in document["rows"] if row["benchmark"] == SLOWER)
        self.assertTrue(slower["change_interval"][0] <= slower["change"] <= slower["change_interval"][1])
        self.assertTrue(0.015 < slower["change"] < 0.04, slower["change"])
        self.assertEqual((slower["history"], slower["device"]), ("this GPU's history", "simulated"))
        self.assertEqual(document["verdicts"], [])
        # A pinned buffer, and by LibTorch's version a product on a full GPU as well.
        self.assertEqual(
            {(text["scenario"], WORDS in text["old"], WORDS in text["new"]) for text in document["texts"]},
            {(SCENARIO, False, True)},
        )
        self.assertEqual(document["attribution"]["only"], "driver", document["attribution"])
        self.assertRegex(
            document["attribution"]["text"],
            r"^since 2026-\d\d-\d\d the driver changed: 580.95.05 -> 590.44.01 \(CUDA 13.0 -> 13.1\); "
            "not shown to be the cause$",
        )

    def test_equal_drivers_show_no_change(self):
        code, document, said = self.compare("old", "again")
        self.assertEqual(code, 0, said)
        self.assertTrue(document["rows"])
        self.assertFalse([row for row in document["rows"] if row["verdict"] in ("slower", "faster", "invalid")])
        self.assertEqual((document["verdicts"], document["texts"]), ([], []))
        self.assertGreater(document["totals"]["claims"], 0)
        self.assertEqual(document["attribution"]["text"], "no recorded field changed")

    def test_without_history_it_is_undecided_and_names_the_missing_runs(self):
        done = self.tocuda("compare", "old", "new", "--strict", "--quiet")
        self.assertIn("degrees of freedom, one for each", " ".join(done.stdout.split()))
        said = " ".join(done.stdout.split())
        self.assertIn("16 more starts", said)
        self.assertRegex(said, r"old `tocuda bench [^`]*--bytes 1MiB --quick --seed 3 --simulate 1xold2.json")
        self.assertTrue(done.stdout.startswith("SIMULATED"))
        shown = [line for line in done.stdout.splitlines() if "`tocuda" not in line]  # a command stays on one line
        self.assertLessEqual(max(map(len, shown)), 80)

    def test_history_alone_compares_its_drivers(self):
        for side in ("old", "new"):
            for file in (self.folder / side).glob("*.jsonl"):
                (self.folder / "all").mkdir(exist_ok=True)
                (self.folder / "all" / file.name).write_bytes(file.read_bytes())
        done = self.tocuda("compare", "--history", "all", "--json")
        document = json.loads(done.stdout)
        self.assertEqual(
            [(step["old"], step["new"]) for step in document["drivers"]],
            [("580.95.05 (CUDA 13.0)", "590.44.01 (CUDA 13.1)")],
        )
        self.assertEqual(done.returncode, 1, "an error's text changed")


if __name__ == "__main__":
    sys.exit(unittest.main())
