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
from campaigning.tests.tiny_campaign import OTHER, TinyCampaign, program  # noqa: E402


def measured(calls):
    return [call for call in calls if call.split()[0] in ("run", "bench")]


class Order(TinyCampaign):
    def test_each_step_runs_once_what_is_cited_first_and_tests_last(self):
        code, calls, said = self.start("--cores", "64")
        self.assertEqual(code, 0, said)
        self.assertEqual((calls[0], calls[-1].split()[0]), ("set-up set-up", "test"))
        asked = measured(calls)
        self.assertIn("copy/device_to_device/best", asked[0])
        self.assertIn("--bytes 1GiB,4GiB", asked[0])
        self.assertEqual([call.split()[0] for call in asked[:3]], ["bench", "run", "bench"])
        self.assertEqual(len(set(self.rows())), len(self.rows()), "nothing is measured twice")
        self.assertFalse([call for call in asked if "managed/" in call], "what can hang a GPU")
        self.assertEqual(self.outcomes()["pairs"], "absent", said)
        self.assertNotIn("cut", self.outcomes().values())
        code, calls, said = self.start("--cores", "64")
        self.assertEqual((code, calls), (0, []), said)

    def test_rehearsal_takes_the_build_that_is_there_and_runs_each_step_briefly(self):
        shutil.copytree(self.programs, self.tree / "build/default")
        (self.tree / "build/default/.built").touch()
        code, calls, said = self.rehearse()
        self.assertEqual(code, 0, said)
        self.assertFalse((self.place / "calls.settings").exists(), "set-up was not called")
        self.assertFalse([call for call in calls if "--real" in call or call.startswith("test")], calls)
        self.assertIn("--bytes 1MiB", measured(calls)[0])
        over = self.outcomes("rehearsal.tar.gz")
        self.assertEqual({over[name] for name in ("rounds", "scenarios", "tune", "characterise")}, {"done"}, said)

    def test_rehearsal_ends_a_build_that_was_cut(self):
        shutil.copytree(self.programs, self.tree / "build/default")
        code, calls, said = self.rehearse(*self.only("build", "rounds"))
        self.assertEqual((code, calls[0]), (0, "set-up set-up"), said)

    def test_gpus_are_held_open_except_for_benchmarks_of_their_initialisation(self):
        for name in ("nvidia0", "nvidia1", "nvidiactl"):
            (self.place / name).write_text("")
        words = [*self.only("build", "host", "cold"), "--devices", self.place / "nvidia[0-9]*"]
        _, calls, said = self.start(*words, HELD=f"{self.place}/nvidia")
        held = {call.split()[3]: call.split()[1] for call in calls if call.startswith("held")}
        self.assertEqual(
            {call.split()[4]: call.split()[1] for call in calls if call.startswith("held")},
            {"host/": "2", "start/": "0"},
            (held, said),
        )

    def test_invalid_arguments_are_usage_errors(self):
        for words in (["--minutes", "soon"], ["--total", "0"], ["--only", "nonsense"], ["--part", "3"]):
            self.assertEqual(self.start(*words)[0], 2, words)
        shutil.rmtree(self.folder)
        code, _, said = self.start()
        self.assertEqual((code, "scripts/campaign prepare" in said), (2, True), said)


class Time(TinyCampaign):
    def test_forecast_starts_nothing_and_says_what_is_dropped(self):
        self.prepare(forecasts={"1": {"rounds": 300, "characterise": 2000}})
        code, calls, said = self.start("--forecast", "--cores", "64", "--total", "14")
        self.assertEqual((code, calls), (0, []), said)
        self.assertRegex(said, r"(?m)^rounds +342  1$")
        self.assertRegex(said, r"(?m)^characterise +2212  dropped: needs 2212 s, \d+ s are left$")
        self.assertFalse(self.out.exists())
        slower = self.start("--forecast", "--cores", "2", "--total", "14")[2]
        self.assertRegex(slower, r"(?m)^build +390  1$")

    def test_measurement_that_its_budget_cuts_is_continued_until_nothing_is_missing(self):
        code, calls, said = self.start(*self.only("build", "rounds"), SLOWER="1.4")
        self.assertEqual((code, self.outcomes()["rounds"]), (0, "done"), said)
        first, *others = measured(calls)
        self.assertGreaterEqual(len(others), 1, "processes took longer than estimated")
        for call in others:
            self.assertRegex(call, r"^bench --resume \S+/results/rounds/\S+\.jsonl --budget \d+ --quiet$")
        self.assertEqual((len(self.rows()), len(set(self.rows()))), (16, 16), "all, and nothing twice")

    def test_step_that_does_not_fit_into_the_time_left_is_dropped_and_others_are_measured(self):
        code, calls, said = self.start("--total", "3.5", *self.only("build", "rounds", "tune", "ncu"))
        self.assertEqual(code, 0, said)
        self.assertNotIn("rounds", self.outcomes())
        self.assertEqual(self.outcomes()["tune"], "done")
        self.assertIn("dropped for time: 1 (rounds); rounds: needs 364 s", said)

    def test_measurement_without_progress_is_given_up(self):
        code, calls, said = self.start(*self.only("build", "rounds"), SLOWER="1000")
        self.assertEqual((code, self.outcomes()["rounds"], len(measured(calls))), (0, "limit", 3), said)


class Trouble(TinyCampaign):
    def test_failing_steps_affect_no_other_and_are_not_repeated(self):
        words = self.only("build", "rounds", "tune", "tests")
        for which, failed in (("tune/", "tune"), ("test ", "tests")):
            shutil.rmtree(self.tree / "build", ignore_errors=True)
            shutil.rmtree(self.out, ignore_errors=True)
            code, _, said = self.start(*words, "--cores", "64", FAILS=which, CODE="139")
            self.assertEqual(code, 1, said)
            self.assertEqual([name for name, end in self.outcomes().items() if end != "done"], [failed], said)
            self.assertEqual(len(self.outcomes()), 4)
            again = self.start(*words, "--cores", "64")
            self.assertEqual(again[:2], (1, []), "a failed step is reported again but not repeated")

    def test_finding_is_no_failure(self):
        code, _, said = self.start(*self.only("build", "scenarios"), FAILS="tocuda run ", CODE="1")
        self.assertEqual((code, self.outcomes()["scenarios"]), (0, "done"), said)

    def test_failed_build_ends_the_campaign_and_the_next_start_builds_again(self):
        code, calls, said = self.start(FAILS="set-up", CODE="4")
        self.assertEqual((code, calls), (4, ["set-up set-up"]), said)
        self.assertIn("it failed, as requested", self.state()["steps"]["build"]["why"])
        self.assertRegex(said, r"the build failed: mend what \S+/build.log says, then start again")
        self.assertEqual(self.start(*self.only("build", "rounds"))[0], 0)

    def test_build_that_takes_longer_than_a_command_is_continued(self):
        code, calls, said = self.start("--minutes", "0.3", HANGS="set-up")
        self.assertEqual((code, self.outcomes()["build"]), (5, "cut"), said)
        self.assertFalse(measured(calls))
        code, calls, said = self.start(*self.only("build", "rounds"))
        self.assertEqual((code, calls[0], self.outcomes()["build"]), (0, "set-up set-up", "done"), said)

    def test_build_that_takes_all_the_time_leaves_nothing_to_start_again(self):
        short = ("--minutes", "0.3", "--total", "0.3")
        code, _, said = self.start(*short, HANGS="set-up")
        self.assertEqual(code, 5, said)
        code, calls, said = self.start(*short, "--total", "0.01")
        self.assertEqual((code, calls), (4, []), said)
        self.assertIn("next: give it more time (--total)", said)


class Build(TinyCampaign):
    def test_what_the_build_lacks_is_left_out_and_the_rest_measured(self):
        left_out = "no CUDA compiler was found when this was built\n"
        (self.programs / "tocuda-cuda.left_out").write_text(left_out)
        words = self.only("build", "rounds", "tune", "host", "scenarios")
        built = {"BUILT": "host/,copy/host_to_device/pinned,copy/device_to_host/pinned"}
        code, calls, said = self.start(*words, **built)
        over = self.outcomes()
        self.assertEqual((code, over["rounds"], over["host"]), (0, "done", "done"), said)
        self.assertRegex(calls[1], "^bench copy/device_to_host/pinned copy/host_to_device/pinned --bytes 1GiB,4GiB ")
        for step in ("tune", "scenarios"):
            self.assertEqual(over[step], "absent", said)
            self.assertEqual(self.state()["steps"][step]["why"], "tocuda-cuda: " + left_out.strip())

    def test_build_without_benchmarks_fails_no_step(self):
        code, _, said = self.start(*self.only("build", "rounds", "characterise", "bench"), BUILT="nothing")
        self.assertEqual(code, 0, said)
        self.assertEqual(list(self.outcomes().values()), ["done", "absent", "absent", "absent"], said)

    def test_set_up_downloads_nothing_and_the_users_settings_stay(self):
        given = {"TOCUDA_JOBS": "7", "TOCUDA_CUDA_ARCHITECTURES": "80", "TOCUDA_BUILD": "elsewhere"}
        code, _, said = self.start(*self.only("build", "rounds"), **given)
        self.assertEqual((code, self.outcomes()["rounds"]), (0, "done"), said)
        settings = (self.place / "calls.settings").read_text()
        self.assertEqual(settings, f"architectures: 80, jobs: 7, packages: {self.folder}/packages\n")

    def test_what_the_build_left_out_is_said_and_the_rest_measured(self):
        left_out = "LibTorch was not found when this was built\n"
        (self.programs / "tocuda-torch.left_out").write_text(left_out)
        code, _, said = self.start(*self.only("build", "rounds"))
        self.assertEqual((code, self.outcomes()["rounds"]), (0, "done"), said)
        self.assertEqual(self.state()["steps"]["build"]["said"], "tocuda-torch: " + left_out.strip())


class Restart(TinyCampaign):
    def test_stopped_run_is_resumed_in_its_file(self):
        words = self.only("build", "scenarios")
        self.assertEqual(self.interrupted(signal.SIGTERM, "run --real", *words, HANGS="tocuda run"), 5)
        self.assertEqual(self.outcomes()["scenarios"], "cut")
        code, calls, said = self.start(*words)
        self.assertEqual(code, 0, said)
        [resumed] = measured(calls)
        self.assertRegex(resumed, r"^run --resume \S+/results/scenarios/\S+\.jsonl --quiet$")

    def test_file_of_another_boot_is_kept_and_a_new_one_started(self):
        for name, call in (("scenarios", "run --real"), ("rounds", "bench copy/device_to_device/best")):
            words = self.only("build", name)
            self.interrupted(signal.SIGINT, call, *words, HANGS=f"tocuda {call}")
            _, calls, said = self.start(*words, REFUSES="1")
            self.assertTrue([again for again in calls if again.startswith(call)], said)

    def test_state_is_recovered_from_the_archive(self):
        words = self.only("build", "rounds")
        self.start(*words)
        kept = (self.out / "campaign.tar.gz").read_bytes()
        for place in (self.out, self.folder, None):
            shutil.rmtree(self.out)
            if place:
                shutil.rmtree(self.tree / "build/campaign/one/recorded")
                place.mkdir(exist_ok=True)
                (place / "campaign.tar.gz").write_bytes(kept)
            code, calls, said = self.start(*words)
            self.assertEqual((code, calls), (0, []), (place, said))
            self.assertTrue((self.out / "campaign.tar.gz").is_file())

    def test_lost_program_is_rebuilt_and_nothing_else_is_repeated(self):
        words = self.only("build", "rounds")
        self.start(*words)
        shutil.rmtree(self.tree / "build/default")
        code, calls, said = self.start(*words)
        self.assertEqual((code, calls), (0, ["set-up set-up"]), said)
        self.prepare(id="another")
        self.assertEqual(self.start(*words)[0], 2, "the archive of another campaign is not continued")

    def test_step_that_ends_the_campaign_each_time_is_given_up(self):
        file = self.tree / "build/campaign/one/recorded/state.json"
        file.parent.mkdir(parents=True)
        steps = {"scenarios": {"outcome": "begun", "tries": 3, "recorded": 0}}
        found = {"campaign": "one", "saves": 1, "begun": "", "simulate": "", "used_seconds": 0, "estimates": {}}
        file.write_text(json.dumps({**found, "steps": steps}))
        code, calls, said = self.start(*self.only("build", "scenarios"))
        self.assertEqual((code, measured(calls)), (1, []), said)


if __name__ == "__main__":
    unittest.main()
