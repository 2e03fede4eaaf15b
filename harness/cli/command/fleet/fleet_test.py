#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""Tests fleets under real launchers; Slurm runs four virtual nodes. Arguments: TOCUDA WORKERS [unittest's]."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import cluster
import ranks

PROGRAM, WORKERS = map(os.path.abspath, sys.argv[1:3])
CAN_SIMULATE = (pathlib.Path(PROGRAM).parent / "simulator/simulated/libcudart.so.13").exists()
MARK = "TOCUDA_FLEET_MARK"
TINY = ["fake/steady", "--bytes", "4KiB", "--quick"]
SLOW = ["fake/slow", "--quick"]
LONG = ["fake/slow", "--bytes", "4B..4GiB"]  # a tenth of a second per size, in each of six processes


class FleetCase(unittest.TestCase):
    """Starts ranks that share a folder of results."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tocuda-fleet-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.results = self.folder / "results"
        self.environment = dict(
            self.base_environment(),
            TOCUDA_WORKERS=WORKERS,
            XDG_STATE_HOME=str(self.folder / "state"),
            **{MARK: folder.name},
        )

    def base_environment(self):
        return {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("SLURM_", "OMPI_", "PMI_", "PMIX_"))
        }

    def start(self, launcher, *words):
        return subprocess.Popen(
            [*launcher, PROGRAM, "bench", *words, "--output", str(self.results)],
            env=self.environment,
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def launch(self, launcher, *words):
        started = self.start(launcher, *words)
        out, err = started.communicate(timeout=120)
        return started.returncode, out, err

    def expect_whole(self, count, launcher, status="complete"):
        found = ranks.files(self.results)
        self.assertEqual([one.fleet.get("rank") for one in found], list(range(count)))
        for one in found:
            self.assertEqual((one.fleet["launcher"], one.fleet["size"]), (launcher, count))
            self.assertTrue(one.unaltered(), one.path)
            self.assertEqual(one.end["status"], status)
        self.assertEqual(len({one.run["run"] for one in found}), count)
        self.assertEqual(len({one.run["session"] for one in found}), 1, "ranks of one machine and boot are one session")
        return found

    def expect_rows_from_all(self, count):
        self.assertTrue(
            ranks.until(
                lambda: len(ranks.files(self.results)) == count and all(one.rows for one in ranks.files(self.results))
            )
        )

    def ask(self, *words, code=0):
        """Returns the JSON document that tocuda prints."""
        done = subprocess.run(
            [PROGRAM, *map(str, words), "--json"],
            capture_output=True,
            text=True,
            check=False,
            env=self.environment,
            cwd=self.folder,
        )
        self.assertEqual(done.returncode, code, done.stderr)
        return json.loads(done.stdout)

    def merge(self, *files):
        """Returns the counts that `merge` prints, and the bytes of the merged file."""
        merged = self.folder / "merged.jsonl"
        return self.ask("merge", *files, "-o", merged), merged.read_bytes()


@unittest.skipIf(cluster.why_not(), cluster.why_not())
class Slurm(FleetCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="tocuda-slurm-")
        cls.addClassCleanup(folder.cleanup)
        cls.cluster = cluster.Cluster(folder.name)
        cls.addClassCleanup(cls.cluster.stop)
        cls.cluster.start()

    def base_environment(self):
        return self.cluster.environment

    def test_each_rank_writes_its_own_file(self):
        code, out, err = self.launch(["srun", "-N4", "-n8", "--ntasks-per-node=2"], *TINY)
        self.assertEqual(code, 0, err)
        found = self.expect_whole(8, "srun")
        self.assertEqual(
            [(one.fleet["node"], one.fleet["local_rank"]) for one in found],
            [(f"n{node}", local) for node in (1, 2, 3, 4) for local in (0, 1)],
        )
        self.assertEqual(out.count("touched % peak"), 1, "only rank 0 prints a table: " + out)
        for one in found:
            self.assertIn(one.path.name, out)

    def test_each_rank_uses_the_gpu_of_its_local_rank(self):
        if not CAN_SIMULATE:
            self.skipTest("this build cannot simulate GPUs")
        code, out, err = self.launch(
            ["srun", "-N2", "-n4", "--ntasks-per-node=2"],
            "fake/on_gpu",
            "--simulate",
            "2x1GiB",
            "--bytes",
            "4KiB",
            "--quick",
        )
        self.assertEqual(code, 0, err)
        for one in self.expect_whole(4, "srun"):
            self.assertEqual({row["gpu"][-1] for row in one.rows}, {str(one.fleet["local_rank"])})
        self.assertIn("rank 0 of 4 (srun), local rank 0 on n1", " ".join(out.split()))

    def test_a_rank_without_a_gpu_fails_and_the_others_run(self):
        if not CAN_SIMULATE:
            self.skipTest("this build cannot simulate GPUs")
        code, _, err = self.launch(
            ["srun", "-N1", "-n3", "-w", "n2"], "fake/on_gpu", "--simulate", "2x1GiB", "--bytes", "4KiB", "--quick"
        )
        self.assertEqual(code, 4, err)
        self.assertIn(
            "[rank 2] tocuda: rank 2 of 3 (srun), local rank 2 on n2: no GPU is left for this rank: 2 are visible",
            err,
        )
        self.assertEqual([one.fleet["rank"] for one in ranks.files(self.results)], [0, 1])

    def test_a_batch_script_is_not_a_rank(self):
        script = self.folder / "script"
        script.write_text(f"#!/bin/sh\nexec {PROGRAM} bench {' '.join(TINY)} --output {self.results}\n")
        done = subprocess.run(
            ["sbatch", "-W", "-N2", "-n4", "-o", str(self.folder / "out"), str(script)],
            env=self.environment,
            timeout=120,
            check=False,
        )
        self.assertEqual(done.returncode, 0)
        self.assertEqual([one.fleet for one in ranks.files(self.results)], [{}])

    def test_scancel_leaves_whole_files(self):
        wrapped = self.folder / "wrapped"
        wrapped.write_text('#!/bin/sh\ntrap : TERM\n"$@"\necho $? > code.$SLURM_PROCID\n')
        wrapped.chmod(0o700)
        started = self.start(["srun", "-J", "cancelled", "-N4", "-n4", str(wrapped)], *SLOW)
        self.expect_rows_from_all(4)
        self.cluster.ask("scancel", "-n", "cancelled")
        started.communicate(timeout=60)
        self.expect_whole(4, "srun", "interrupted")
        self.assertEqual([(self.folder / f"code.{rank}").read_text() for rank in range(4)], ["5\n"] * 4)

    def test_a_killed_rank_loses_only_its_own_end_line(self):
        started = self.start(["srun", "-N4", "-n4"], *SLOW)
        self.expect_rows_from_all(4)
        os.kill(ranks.rank_process(str(self.folder), "SLURM_PROCID", 2), signal.SIGKILL)
        started.communicate(timeout=120)
        self.assertEqual(started.returncode, 137)
        found = ranks.files(self.results)
        self.assertEqual([one.end is not None for one in found], [True, True, False, True])
        self.assertTrue(all(one.unaltered() for one in found if one.end))
        self.assertTrue(ranks.until(lambda: not ranks.processes(str(self.folder))), ranks.processes(str(self.folder)))

    def test_merge_and_verify_handle_killed_cut_and_copied_files(self):
        started = self.start(["srun", "-N4", "-n4"], *SLOW)
        self.expect_rows_from_all(4)
        os.kill(ranks.rank_process(str(self.folder), "SLURM_PROCID", 0), signal.SIGKILL)
        started.communicate(timeout=120)
        found = ranks.files(self.results)
        cut = found[1].path.read_bytes()
        found[1].path.write_bytes(cut[: -len(cut) // 3])
        doubled = self.folder / "doubled.jsonl"
        shutil.copy(found[2].path, doubled)
        paths = [one.path for one in found] + [doubled]
        counts, merged = self.merge(*paths)
        self.assertEqual((counts["sections"], counts["duplicates"]), (4, 1))
        _, other_order = self.merge(*reversed(paths))
        self.assertEqual(merged, other_order, "the order of the files must not matter")
        for rank, code in enumerate([1, 1, 0, 0]):
            verified = self.ask("verify", found[rank].path, code=code)
            self.assertEqual(verified["whole"], code == 0)

    def test_a_slow_rank_is_found_among_its_peers(self):
        if not CAN_SIMULATE:
            self.skipTest("this build cannot simulate GPUs")
        slowed = self.folder / "slowed"
        slowed.write_text('#!/bin/sh\n[ $SLURM_PROCID != 5 ] || export FAKE_FACTOR=1.05\nexec "$@"\n')
        slowed.chmod(0o700)
        code, _, err = self.launch(
            ["srun", "-N4", "-n8", "--ntasks-per-node=2", str(slowed)],
            "fake/wandering_gpu",
            "--simulate",
            "2x1GiB",
            "--bytes",
            "1MiB",
        )
        self.assertEqual(code, 0, err)
        shutil.copy(ranks.files(self.results)[0].path, self.results / "doubled.jsonl")
        found = self.ask("compare", "--fleet", self.results, code=1)["found"]
        self.assertEqual([one["node"] for one in found], ["n3 cuda:1"])
        self.assertEqual(found[0]["verdict"], "below")

    @unittest.skipUnless(shutil.which("mpirun"), "no Open MPI here: mpirun cannot be found")
    def test_open_mpi_inside_slurm_is_the_launcher(self):
        code, _, err = self.launch(["salloc", "-N2", "-n4", "--ntasks-per-node=2", *MPIRUN, "-n", "4"], *TINY)
        self.assertEqual(code, 0, err)
        found = self.expect_whole(4, "mpirun")
        self.assertEqual([one.fleet["node"] for one in found], ["n1", "n1", "n2", "n2"])


MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--mca", "btl_vader_single_copy_mechanism", "none"]


@unittest.skipUnless(shutil.which("mpirun"), "no Open MPI here: mpirun cannot be found")
class OpenMpi(FleetCase):
    def test_each_rank_writes_its_own_file(self):
        code, out, err = self.launch([*MPIRUN, "-n", "4"], *TINY)
        self.assertEqual(code, 0, err)
        found = self.expect_whole(4, "mpirun")
        self.assertEqual([one.fleet["local_rank"] for one in found], [0, 1, 2, 3])
        self.assertEqual(out.count("touched % peak"), 1, out)

    def test_a_killed_rank_interrupts_the_others_cleanly(self):
        # mpirun waits before SIGTERM and again before SIGKILL: by default one second, which is short on a busy machine;
        # here four. The ranks have work left for more than both.
        started = self.start([*MPIRUN, "--mca", "odls_base_sigkill_timeout", "4", "-n", "4"], *LONG)
        self.expect_rows_from_all(4)
        os.kill(ranks.rank_process(str(self.folder), "OMPI_COMM_WORLD_RANK", 2), signal.SIGKILL)
        started.communicate(timeout=120)
        found = ranks.files(self.results)
        self.assertEqual([one.end is not None for one in found], [True, True, False, True])
        self.assertEqual({one.end["status"] for one in found if one.end}, {"interrupted"})
        self.assertTrue(ranks.until(lambda: not ranks.processes(str(self.folder))), ranks.processes(str(self.folder)))


if __name__ == "__main__":
    cluster.in_a_namespace_of_ones_own()
    done = unittest.main(argv=[sys.argv[0], *sys.argv[3:]], exit=False, verbosity=2).result
    nothing_was_tried = done.wasSuccessful() and len(done.skipped) >= max(1, done.testsRun)
    sys.exit(77 if nothing_was_tried else 0 if done.wasSuccessful() else 1)
