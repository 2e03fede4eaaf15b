#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""Records the programs of corpus.py on a simulated GPU, replays what they wrote, and expects the same segment events.
Arguments: tocuda, the folder that the package torch is in."""

import json
import os
import pickle
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CORPUS = Path(__file__).resolve().parent / "tests" / "corpus.py"
PLAIN = "plain streams record_stream empty_cache retries out_of_memory ends_out_of_memory pools graph training late"
DEFAULT, EXPANDABLE, DIVIDED = "", "expandable_segments:True", "roundup_power2_divisions:4"
UNSPLIT = "max_split_size_mb:32"
RECORDED = {
    DEFAULT: [*PLAIN.split(), "many_streams"],
    EXPANDABLE: [*PLAIN.split(), "many_streams"],
    DIVIDED: ["plain"],
    UNSPLIT: ["late", "retries", "mixed_sizes"],
    f"{EXPANDABLE},{UNSPLIT}": ["mixed_sizes"],
}


def run(*words, **variables):
    environment = {**os.environ, "TOCUDA_PYTHON": sys.executable, "PYTHONPATH": TORCH, "COLUMNS": "120", **variables}
    return subprocess.run([TOCUDA, *words], capture_output=True, text=True, env=environment, timeout=600)


def on_gpu(*words, options=(), code=0, **variables):
    simulated = ("simulate", "1x640MiB", "--no-compute", *options, "--", sys.executable, "-B", CORPUS)
    ran = run(*simulated, *words, **variables)
    if ran.returncode != code:
        raise AssertionError(f"{words}: {ran.stderr}")
    return ran.stdout


class Replay(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        for at, (settings, names) in enumerate(RECORDED.items()):
            folder = Path(cls.folder.name) / str(at)
            folder.mkdir()
            variables = {"PYTORCH_ALLOC_CONF": settings, "PYTORCH_CUDA_ALLOC_CONF": settings}
            on_gpu("record", folder, *names, **variables)
        cls.same = json.loads(on_gpu("replay", *sorted(Path(cls.folder.name).glob("*/*.pickle"))))

    def recording(self, name, settings=DEFAULT):
        return f"{self.folder.name}/{list(RECORDED).index(settings)}/{name}.pickle"

    def document(self, *words):
        ran = run("replay", "--json", *words)
        self.assertIn(ran.returncode, (0, 1, 3), ran.stderr)
        return ran.returncode, json.loads(ran.stdout)

    def knows_pools(self, settings):
        """Older LibTorch does not record which pool an allocation is of: what is not known is a difference then."""
        with open(self.recording("pools", settings), "rb") as file:
            return any("pool_id" in event for event in pickle.load(file)["device_traces"][0])

    def test_every_recording_is_reproduced(self):
        for settings, names in RECORDED.items():
            for name in names:
                with self.subTest(settings=settings, program=name):
                    same = self.same[self.recording(name, settings)]
                    if name == "pools" and not self.knows_pools(settings):
                        self.assertEqual((same["reproduced"], bool(same["first_difference"])), (False, True))
                        continue
                    self.assertEqual((same["first_difference"], same["reproduced"]), (None, True))
                    self.assertGreater(same["segment_events"], 0)
                    self.assertEqual(same["settings"], settings)

    def test_recordings_of_a_real_gpu_are_reproduced(self):
        recordings = sorted((Path(__file__).resolve().parents[3] / "results").glob("*/*/snapshots/*.pickle"))
        self.assertGreaterEqual(len(recordings), 2)
        for recording in recordings:
            with self.subTest(recording.name):
                same = self.document(recording)[1]["same"]
                self.assertEqual((same.get("first_difference"), same["reproduced"]), (None, True))

    def test_what_the_corpus_is_meant_to_hold(self):
        """Otherwise the loop would be closed without it."""
        self.assertGreater(self.same[self.recording("record_stream")]["completed_later"], 50)
        self.assertGreater(self.same[self.recording("late")]["start_bytes"], 0)
        self.assertGreater(self.same[self.recording("retries")]["retries"], 0)

    def test_what_simulate_records_is_reproduced_whatever_became_of_the_program(self):
        names = "plain record_stream empty_cache retries pools graph ends_out_of_memory".split()
        for settings in (DEFAULT, EXPANDABLE):
            with tempfile.TemporaryDirectory() as folder:
                history = Path(folder) / "history"
                history.write_text("of another program")
                on_gpu("run", *names, "killed", options=("--record", history), code=1, PYTORCH_ALLOC_CONF=settings)
                files = sorted(Path(folder).iterdir())
                self.assertEqual((len(files), files[0].name), (len(names) + 1, "history"), "one of each process")
                self.assertEqual(files[0].read_text().splitlines()[0].split(",")[0], '{"kind":"memory_history"')
                same = json.loads(on_gpu("replay", *files))
                for file, found in same.items():
                    self.assertEqual((found["reproduced"], found["guesses"]), (True, []), (file, found))
                    self.assertEqual((found["settings"], found["start_bytes"]), (settings, 0))
                self.assertGreater(sum(found["retries"] for found in same.values()), 0)
                self.assertGreater(sum(found["completed_later"] for found in same.values()), 50)

    def test_other_settings_and_capacities(self):
        asked = ("--settings", EXPANDABLE, "--smallest", "--capacity", "100MiB,4GiB")
        code, document = self.document(self.recording("plain"), *asked)
        self.assertEqual((document["kind"], document["same"]["reproduced"], code), ("replay", True, 1))
        rows = document["what_if"]
        self.assertEqual([row["settings"] for row in rows], [DEFAULT] * 3 + [EXPANDABLE] * 3)
        self.assertEqual([row.get("capacity_bytes") for row in rows[:3]], [None, 100 << 20, 4 << 30])
        self.assertEqual([row.get("survived") for row in rows], [True, False, True] * 2)
        self.assertEqual({row["basis"] for row in rows}, {"exact"})
        self.assertRegex(rows[1]["oom"]["line"], r"^corpus.py:\d+$")
        self.assertEqual(rows[0]["reserved_peak_bytes"], document["same"]["reserved_peak_bytes"])
        for row in (rows[0], rows[3]):
            course = row["course"]
            self.assertEqual(max(course["reserved_bytes"]), row["reserved_peak_bytes"])
            self.assertEqual(max(course["allocated_bytes"]), row["allocated_peak_bytes"])
            self.assertEqual(course["events"], sorted(course["events"]))
            self.assertLessEqual(len(course["events"]), 202)
        self.assertNotIn("course", rows[1])
        peak = document["peak"]
        allocated = rows[0]["allocated_peak_bytes"]  # counts what a block is larger than was asked, if it was not split
        self.assertLessEqual(peak["blocks_bytes"], allocated)
        self.assertGreater(peak["blocks_bytes"], 0.97 * allocated)
        self.assertEqual(sum(each["bytes"] for each in peak["live"]), peak["blocks_bytes"], "all of corpus.py")
        self.assertRegex(peak["line"], r"^corpus.py:\d+$")
        for row in (rows[0], rows[3]):
            self.assertLessEqual(row["allocated_peak_bytes"], row["smallest_bytes"])
            self.assertLessEqual(row["smallest_bytes"], row["reserved_peak_bytes"])
            self.assertEqual(row["smallest_bytes"] % (2 << 20), 0)
        self.assert_smallest(self.recording("plain"), rows[0]["smallest_bytes"])

    def test_large_blocks_are_lost_with_expandable_segments_and_a_limit_for_splits(self):
        asked = [word for each in (EXPANDABLE, f"{EXPANDABLE},{UNSPLIT}") for word in ("--settings", each)]
        rows = self.document(self.recording("mixed_sizes", UNSPLIT), *asked)[1]["what_if"]
        reserved = {row["settings"]: row["reserved_peak_bytes"] for row in rows}
        alone = max(reserved[UNSPLIT], reserved[EXPANDABLE])
        self.assertGreater(reserved[f"{EXPANDABLE},{UNSPLIT}"], 3 * alone, reserved)

    def assert_smallest(self, recording, smallest):
        mib = smallest >> 20
        self.assertEqual(run("replay", recording, "--capacity", f"{mib}MiB").returncode, 0)
        self.assertEqual(run("replay", recording, "--capacity", f"{mib - 2}MiB").returncode, 1)

    def test_what_ends_in_out_of_memory_never_survives(self):
        code, document = self.document(self.recording("ends_out_of_memory"), "--capacity", "4GiB,640MiB", "--smallest")
        self.assertEqual(code, 1)
        self.assertEqual([row.get("survived") for row in document["what_if"]], [None, None, False])
        self.assertEqual(document["what_if"][0]["smallest_basis"], "at least")
        self.assertGreater(document["what_if"][0]["smallest_bytes"], 640 << 20)
        told = run("replay", self.recording("ends_out_of_memory"), "--capacity", "4GiB", "--strict")
        self.assertEqual(told.returncode, 3)
        self.assertIn("as far as recorded", told.stdout)
        self.assertNotIn("survives", told.stdout)

    def test_what_no_gpu_could_hold_is_said_to_need_more_than_the_largest(self):
        with open(self.recording("ends_out_of_memory"), "rb") as file:
            snapshot = pickle.load(file)
        [event for event in snapshot["device_traces"][0] if event["action"] == "oom"][-1]["size"] = 1 << 50
        asking = f"{self.folder.name}/asking.pickle"
        with open(asking, "wb") as file:
            pickle.dump(snapshot, file)
        _, document = self.document(asking, "--smallest")
        row = document["what_if"][0]
        self.assertEqual((row["smallest_basis"], row["smallest_bytes"]), ("more than", 1 << 40))

    def test_a_start_that_other_settings_would_have_made_differently_is_guessed(self):
        _, document = self.document(self.recording("late"), "--settings", EXPANDABLE)
        self.assertEqual([row["basis"] for row in document["what_if"]], ["exact", "guessed"])
        # What is guessed of the recorded settings alone counts.
        self.assertEqual(run("replay", self.recording("late"), "--smallest", "--strict").returncode, 3)

    def test_one_event_changed_is_a_difference(self):
        with open(self.recording("plain"), "rb") as file:
            snapshot = pickle.load(file)
        at, event = next((at, e) for at, e in enumerate(snapshot["device_traces"][0]) if e["action"] == "segment_alloc")
        event["size"] += 2 << 20
        segment = next(s for s in snapshot["segments"] if s["address"] == event["addr"])
        segment["total_size"] += 2 << 20
        changed = f"{self.folder.name}/changed.pickle"
        with open(changed, "wb") as file:
            pickle.dump(snapshot, file)
        told = run("replay", changed)
        self.assertEqual((told.returncode, at), (1, 0))
        self.assertIn("NOT reproduced", told.stdout)
        self.assertIn("segment event 0", told.stdout)

    def test_without_a_torch_of_its_own_python_uses_the_one_of_the_build(self):
        for python in ("", sys.executable):
            told = run("replay", self.recording("plain"), TOCUDA_PYTHON=python, PYTHONPATH="")
            self.assertEqual((told.returncode, told.stderr), (0, ""))

    def test_refusals(self):
        for content, code in (
            (b"cos\nsystem\n.", 2),
            (b"", 2),
            (b'{"kind":"memory_history","settings":""}\n{"action":}\n', 2),
            (b'{"kind":"memory_history","settings":""}\n{"action":"alloc","dev', 4),
            (b"}(X\x08\x00\x00\x00segments]X\x0d\x00\x00\x00device_traces]u.", 4),
        ):
            path = Path(self.folder.name) / "refused"
            path.write_bytes(content)
            told = run("replay", str(path))
            self.assertEqual((told.returncode, told.stdout), (code, ""), told.stderr)
            self.assertEqual(told.stderr.count("\n"), 1)
        for settings in ("no_such_setting:1", "max_split_size_mb:1"):
            told = run("replay", self.recording("plain"), "--settings", settings)
            self.assertEqual(told.returncode, 2)
            self.assertIn(settings, told.stderr)
        told = run("replay", self.recording("plain"), TOCUDA_PYTHON="/nowhere/python")
        self.assertEqual(told.returncode, 4)
        self.assertIn("TOCUDA_PYTHON", told.stderr)


if __name__ == "__main__":
    TORCH = sys.argv.pop(2)
    TOCUDA = sys.argv.pop(1)
    unittest.main()
