#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""Asks `tocuda fit` for the programs of models.py. Arguments: tocuda, the folder that the package torch is in."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

MODELS = Path(__file__).resolve().parent / "tests" / "models.py"
MIB = 1 << 20
OUTSIDE = 518 * MIB


def environment():
    return {**os.environ, "TOCUDA_PYTHON": sys.executable, "PYTHONPATH": TORCH, "COLUMNS": "120"}


def program(*words):
    return ("--", sys.executable, "-B", MODELS, *words)


def run(*words, verb="fit", **given):
    return subprocess.run(
        [TOCUDA, verb, *words], capture_output=True, text=True, timeout=600, **{"env": environment(), **given}
    )


class Asked(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def document(self, *words, code=0):
        file = self.folder / "answer.json"
        ran = run("--json", "--output", file, *words)
        self.assertEqual((ran.returncode, ran.stdout), (code, ""), ran.stderr)
        return json.loads(file.read_text())

    def assert_shown_by_two_runs(self, document):
        brink = document["brink"][0]
        self.assertEqual((brink["basis"], brink["failed_at_bytes"]), ("ran", brink["bytes"] - 2 * MIB))
        self.assertLessEqual(brink["bytes"], document["comfortable_bytes"] - document["outside"]["bytes"])
        peak = document["peak"]
        self.assertLessEqual(peak["allocated_bytes"], brink["bytes"])
        self.assertRegex(peak["line"], r"^models.py:\d+$")
        self.assertLessEqual(sum(each["bytes"] for each in peak["live"]), peak["allocated_bytes"])


class Models(Asked):
    """Apart, because each program runs several times."""

    def test_models(self):
        """The brink of each is shown by two runs of it."""
        for name, not_known in (
            ("gpt", ""),
            ("lora", ""),
            ("checkpointing", ""),
            ("generation", ""),
            ("lstm", "cuDNN"),
            ("vit", "cuDNN"),
        ):
            with self.subTest(name):
                document = self.document("H100", "--no-compute", *program(name))
                self.assert_shown_by_two_runs(document)
                said = " ".join(document["not_known"])
                self.assertEqual("cuDNN" in said, bool(not_known), said)
                self.assertEqual(
                    document["gpus"][0]["verdict"], "fits", "cuDNN has room for copies of all that is live"
                )
                self.assertEqual(document["steps"], 0 if name == "generation" else 2)
                if name == "gpt":
                    self.assertIn(document["peak"]["step"], (1, 2))

    def test_cudnn_leaves_it_open_where_there_is_little_room(self):
        enough = self.document("H100", "--no-compute", *program("vit"))["comfortable_bytes"] // MIB + 2
        gpu = self.document(f"H100:{enough}MiB", "--no-compute", *program("vit"))["gpus"][0]
        self.assertEqual(gpu["verdict"], "open")
        self.assertIn("cuDNN", gpu["because"])

    def test_one_process_on_two_gpus_is_one(self):
        document = self.document("2xL4", "--no-compute", *program("spread"))
        self.assertEqual((document["processes"], document["gpus"][0]["verdict"]), (1, "fits"))

    def test_two_gpus_sharded(self):
        document = self.document("2xH100", "--no-compute", *program("sharded"), code=0)
        self.assert_shown_by_two_runs(document)
        self.assertEqual((document["processes"], document["gpus"][0]["verdict"]), (2, "open"))
        self.assertIn("NCCL", document["gpus"][0]["because"])

    def test_verdicts_by_memory(self):
        """The same program on GPUs of one kind and several sizes: it runs three times in all."""
        first = self.document("8GiB", "--outside", "100MiB", "--no-compute", *program("gpt"))
        comfortable, brink = first["comfortable_bytes"], first["brink"][0]["bytes"] + 100 * MIB
        self.assertGreater(comfortable, brink)
        sizes = [f"{bytes // MIB}MiB" for bytes in (comfortable, comfortable - 2 * MIB, brink, brink - 2 * MIB)]
        specs = ",".join(sizes)
        document = self.document(specs, "--outside", "100MiB", *program("gpt"), code=1)
        self.assertEqual([gpu["name"] for gpu in document["gpus"]], [f"H100:{size}" for size in sizes])
        self.assertEqual([gpu["verdict"] for gpu in document["gpus"]], ["fits", "tight", "tight", "not"])
        self.assertEqual([gpu["left_bytes"] for gpu in document["gpus"]][2:], [0, -2 * MIB])
        self.assertEqual(document["outside"], {"bytes": 100 * MIB, "source": "--outside", "uncertain_bytes": 0})
        told = run(sizes[1], "--outside", "100MiB", "--strict", "--no-compute", *program("gpt"))
        self.assertEqual(told.returncode, 3, told.stderr)
        self.assertIn(f"TIGHT on H100:{sizes[1]}", told.stderr)
        self.assertIn(f"{sizes[1]} is H100:{sizes[1]}: a size alone is that of an H100", told.stderr)

    def test_largest_that_fits(self):
        """The memory that 8 takes carries 8; 2 MiB less do not."""
        enough = self.document("H100", "--no-compute", *program("gpt", "8"))["comfortable_bytes"] // MIB
        specs = f"{enough}MiB,{enough - 2}MiB,520MiB"
        document = self.document(specs, "--no-compute", "--vary", "n=4..8", *program("gpt", "{n}"), code=1)
        self.assertEqual([each["largest"] for each in document["vary"]][0::2], [8, None])
        self.assertEqual([each["is_last"] for each in document["vary"]], [True, False, False])
        self.assertIn(document["vary"][1]["largest"], range(4, 8))
        self.assertEqual(document["vary"][0]["comfortable_bytes"], enough * MIB)
        self.assertEqual([gpu["verdict"] for gpu in document["gpus"]], ["open", "open"], "the estimate decides")
        for each in document["vary"][:2]:
            self.assertLessEqual(each["comfortable_bytes"], each["memory_bytes"])


class Fit(Asked):
    def test_not_is_what_the_program_itself_does_there(self):
        """With less than the brink, this program catches what is out of memory."""
        fills = (
            "import torch; kept = []\n"
            "try:\n    for _ in range(40): kept.append(torch.empty(64 << 20, dtype=torch.uint8, device='cuda'))\n"
            "except torch.OutOfMemoryError: pass\n"
            "last = torch.ones(10, device='cuda')"
        )
        gpu = self.document("2GiB", "--no-compute", "--", sys.executable, "-c", fills)["gpus"][0]
        self.assertEqual(gpu["verdict"], "open")
        self.assertIn("ran out of memory there and continued", gpu["because"])

    def test_steps_end_the_program(self):
        """The first step takes the optimizer's memory: where it fails, the program ends by its error."""
        for steps in (1, 3):
            with self.subTest(steps):
                document = self.document("H100", "--steps", str(steps), *program("many_steps"))
                self.assertEqual(document["steps"], steps)
                self.assert_shown_by_two_runs(document)

    def test_memory_of_cuda_and_of_the_host(self):
        document = self.document("H100", *program("beside"))
        self.assertEqual(document["outside"]["bytes"], OUTSIDE + 64 * MIB)
        self.assertIn("64 MiB that the program took from CUDA", document["outside"]["source"])
        self.assert_shown_by_two_runs(document)

    def test_memory_of_the_host_and_an_estimate_that_decides(self):
        document = self.document("660MiB", "--no-compute", *program("pinned"))
        self.assertEqual(document["host"]["pinned_bytes"], 64 * MIB, "33 MiB, rounded up to a power of two")
        self.assertGreater(document["host"]["pageable_bytes"], 33 * MIB)
        self.assertRegex(document["peak"]["line"], r"^models.py:\d+$", "the program's first and only allocation")
        self.assertEqual(document["outside"]["bytes"], OUTSIDE)
        gpu = document["gpus"][0]
        self.assertEqual(gpu["verdict"], "open")
        self.assertIn("--outside", gpu["because"])

    def test_other_settings_and_the_recording_that_is_kept(self):
        kept, settings = self.folder / "kept.history", "expandable_segments:True"
        words = ("H100", "--no-compute", "--settings", settings, "--record", kept, *program("gpt"))
        brinks = self.document(*words)["brink"]
        self.assertEqual([(each["settings"], each["basis"]) for each in brinks], [("", "ran"), (settings, "replayed")])
        replay = subprocess.run(
            [TOCUDA, "replay", "--smallest", "--json", kept], capture_output=True, env=environment()
        )
        row = json.loads(replay.stdout)["what_if"][0]
        self.assertEqual(row["smallest_bytes"], brinks[0]["bytes"])

    def test_settings_that_libtorch_refuses_are_refused_before_the_program_runs(self):
        ran = run("H100", "--settings", "nonsense:1", "--", sys.executable, "-c", f"open('{self.folder}/ran', 'w')")
        self.assertEqual(ran.returncode, 2, ran.stderr)
        self.assertIn("tocuda: with the settings 'nonsense:1': ", ran.stderr)
        self.assertFalse((self.folder / "ran").exists())

    def test_files_beside_the_recording_stay(self):
        beside = self.folder / "kept.py"
        beside.write_text("mine")
        self.document("H100", "--no-compute", "--record", self.folder / "kept", *program("pinned"))
        self.assertEqual(beside.read_text(), "mine")
        self.assertTrue((self.folder / "kept").read_text().startswith('{"kind":"memory_history"'))

    def test_sizes_that_depend_on_values_leave_it_open_if_nothing_is_computed(self):
        gpu = self.document("H100", "--no-compute", *program("masked"))["gpus"][0]
        self.assertEqual(gpu["verdict"], "open")
        self.assertIn("depends on values", gpu["because"])
        self.assertEqual(self.document("H100", *program("masked"))["gpus"][0]["verdict"], "fits")

    def test_a_program_that_takes_what_is_free_is_judged_on_the_gpu_itself(self):
        document = self.document("L4,24GiB", "--no-compute", *program("greedy"))
        self.assertTrue(document["asks_for_free_memory"])
        for gpu in document["gpus"]:
            self.assertEqual((gpu["verdict"], gpu["basis"]), ("fits", "ran there"))
            tenth = (gpu["memory_bytes"] - OUTSIDE) // 10
            self.assertAlmostEqual(gpu["left_bytes"], tenth, delta=8 * MIB)
        told = run("L4", "--no-compute", *program("boastful"))
        self.assertEqual(told.returncode, 1, told.stderr)
        self.assertIn("NOT on L4 (ran out of memory there)", told.stderr)
        self.assertIn("with 1 TiB", told.stderr)
        self.assertNotIn("comfortable", told.stderr, "nothing says how much it needs")

    def test_a_program_that_reads_how_large_the_gpu_is_asks_too(self):
        document = self.document("L4", "--no-compute", *program("measures"))
        self.assertTrue(document["asks_for_free_memory"])
        self.assertEqual([(gpu["verdict"], gpu["basis"]) for gpu in document["gpus"]], [("fits", "ran there")])
        self.assertFalse(self.document("L4", "--no-compute", *program("pinned"))["asks_for_free_memory"])

    def test_a_program_that_ends_with_an_error_where_memory_is_short_does_not_fit(self):
        gpus = self.document("L4,H100", "--no-compute", *program("refuses"))["gpus"]
        self.assertEqual([gpu["verdict"] for gpu in gpus], ["open", "fits"])
        self.assertIn("the program ended with 1", gpus[0]["because"])
        self.assertIn("the silent program ended with: ", run("L4", "--no-compute", *program("refuses")).stderr)
        gpu = self.document("2GiB", "--no-compute", *program("catches"))["gpus"][0]
        self.assertEqual(gpu["verdict"], "open")
        self.assertIn("ran out of memory there and continued", gpu["because"])

    def test_a_program_that_only_asks_is_judged_as_if_it_did_not(self):
        gpus = self.document("1GiB,520MiB", "--no-compute", *program("logs"), code=1)["gpus"]
        self.assertEqual([gpu["verdict"] for gpu in gpus], ["open", "not"])
        self.assertIn("--outside", gpus[0]["because"])
        self.assertLess(gpus[1]["left_bytes"], -500 * MIB)

    def test_the_largest_that_fits_is_searched_on_the_gpu_if_the_program_asks(self):
        varied = self.document("L4", "--no-compute", "--vary", "n=1..64", *program("adapts", "{n}"))["vary"][0]
        self.assertEqual((varied["largest"], varied["is_last"]), (64, True))
        self.assertLess(varied["comfortable_bytes"], 12 << 30)

    def test_a_program_that_fails_on_one_gpu_is_judged_on_the_others(self):
        ends = self.document("A100-80,H100", *program("only_hopper"))["gpus"]
        self.assertEqual([gpu["verdict"] for gpu in ends], ["open", "fits"])
        self.assertIn("ended with 1", ends[0]["because"])
        self.assertNotIn("left_bytes", ends[0])

    def test_each_run_reads_a_file_from_its_beginning(self):
        reads = "import torch; kept = torch.empty(int(input()) << 20, dtype=torch.uint8, device='cuda')"
        words = ("H100", "--no-compute", "--", sys.executable, "-c", reads)
        given = self.folder / "given"
        given.write_text("600\n")
        with given.open() as file:
            told = run(*words, stdin=file)
        self.assertIn("ran at 600 MiB for LibTorch, failed at 598", " ".join(told.stderr.split()))
        told = run(*words, input="600\n")
        self.assertIn("EOF when reading a line (each further run reads stdin only if it is a file", told.stderr)

    def test_a_program_may_ask_for_a_snapshot_of_its_own(self):
        asks = (
            "import torch; kept = [torch.empty(1 << 20, device='cuda') for _ in range(2)]; "
            "assert torch.cuda.memory_snapshot(); torch.cuda.memory._record_memory_history(); "
            f"torch.ones(1, device='cuda'); torch.cuda.memory._dump_snapshot('{self.folder}/snapshot.pickle')"
        )
        document = self.document("H100", "--no-compute", "--", sys.executable, "-c", asks)
        self.assertEqual(document["gpus"][0]["verdict"], "fits")
        self.assertIn("reproduced", run(self.folder / "snapshot.pickle", verb="replay").stdout)

    def test_a_program_s_own_history_is_whole(self):
        """It is asked for before the first allocation, when ours would begin."""
        asks = (
            "import torch; torch.cuda.memory._record_memory_history(max_entries=1000)\n"
            "kept = [torch.empty(3 << 20, device='cuda') for _ in range(9)]\n"
            f"torch.cuda.memory._dump_snapshot('{self.folder}/snapshot.pickle')\n"
            "events = torch.cuda.memory._snapshot()['device_traces'][0]\n"
            "assert sum(event['action'] == 'alloc' for event in events) == 9, events"
        )
        document = self.document("H100", "--no-compute", "--", sys.executable, "-c", asks)
        self.assertEqual(document["gpus"][0]["verdict"], "fits")
        self.assertIn("reproduced", run(self.folder / "snapshot.pickle", verb="replay").stdout)

    def test_a_program_that_may_take_only_a_part_of_the_gpu_is_judged_on_the_gpu_itself(self):
        takes = "import torch\nkept = [torch.empty(300 << 20, dtype=torch.uint8, device='cuda') for _ in range(3)]"
        by_call = takes.replace("\n", "; torch.cuda.set_per_process_memory_fraction(0.5)\n")
        words = ("1600MiB,2400MiB", "--no-compute", "--", sys.executable, "-c")
        by_settings = {**environment(), "PYTORCH_ALLOC_CONF": "per_process_memory_fraction:0.5"}
        for how, told in (("call", run(*words, by_call)), ("settings", run(*words, takes, env=by_settings))):
            with self.subTest(how):
                self.assertEqual(told.returncode, 1, told.stderr)
                self.assertRegex(told.stderr, r"(?m)^tocuda: FITS on H100:2400MiB .*; NOT on H100:1600MiB")
                self.assertNotIn("comfortable", told.stderr, "no number says how much it needs")

    def test_processes_that_share_a_gpu_are_judged_by_their_sum(self):
        """A run on the GPU itself would end well, because each process has all of its memory there."""
        waits = (
            "import os, torch\nreading, writing = os.pipe()\n"
            "if os.fork():\n    os.close(writing)\n    os.read(reading, 1)\n"
            "    kept = torch.empty(200 << 20, dtype=torch.uint8, device='cuda')\n"
            "else:\n    kept = torch.empty(500 << 20, dtype=torch.uint8, device='cuda')\n    os.write(writing, b'x')\n"
        )
        words = ("900MiB", "--outside", "300MiB", "--no-compute", "--", sys.executable, "-c", waits)
        gpu = self.document(*words)["gpus"][0]
        self.assertEqual((gpu["verdict"], gpu["left_bytes"]), ("open", -100 * MIB), "each counts its memory alone")

    def test_processes_on_one_gpu_leave_it_open(self):
        document = self.document("1100MiB", "--no-compute", *program("two_processes"))
        self.assertEqual((document["processes"], document["brink"][0]["basis"]), (2, "replayed"))
        self.assertIn("their peaks were added", document["gpus"][0]["because"])

    def test_a_failure_is_a_document_too(self):
        file = self.folder / "answer.json"
        told = run("H100", "--json", "--output", file, *program("crashes"))
        self.assertEqual(json.loads(file.read_text())["error"]["exit_code"], told.returncode)

    def test_a_program_that_reacts_to_memory_runs_with_less_than_it_would_take(self):
        document = self.document("H100", "--no-compute", *program("catches"))
        self.assertEqual(document["brink"][0]["bytes"], 1 << 32, "an error that was caught is not survived")
        self.assertEqual(document["brink"][0]["went_on_at_bytes"], (1 << 32) - 2 * MIB)

    def test_what_ends_badly(self):
        for words, code, said in (
            (program("crashes"), 4, "was ended by signal 11 (SIGSEGV)"),
            (program("nothing"), 4, "took no memory"),
            (("--", "sh", "-c", "kill -TERM $$"), 4, "was ended by signal 15 (SIGTERM)"),
            (("--", "/nowhere/program"), 4, "/nowhere/program"),
            ((), 2, "the command is missing"),
            (("--vary", "n=1..2", *program("gpt")), 2, "{n}"),
            (("--vary", "n=2..1", *program("gpt", "{n}")), 2, "NAME=1..64"),
            (("--outside", "many", *program("gpt")), 2, "--outside"),
            (("--steps", "0", *program("gpt")), 2, "--steps"),
        ):
            told = run("H100", *words)
            self.assertEqual(told.returncode, code, (words, told.stderr))
            self.assertIn(said, told.stderr)
        told = run("H100", "--record", self.folder / "kept", *program("nothing"))
        self.assertIn("no memory was recorded", told.stderr)
        self.assertFalse((self.folder / "kept").exists())
        told = run("H1000", *program("gpt"))
        self.assertEqual(told.returncode, 2)
        self.assertIn("did you mean", told.stderr)

    def test_a_recording_that_is_cut_gives_no_answer(self):
        full = (
            "import resource, torch; kept = [torch.ones(1, device='cuda')]; "
            "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)); "
            "kept += [torch.ones(1 << 20, device='cuda') for _ in range(99)]"
        )
        told = run("H100", "--", sys.executable, "-c", full)
        self.assertEqual(told.returncode, 4, told.stderr)
        self.assertIn("the recording of memory ends here", told.stderr)
        self.assertIn("could not be recorded whole", told.stderr)

    def test_what_no_gpu_could_hold_is_not(self):
        takes = "import torch; torch.empty(3 << 40, dtype=torch.uint8, device='cuda')"
        told = run("H100", "--no-compute", "--", sys.executable, "-c", takes)
        self.assertEqual(told.returncode, 1, told.stderr)
        self.assertIn("NOT on any GPU", told.stderr)

    def test_an_interrupt_ends_it_and_the_recording_is_kept(self):
        takes = (
            "import time, torch\nx = torch.ones(1 << 20, device='cuda')\nprint('began', flush=True)\ntime.sleep(600)"
        )
        recording = self.folder / "kept.history"
        child = subprocess.Popen(
            [TOCUDA, "fit", "H100", "--no-compute", "--record", recording, "--", sys.executable, "-c", takes],
            stdout=subprocess.PIPE,
            env=environment(),
            text=True,
            start_new_session=True,
            stderr=subprocess.DEVNULL,
        )
        self.assertEqual(child.stdout.readline(), "began\n")
        os.killpg(child.pid, signal.SIGINT)
        self.assertEqual(child.wait(60), 130)
        replayed = run("--json", "--strict", recording, verb="replay")
        document = json.loads(replayed.stdout)
        self.assertEqual(document["peak"]["blocks_bytes"], 4 << 20, replayed.stderr)
        self.assertTrue(document["source"]["stopped"])
        self.assertEqual(replayed.returncode, 3, "nobody knows what it would have needed next")

    def test_the_recording_stays_if_fit_is_killed(self):
        takes = "import os, signal, torch\nx = torch.ones(1 << 20, device='cuda')\nos.kill(PARENT, signal.SIGKILL)"
        recording = self.folder / "kept.history"
        command = [TOCUDA, "fit", "H100", "--no-compute", "--record", recording, "--", sys.executable, "-c"]
        told = subprocess.run(
            [*command, takes.replace("PARENT", "os.getppid()")], env=environment(), capture_output=True, timeout=600
        )
        self.assertEqual(told.returncode, -signal.SIGKILL)
        self.assertIn('"action":"alloc"', recording.read_text())


if __name__ == "__main__":
    TORCH = sys.argv.pop(2)
    TOCUDA = sys.argv.pop(1)
    unittest.main()
