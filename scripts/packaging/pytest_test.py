# tocuda, Apache-2.0.
"""Runs pytest with the plugin on test files made up here. TOCUDA_PROGRAM, TOCUDA_PYTHON and TOCUDA_TORCH name the
program, and a Python with torch's folder; TOCUDA_PYTEST a folder with pytest, if that Python has none."""

import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

PROGRAM, PYTHON, TORCH = (os.environ[f"TOCUDA_{name}"] for name in ("PROGRAM", "PYTHON", "TORCH"))
PLUGIN = Path(__file__).parent
SEARCH = [os.environ.get("TOCUDA_PYTEST", ""), str(Path(TORCH).parent)]

# Where each test ran, and on what.
NOTED = """
    import os, signal
    import pytest
    def note(name): open(os.environ["NOTES"], "a").write(f"{name} {os.getpid()}\\n")
    two, four = pytest.mark.tocuda("2x1GiB"), pytest.mark.tocuda("4x1GiB")
    @pytest.fixture(scope="module")
    def shared():
        note("shared"); yield; note("shared's end")
    def test_here(): note("here"); assert "libcudart" not in os.environ.get("LD_PRELOAD", "")
    @two
    def test_first(shared): note("first"); assert "libcudart" in os.environ["LD_PRELOAD"]
    @four
    def test_other(): note("other")
    def test_here_again(): note("here again")
    @two
    @pytest.mark.parametrize("n", [1, 2])
    def test_second(shared, n): note("second"); print("said", n); assert n == 1
"""

# The marked test is between two files. The second looks whether the first has left anything.
TWO_FILES = {
    "test_sample.py": """
        import os
        import pytest
        def note(name): open(os.environ["NOTES"], "a").write(f"{name} {os.getpid()}\\n")
        @pytest.fixture(scope="module")
        def shared():
            note("shared"); yield; note("shared's end")
        def test_here(shared): note("here")
        @pytest.mark.tocuda("2x1GiB")
        def test_first(shared): note("first")
    """,
    "test_second.py": """
        import pytest
        from test_sample import note
        def test_there(): note("there")
        @pytest.mark.tocuda("2x1GiB")
        def test_last(): note("last")
    """,
}


class Plugin(unittest.TestCase):
    def setUp(self):
        own = tempfile.TemporaryDirectory()
        self.addCleanup(own.cleanup)
        self.folder = Path(own.name)

    def start_pytest(self, tests, *words, plugin=PLUGIN, **variables):
        for name, text in (tests if isinstance(tests, dict) else {"test_sample.py": tests}).items():
            (self.folder / name).write_text(textwrap.dedent(text))
        (self.folder / "notes").unlink(missing_ok=True)
        search = os.pathsep.join([str(plugin), *filter(None, SEARCH)])
        environment = {**os.environ, "PYTHONPATH": search, "NOTES": str(self.folder / "notes"), **variables}
        command = [PYTHON, "-B", "-m", "pytest", "-p", "tocuda", "-p", "no:randomly", "--color=no", *words]
        pipe = subprocess.PIPE
        return subprocess.Popen(command, cwd=self.folder, env=environment, stdout=pipe, stderr=pipe, text=True)

    def run_pytest(self, tests, *words, **more):
        with self.start_pytest(tests, *words, **more) as started:
            out, errors = started.communicate(timeout=500)
        return subprocess.CompletedProcess(started.args, started.returncode, out, errors)

    def ended(self, ran, code, summary):
        self.assertEqual(ran.returncode, code, ran.stdout + ran.stderr)
        self.assertRegex(ran.stdout, rf"=+ {summary} in .*=+\n\Z")

    def notes(self):
        return [line.rpartition(" ")[::2] for line in (self.folder / "notes").read_text().splitlines()]

    def test_each_mark_has_one_child_and_the_summary_is_pytests(self):
        ran = self.run_pytest(NOTED, "--junitxml=it.xml")
        self.ended(ran, 1, "1 failed, 5 passed")
        self.assertRegex(ran.stdout, r"(?s)FAILURES.* test_second\[2\] .*Captured stdout call.*said 2")
        notes = self.notes()
        names = ["here", "first", "other", "here again", "second", "second"]
        self.assertEqual([name for name, _ in notes if "shared" not in name], names)
        where = {name: process for name, process in notes}
        self.assertEqual(len(set(where.values())), 3)
        self.assertEqual(where["here"], where["here again"])
        self.assertEqual([one for one in notes if one[1] == where["second"]][0][0], "shared")
        self.assertEqual([name for name, process in notes if process == where["first"]][-1], "shared's end")
        suite = ElementTree.parse(self.folder / "it.xml").getroot().find("testsuite")
        self.assertEqual((suite.get("tests"), suite.get("failures")), ("6", "1"))
        again = self.run_pytest(NOTED, "--lf")
        self.ended(again, 1, "1 failed")

    def test_selected_tests_run_until_one_fails(self):
        self.ended(self.run_pytest(NOTED, "-k", "second or other"), 1, "1 failed, 2 passed, 3 deselected")
        failing = NOTED.replace('note("first");', 'note("first"); assert False;')
        self.ended(self.run_pytest(failing, "-x"), 1, "1 failed, 1 passed")
        self.assertEqual([name for name, _ in self.notes()][-2:], ["first", "shared's end"])

    def test_a_crash_fails_the_test_that_ran_and_the_rest_goes_on(self):
        crashing = NOTED.replace('note("first");', "os.kill(os.getpid(), signal.SIGSEGV);")
        ran = self.run_pytest(crashing)
        self.ended(ran, 1, "2 failed, 4 passed")
        self.assertRegex(ran.stdout, r"FAILED test_sample.py::test_first - the process was killed by SIGSEGV")
        self.assertIn(" in test_first\n", ran.stdout)  # Python's own report of where it was

        ran = self.run_pytest(NOTED.replace('note("first");', "os.kill(os.getpid(), 40);"), "-k", "first")
        self.assertIn("was killed by signal 40 while this test ran", ran.stdout)

    def test_a_marked_test_leaves_nothing_to_the_next_file(self):
        self.ended(self.run_pytest(TWO_FILES), 0, "4 passed")
        names = ["shared", "here", "shared's end", "shared", "first", "shared's end", "there", "last"]
        self.assertEqual([name for name, _ in self.notes()], names)

    def test_a_plugin_may_run_a_test_twice(self):
        twice = """
            from _pytest.runner import runtestprotocol
            def pytest_runtest_protocol(item):
                return all(runtestprotocol(item, nextitem=None) for _ in range(2))
        """
        ran = self.run_pytest({"test_sample.py": NOTED, "conftest.py": twice}, "-k", "first")
        self.ended(ran, 0, "2 passed, 5 deselected")

    def test_plugins_do_not_take_a_child_for_a_worker_of_xdist(self):
        looks = """
            import pytest
            @pytest.hookimpl(trylast=True)
            def pytest_configure(config): assert not hasattr(config, "workerinput")
        """
        ran = self.run_pytest({"test_sample.py": NOTED, "conftest.py": looks}, "-k", "first", "--junitxml=it.xml")
        self.ended(ran, 0, "1 passed, 5 deselected")

    def test_workers_of_xdist_have_children_of_their_own(self):
        if self.run_pytest(NOTED, "-n", "2", "-k", "none of them").returncode == 4:
            self.skipTest("no pytest-xdist")
        ran = self.run_pytest(TWO_FILES | {"test_third.py": NOTED}, "-n", "2")
        self.ended(ran, 1, "1 failed, 9 passed")
        ran = self.run_pytest(NOTED.replace('"4x1GiB"', '"4x1GiB", fault="cudaStreamCreate 1 1"'), "-n", "2")
        self.assertIn("tocuda: the fault 'cudaStreamCreate 1 1' never happened\n", ran.stdout)

    def test_what_fails_only_on_simulated_gpus_when_it_is_imported_is_shown(self):
        fails = 'import os\nif "libcudart" in os.environ.get("LD_PRELOAD", ""): import no_such_module\n'
        ran = self.run_pytest(fails + textwrap.dedent(NOTED))
        self.ended(ran, 1, "2 passed, 4 errors")
        self.assertRegex(ran.stdout, r"(?s)did not find this test\n.*No module named 'no_such_module'")

    def test_an_interrupt_ends_the_children(self):
        endless = NOTED.replace('note("first");', 'note("first"); import time; time.sleep(600);')
        started = self.start_pytest(endless, "-k", "first")
        self.addCleanup(started.kill)
        notes = self.folder / "notes"
        while started.poll() is None and not (notes.exists() and "first" in notes.read_text()):
            time.sleep(0.1)
        started.send_signal(signal.SIGINT)
        out, errors = started.communicate(timeout=40)
        self.assertEqual(started.returncode, 2, out + errors)
        self.assertFalse(Path(f"/proc/{dict(self.notes())['first']}").exists())

    def test_what_cannot_start_says_why(self):
        ran = self.run_pytest(NOTED.replace("4x1GiB", "4xNoSuchGpu"))
        self.ended(ran, 1, "1 failed, 4 passed, 1 error")
        self.assertIn("the process ended with exit code 2 before any test could run\ntocuda: '4xNoSuchGpu'", ran.stdout)
        ran = self.run_pytest(NOTED.replace('("4x1GiB")', ""))
        self.assertEqual(ran.returncode, 4)
        self.assertIn("test_other: the mark tocuda takes the GPUs", ran.stderr)

    def test_an_installed_package_finds_its_own_program(self):
        site = self.folder / "site"
        (site / "tocuda").mkdir(parents=True)
        for path in PLUGIN.glob("tocuda/*.py"):
            (site / "tocuda" / path.name).symlink_to(path)
        (site / "tocuda/tocuda").symlink_to(PROGRAM)
        self.ended(self.run_pytest(NOTED, "-k", "first", plugin=site, TOCUDA_PROGRAM=""), 0, "1 passed, 5 deselected")

    def test_strict_fails_what_a_gpu_may_compute_otherwise(self):
        tests = """
            import pytest, torch
            @pytest.mark.tocuda("1x1GiB")
            def test_computed(): assert torch.ones(3, device="cuda").sum().item() == 3
            @pytest.mark.tocuda("1x1GiB")
            def test_compiled(): assert torch.compile(torch.sin)(torch.zeros(3, device="cuda")).sum().item() == 0
        """
        self.ended(self.run_pytest(tests, "-W", "ignore"), 0, "2 passed")
        strict = self.run_pytest(tests, "-W", "ignore", "-o", "tocuda_strict=true")
        self.ended(strict, 1, "1 failed, 1 passed")
        self.assertIn("was torch.compile's (tocuda_strict)", strict.stdout)

    def test_options_of_the_mark_reach_the_gpus(self):
        ran = self.run_pytest("""
            import warnings
            import pytest, torch
            @pytest.mark.tocuda("2x1GiB", fault=["cudaMalloc 1 2 sticky", "cudaStreamCreate 1 1"], driver=13010)
            def test_out_of_memory():
                assert torch.cuda.device_count() == 2
                warnings.warn("of the child", DeprecationWarning)
                with pytest.raises(RuntimeError, match="out of memory"): torch.empty(1, device="cuda")
            @pytest.mark.tocuda("1x1GiB")
            def test_values(): assert torch.arange(4., device="cuda").sum().item() == 6
            @pytest.mark.tocuda("1x1GiB", compute=False)
            def test_no_values(): assert torch.arange(4., device="cuda").sum().item() != 6
        """)
        self.ended(ran, 0, "3 passed, 1 warning")
        self.assertIn("DeprecationWarning: of the child", ran.stdout)
        self.assertIn("tocuda: the fault 'cudaStreamCreate 1 1' never happened\n", ran.stdout)


if __name__ == "__main__":
    search = os.pathsep.join(filter(None, [*SEARCH, os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "PYTHONPATH": search}
    if subprocess.run([PYTHON, "-c", "import pytest"], env=environment, capture_output=True).returncode != 0:
        print(f"skipped: {PYTHON} has no pytest")
        sys.exit(77)
    unittest.main(verbosity=2)
