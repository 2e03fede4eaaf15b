#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""The order of a campaign's steps, what happens when one fails or hangs, and how the next start continues."""

import json
import shutil
import signal
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from campaigning.tests.tiny_campaign import TinyCampaign, make_programs  # noqa: E402


def measured(calls):
    return [call for call in calls if call.split()[0] in ("run", "bench")]


class Order(TinyCampaign):
    def test_each_step_runs_once_measurements_first_and_tests_last(self):
        code, calls, said = self.rehearse()
        self.assertEqual(code, 0, said)
        self.assertEqual(calls[0], "set-up --version")
        self.assertEqual(calls[-1].split()[0], "test")
        self.assertEqual(sum(call.startswith("tocuda-cuda-simulated measure") for call in calls), 5)
        asked = measured(calls)
        rounds = [call for call in asked if "--bytes 16MiB,64MiB" in call]
        self.assertIn("copy/device_to_device/best", rounds[0])
        self.assertLess(asked.index(rounds[-1]), next(i for i, call in enumerate(asked) if call.startswith("run")))
        self.assertFalse([call for call in asked if "--real" in call], asked)
        self.assertEqual(
            len([call for call in calls if call.startswith("verify ")]), len(asked), "each file is verified"
        )
        self.assertEqual(
            len([call for call in calls if call.startswith("cite ")]),
            len(asked) - 1,
            "a row of each file; this run has none",
        )
        cold = [call for call in asked if "start/first_byte" in call]
        self.assertEqual(
            [call.split()[1] for call in cold],
            ["start/first_byte"],
            "benchmarks of GPU initialisation are measured separately",
        )
        code, calls, said = self.rehearse()
        self.assertEqual((code, calls), (0, []), said)

    def test_tuning_sweep_is_used_if_there_is_one(self):
        make_programs(self.programs, ["tune/copy"])
        _, calls, said = self.rehearse("--part", "1")
        self.assertEqual(measured(calls)[0].split()[1], "tune/copy", said)
        self.assertNotIn("--full", measured(calls)[0])

    def test_gpus_are_held_open_except_for_benchmarks_of_their_initialisation(self):
        for name in ("nvidia0", "nvidia1", "nvidiactl"):
            (self.place / name).write_text("")
        self.built()
        words = ["--part", "3", "--devices", self.place / "nvidia[0-9]*"]
        code, calls, said = self.start(*words, HELD=f"{self.place}/nvidia")
        self.assertEqual(code, 0, said)
        told = [call.split() for call in calls if call.startswith("bench ") and call.endswith(" held")]
        held = {words[1]: words[-2] for words in told}
        self.assertEqual(held, {"framework/to": "2", "start/first_byte": "0", "copy/device_to_device/best": "2"}, said)

    def test_invalid_arguments_are_usage_errors(self):
        for words in (["--minutes", "soon"], ["--part", "4"], ["--limit", "nonsense=3"], ["--sessions", "3"]):
            self.assertEqual(self.start(*words)[0], 2, words)
        shutil.rmtree(self.folder)
        code, _, said = self.start()
        self.assertEqual(code, 2)
        self.assertIn("scripts/campaign prepare", said)


class Trouble(TinyCampaign):
    def test_failing_tests_affect_no_other_step(self):
        self.built()
        code, _, said = self.rehearse("--part", "3", FAILS="test ")
        self.assertEqual(code, 1, said)
        self.assertEqual([name for name, outcome in self.outcomes().items() if outcome == "failed"], ["tests"])
        code, calls, said = self.rehearse("--part", "3")
        self.assertEqual((code, calls), (1, []), "a failed step is reported again but not repeated")

    def test_failing_and_hanging_benchmarks_are_recorded_and_others_are_measured(self):
        self.built()
        code, _, said = self.rehearse(
            "--part", "2", "--limit", "rounds-host=1", FAILS="memory/triad", CODE="4", HANGS="host/threads "
        )
        self.assertEqual(code, 1, said)
        outcomes = self.outcomes()
        self.assertEqual(
            {name: outcomes[name] for name in ("rounds-memory", "rounds-pinned", "rounds-host", "scenarios")},
            {"rounds-memory": "failed", "rounds-pinned": "done", "rounds-host": "limit", "scenarios": "done"},
            said,
        )

    def test_finding_is_no_failure(self):
        self.built()
        code, _, said = self.rehearse("--part", "2", FAILS="tocuda run ", CODE="1")
        self.assertEqual(code, 0, said)

    def test_failed_build_is_recorded_and_other_steps_fail(self):
        code, _, said = self.rehearse("--part", "1", FAILS="set-up")
        self.assertEqual(code, 4, said)
        self.assertEqual(self.outcomes()["tune"], "failed")
        self.assertIn("it failed, as requested", self.state()["steps"]["build"]["why"])

    def test_program_that_cannot_be_started_fails_its_step(self):
        self.built()
        (self.tree / "scripts/test").chmod(0o644)
        code, _, said = self.rehearse("--part", "3")
        self.assertEqual((code, self.outcomes()["tests"]), (1, "failed"), said)
        self.assertIn("PermissionError", self.state()["steps"]["tests"]["why"])

    def test_wrong_kernel_is_named(self):
        _, _, said = self.rehearse("--part", "1", KERNELS="wrong")
        self.assertIn("copy/device_to_device/best: wrong: 1 differs", self.state()["steps"]["kernels"]["why"], said)

    def test_step_that_ends_the_campaign_each_time_is_given_up(self):
        self.built()
        file = self.folder / "rehearsed/state.json"
        file.parent.mkdir()
        steps = {"scenarios": {"outcome": "begun", "tries": 3}}
        file.write_text(json.dumps({"campaign": "one", "saves": 1, "begun": "", "simulate": "1xH200", "steps": steps}))
        code, calls, said = self.rehearse("--part", "2")
        self.assertEqual(code, 1, said)
        self.assertFalse([call for call in calls if call.startswith("run")], calls)


class Restart(TinyCampaign):
    def test_stopped_run_is_resumed_in_its_file(self):
        self.built()
        self.assertEqual(self.interrupted(signal.SIGTERM, "run --simulate", "--part", "2", HANGS="tocuda run"), 5)
        self.assertEqual(self.outcomes()["scenarios"], "stopped")
        code, calls, said = self.rehearse("--part", "2", "--minutes", "0.01", HANGS="tocuda run")
        self.assertEqual(code, 5, "the time runs out before it ends: " + said)
        code, calls, said = self.rehearse("--part", "2")
        self.assertEqual(code, 0, said)
        [resumed] = measured(calls)
        self.assertRegex(resumed, r"^run --resume \S+/results/scenarios/\S+\.jsonl --quiet$")

    def test_file_of_another_boot_is_kept_and_a_new_one_started(self):
        self.built()
        self.interrupted(signal.SIGINT, "run --simulate", "--part", "2", HANGS="tocuda run")
        _, calls, said = self.rehearse("--part", "2", REFUSES="1")
        self.assertTrue([call for call in calls if call.startswith("run --simulate")], said)

    def test_scenarios_stopped_at_their_limit_are_resumed_in_the_last_part(self):
        self.built()
        self.rehearse("--part", "2", "--limit", "scenarios=1", HANGS="tocuda run")
        self.assertEqual(self.outcomes()["scenarios"], "limit")
        _, calls, said = self.rehearse("--part", "3")
        self.assertTrue([call for call in calls if call.startswith("run --resume")], said)

    def test_state_is_recovered_from_each_of_its_places(self):
        self.rehearse("--part", "1")
        kept = (self.out / "rehearsal.tar.gz").read_bytes()
        places = {
            "out": self.out,
            "beside the build": self.tree / "build/campaign",
            "folder": self.folder,
            "recorded": None,
        }
        for source, place in places.items():
            with self.subTest(source):
                shutil.rmtree(self.out)
                shutil.rmtree(self.tree / "build/campaign")
                if place:
                    shutil.rmtree(self.folder)
                    self.prepare()
                    place.mkdir(parents=True, exist_ok=True)
                    (place / "rehearsal.tar.gz").write_bytes(kept)
                code, calls, said = self.rehearse("--part", "1")
                self.assertEqual((code, calls), (0, []), said)
                self.assertTrue((self.out / "rehearsal.tar.gz").is_file())

    def test_lost_program_is_rebuilt_and_nothing_else_is_repeated(self):
        self.rehearse("--part", "1")
        shutil.rmtree(self.tree / "build/default")
        code, calls, said = self.rehearse("--part", "1")
        self.assertEqual((code, calls), (0, ["set-up --version"]), said)
        shutil.rmtree(self.folder)
        self.prepare(id="another")
        self.assertEqual(self.rehearse("--part", "1")[0], 2, "the archive of another campaign is not continued")


if __name__ == "__main__":
    unittest.main()
