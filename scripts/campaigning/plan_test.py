#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""How the time is divided among the steps: by itself, and by a campaign on a virtual clock."""

import os
import sys
import tempfile
import types
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from campaigning import building, campaign, measuring, plan, steps  # noqa: E402
from campaigning.child import output_of  # noqa: E402
from campaigning.outcome import DONE, Limit, Stopped  # noqa: E402

PROGRAM = os.environ.get("TOCUDA_PROGRAM", "")
# In seconds, made up: what the forecast of each step may be.
MADE_UP = {name: 40 + 25 * number for number, name in enumerate(steps.MEASURED)}


# What will be cited.
HEADLINES = {"copy/device_to_host/pinned", "memory/read", "memory/triad"}


def shares(planned):
    return {step.name: step.shares for step in planned}


class Plan(unittest.TestCase):
    def test_order_is_that_of_value_and_a_long_step_extends_over_commands(self):
        opened = [plan.Open("a", 300), plan.Open("b", 400, divisible=True), plan.Open("c", 50)]
        planned = plan.plan(opened, 500, 500, 1000)
        self.assertEqual(shares(planned), {"a": {0: 300}, "b": {0: 200, 1: 200}, "c": {1: 50}})

    def test_step_that_cannot_be_continued_waits_and_others_use_the_time(self):
        opened = [plan.Open("a", 300), plan.Open("b", 400), plan.Open("c", 50)]
        self.assertEqual(shares(plan.plan(opened, 500, 500, 1000)), {"a": {0: 300}, "b": {1: 400}, "c": {0: 50}})

    def test_what_does_not_fit_is_dropped_as_a_whole_with_the_reason(self):
        opened = [plan.Open("a", 2000, divisible=True), plan.Open("b", 550), plan.Open("c", 50)]
        first, second, third = plan.plan(opened, 500, 500, 1000)
        self.assertEqual((first.shares, first.why), ({}, "needs 2000 s, 1000 s are left"))
        self.assertEqual(second.why, "needs 550 s at once, at most 500 s are left in one command")
        self.assertEqual(third.shares, {0: 50})

    def test_nothing_starts_before_the_build_has_ended(self):
        opened = [plan.Open("build", 700, divisible=True, first=True), plan.Open("a", 100)]
        self.assertEqual(shares(plan.plan(opened, 500, 500, 1000)), {"build": {0: 500, 1: 200}, "a": {1: 100}})
        self.assertEqual(plan.plan(opened[:1], 500, 500, 600)[0].shares, {0: 500, 1: 100}, "never dropped")

    def test_table_says_seconds_command_and_what_is_dropped(self):
        opened = [plan.Open("rounds", 600, divisible=True), plan.Open("tests", 700)]
        told = plan.table(plan.plan(opened, 500, 500, 1000))
        self.assertEqual(told[1].split(), "rounds 600 1, 2".split())
        self.assertEqual(told[2].split(), "tests 700 dropped: needs 700 s, 400 s are left".split())
        self.assertEqual(told[3].split(), "together 600 2 commands".split())
        build = plan.plan([plan.Open("build", 700, divisible=True, first=True)], 500, 500, 600)
        self.assertTrue(plan.table(build)[1].endswith("700  1, 2: has 600 s, and nothing can be done without it"))


class Machine:
    """Commands on a virtual clock: the measurements of each step take `slower` times their estimate."""

    def __init__(self, recorded, estimates, slower):
        self.recorded, self.slower, self.now, self.deadline = recorded, slower, 0.0, 0.0
        self.missing = dict(estimates)  # step -> the estimated seconds of what is missing
        self.given = {}  # step -> all its budgets
        self.asked_to_stop = ""

    def run(self, words, out, seconds, **how):
        words = [str(word) for word in words]
        took = 15.0 if "bench" not in words else self.measure(words, float(words[words.index("--budget") + 1]))
        self.now += min(took, seconds)
        if took > seconds:
            raise Limit("its time is up")
        return 0

    def measure(self, words, budget):
        resumed = "--resume" in words
        name = Path(words[3]).parent.name if resumed else Path(words[words.index("--output") + 1]).name
        self.given.setdefault(name, []).append(budget)
        folder = self.recorded / "results" / name
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / "a.jsonl").open("a") as file:
            file.write('{"samples": [1]}\n')
        took = min(budget, self.missing[name] * self.slower)
        self.missing[name] = max(0, self.missing[name] - took / self.slower)
        return took

    def forecast(self, _, words):
        words = [str(word) for word in words]
        if "--resume" in words:
            name = Path(words[2]).parent.name
        else:
            asked = {tuple(measuring.asking(of.split())): name for name, of in steps.MEASURED.items()}
            name = asked[tuple(words[:-1])]
        left = self.missing.get(name, 0)
        if left <= 1:
            left = 0
        return {"processes": int(left > 0), "sets": 1, "seconds": left}

    def left(self):
        return self.deadline - self.now

    def check(self):
        if self.now >= self.deadline:
            raise Stopped("no time left")

    def catch_signals(self):
        pass


def campaigned(estimates, slower, commands=4):
    """Runs commands on a virtual clock until there is nothing left. Returns the machine and the campaign's state."""
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        asked = types.SimpleNamespace(folder=place, out=place, simulate="", minutes=9, total=28, cores=16, devices="")
        machine = Machine(place / "build/campaign/one/recorded", estimates, slower)
        with (
            mock.patch.object(campaign.time, "monotonic", lambda: machine.now),
            mock.patch.object(campaign, "say"),
            mock.patch.object(measuring, "forecast", machine.forecast),
            mock.patch.object(measuring, "program", lambda _: "tocuda"),
            mock.patch.object(measuring, "listed", return_value=None),
            mock.patch.object(measuring, "checked", return_value=""),
            mock.patch.object(building, "is_built", return_value=True),
            mock.patch.object(building, "variables", return_value={}),
            mock.patch.object(campaign.state, "pack"),
        ):
            for _ in range(commands):
                one = campaign.Campaign(asked, place, {"id": "one"})
                one.children, machine.deadline = machine, machine.now + one.seconds_a_command()
                begun = machine.now
                finished = one.do_all(steps.all_steps())
                assert machine.now - begun <= 9 * 60, "a command outlasts its time"
                if finished:
                    return machine, one.state
    raise AssertionError(f"not finished after {commands} commands")


class Campaign(unittest.TestCase):
    def judge(self, estimates, slower):
        machine, found = campaigned(estimates, slower)
        names = [name for name in estimates if name not in found.found["dropped"]]
        for name in names:
            self.assertEqual(found.outcome(name), DONE, (name, found.found))
            self.assertLessEqual(machine.missing[name], 1, name)
            self.assertGreaterEqual(sum(machine.given[name]), int(estimates[name] * slower), name)
        for name in set(estimates) - set(names):
            self.assertIn("needs", found.found["dropped"][name])
            self.assertEqual(machine.missing[name], estimates[name], f"{name} starved")
        self.assertLessEqual({"rounds", "tune", "characterise"}, set(names), "what a machine is borrowed for")
        self.assertLessEqual(machine.now, 28 * 60 + 30)
        return machine

    def test_each_step_gets_what_it_needs_or_is_dropped(self):
        for slower in (1, 1.4):
            with self.subTest(slower):
                machine = self.judge(MADE_UP, slower)
                if slower == 1:
                    self.assertTrue(
                        all(
                            len(given) == 1 or sum(given) < 1.3 * MADE_UP[name] + 30
                            for name, given in machine.given.items()
                        ),
                        machine.given,
                    )

    @unittest.skipUnless(PROGRAM and "--forecast" in output_of(PROGRAM, "bench", "--help").stdout, "no forecasts here")
    def test_each_step_gets_what_it_needs_by_the_programs_forecast(self):
        for spec in ("1xH200", "8xH200"):
            found = {}
            for name, words in steps.MEASURED.items():
                said = measuring.forecast(PROGRAM, [*measuring.asking(words.split()), "--simulate", spec])
                self.assertIsNotNone(said, f"no forecast of {name} on {spec}")
                found[name] = said["seconds"]
                if name == "rounds":
                    self.assertLessEqual(HEADLINES, {unit["benchmark"] for unit in said["units"]})
                if name == "tune":
                    order = [unit["benchmark"] for unit in said["units"]]
                    triads = [place for place, name in enumerate(order) if name.startswith("tune/triad")]
                    self.assertLess(max(triads), order.index("tune/staged_to_gpu"), "the headline first")
            for slower in (1, 1.4):
                with self.subTest(f"{spec}, {slower}"):
                    self.judge({name: seconds for name, seconds in found.items() if seconds > 1}, slower)


if __name__ == "__main__":
    unittest.main()
