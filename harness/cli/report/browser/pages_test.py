#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""Opens pages of `tocuda report` in headless Chromium. Arguments: TOCUDA SOURCE [unittest's].
Skipped (77) without it."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import chromium
import recordings
from page_files import HOSTILE, LONG, SLOW_GPU, PageFiles

PROGRAM, SOURCE = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
INSPECT = (pathlib.Path(__file__).parent / "inspect.js").read_text()
SKIPPED = 77
RESULTS = SOURCE / "results"
COMMITTED = {
    "-".join(file.relative_to(RESULTS).parts[:-1]): file
    for file in sorted(RESULTS.glob("*/**/*.jsonl"))
    if file.relative_to(RESULTS).parts[0] != "local"
}
PAGES = ("run", "bench", "full", "compared", "models", "fleet", "hostile", "redacted", "long", *COMMITTED)
PRINTED = (740, 1000)  # pixels of a page of paper, without its margins


def gigabytes(rate):
    """As tables write a rate: four digits."""
    value = rate / 1e9
    return f"{value:.{4 - (4 if value >= 999.95 else 3 if value >= 99.995 else 2 if value >= 9.9995 else 1)}f}"


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory(prefix="tocuda-pages-", ignore_cleanup_errors=True)
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = pathlib.Path(temporary.name)
        cls.pages = {}
        made = PageFiles(cls.folder, SOURCE, PROGRAM)
        for name in PAGES:
            files = [COMMITTED[name]] if name in COMMITTED else getattr(made, name)()
            cls.pages[name] = cls.folder / f"{name}.html"
            cls.tocuda("report", *files, "-o", cls.pages[name], *(["--redact"] if name == "redacted" else []))
        cls.browser = chromium.Browser(temporary.name)
        cls.addClassCleanup(cls.browser.stop)

    @classmethod
    def tocuda(cls, *words, code=0):
        done = subprocess.run(
            [PROGRAM, *map(str, words)], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
            env={**os.environ, "XDG_STATE_HOME": str(cls.folder / "state")},
        )  # fmt: skip
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout

    def ask(self, what, *arguments):
        return self.browser.run(INSPECT, what, *arguments)

    def open(self, name, **how):
        self.browser.open(self.pages[name], **how)

    def test_nothing_is_requested_and_nothing_complains(self):
        for name in PAGES:
            with self.subTest(page=name):
                self.open(name)
                self.assertEqual(self.browser.requests(), [self.pages[name].as_uri()])
                self.assertEqual(self.browser.logged("browser"), [])

    def test_nothing_overflows(self):
        for name in PAGES:
            with self.subTest(page=name):
                for width in (360, 1440):
                    self.open(name, width=width)
                    self.assertEqual(self.ask("overflow"), [0, []], width)
                    if name != "long":
                        self.ask("openEverything")
                        self.assertEqual(self.ask("overflow"), [0, []], width)

    def test_charts_have_the_width_of_the_page(self):
        for name in ("compared", "models"):
            with self.subTest(page=name):
                self.open(name, width=1440)
                across = self.ask("chartsAcross")
                self.assertTrue(across)
                self.assertGreater(min(across), 0.9)

    def test_contrast_is_aa(self):
        for name in PAGES:
            with self.subTest(page=name):
                for scheme in ("light", "dark"):
                    self.open(name, scheme=scheme)
                    seen, low = self.ask("contrast")
                    self.assertGreater(seen, 20)
                    self.assertEqual(low, [], scheme)

    def test_screen_readers_find_names_headings_and_captions(self):
        for name in PAGES:
            with self.subTest(page=name):
                self.open(name)
                self.assertEqual(self.ask("structure"), [])

    def test_claims_are_filtered(self):
        self.open("run")
        every = self.ask("shown")
        self.assertGreater(len(every), 50)
        self.assertIn(f"{len(every)} of {len(every)}", self.ask("filter", "", ""))
        false = [row for row in every if row[0] == "false"]
        self.assertIn(f"{len(false)} of", self.ask("filter", "false", ""))
        self.assertEqual(self.ask("shown"), false)
        wanted = [row for row in every if "memory" in row[1].lower() and row[0] == "true"]
        self.ask("filter", "true", "Memory")
        self.assertEqual(self.ask("shown"), wanted)
        self.assertIn("1 of", self.ask("filter", "unexpected", ""))
        self.assertIn("Unexpected", self.ask("shown")[0][1])

    def test_evidence_is_one_click_away(self):
        self.open("run")
        self.assertTrue(self.ask("evidence"))

    def test_without_scripts_everything_but_the_filter_is_there(self):
        self.open("run")
        every = len(self.ask("shown"))
        self.open("run", scripts=False)
        self.assertEqual(len(self.ask("shown")), every)
        self.assertFalse(self.browser.run("return document.getElementById('filter').checkVisibility()"))
        self.assertEqual(self.browser.run("return document.querySelectorAll('button').length"), 0)

    def test_a_table_is_copied_as_csv(self):
        self.open("bench")
        tables = self.ask("tables")
        number = next(i for i, one in enumerate(tables) if "bandwidth against size" in one["title"])
        table = tables[number]["rows"]
        lines = self.ask("csv", number).splitlines()
        self.assertEqual(len(lines), len(table))
        self.assertIn(",4096,", lines[1] + lines[2])
        self.assertEqual(lines[1].split(",")[2], table[1][2])

    def test_figures_hold_the_numbers_of_the_document(self):
        document = json.loads(self.tocuda("judge", self.folder / "bench.jsonl", "--json"))
        self.open("bench")
        tables = {table["title"]: table["rows"] for table in self.ask("tables")}
        compared = 0
        for row in document["rows"]:
            folder, mechanism = row["benchmark"].rsplit("/", 1)
            for title, cells in tables.items():
                label = mechanism + (" (host clock)" if row["clock"] == "host" and "host clock" not in title else "")
                if not title.startswith(f"{folder}/: bandwidth") or row["parameters"].get("through"):
                    continue
                size = f"{row['parameters']['bytes'] >> 10} KiB" if row["parameters"]["bytes"] < 1 << 20 else (
                    f"{row['parameters']['bytes'] >> 20} MiB")  # fmt: skip
                found = [one for one in cells if one[:2] == [label, size]]
                self.assertEqual(len(found), 1, (title, label, size))
                low, high = (row["bytes_one_way"] / end for end in reversed(row["interval_seconds"]))
                expected = [gigabytes(row["bytes_per_second_one_way"]), gigabytes(low), gigabytes(high)]
                self.assertEqual(found[0][2:5], expected)
                compared += 1
        self.assertEqual(compared, len(recordings.SPEEDS) * len(recordings.SIZES))
        starts = {row[0]: row for title, rows in tables.items() if "start-up" in title for row in rows}
        for fit in document["fits"]:
            label = fit["benchmark"].rsplit("/", 1)[1]
            if fit["t0_seconds"] and label == "zero_copy":
                self.assertEqual(starts[label][2:4],
                                 [f"{fit['t0_seconds'] * 1e6:.4g}", gigabytes(fit["bytes_per_second"])])  # fmt: skip

    def test_every_measured_row_of_a_full_run_is_in_a_table(self):
        document = json.loads(self.tocuda("judge", self.folder / "full.jsonl", "--json", code=1))
        measured = [row for row in document["rows"] if row["status"] != "skipped"]
        self.assertGreater(len(measured), 1000)
        self.open("full")
        shown = set()
        for table in self.ask("tables"):
            (mechanism, second, *_), *rows = table["rows"]
            if mechanism == "mechanism" and second != "sizes":
                cells = 2 if second == "size" else 1
                folder = table["title"].partition(":")[0]
                shown |= {(folder, row[0].removesuffix(" (host clock)"), *row[1:cells]) for row in rows}
        self.assertEqual(len(shown), len(measured))

    def test_changes_and_fleets_name_what_stands_out(self):
        self.open("compared")
        text = self.browser.run("return document.body.textContent")
        self.assertRegex(text, r"since 2026-\d\d-\d\d the driver changed: 580.95.05 -> 590.44.01")
        self.open("fleet")
        text = self.browser.run("return document.body.textContent")
        self.assertIn("12 x SIMULATED NVIDIA H200 (140 GiB, 700 W, PCIe 5 x16)", text)
        self.assertIn(", 3 hosts", text)
        self.assertIn("1 of 12 GPUs stands out: node2 cuda:2.", text)
        self.assertRegex(text, r"node2 cuda:2 is 1\d\.\d % below its 11 peers")

    def test_figures_of_a_fleet_hold_the_numbers_of_the_documents(self):
        file = self.folder / "fleet.jsonl"
        rows = json.loads(self.tocuda("judge", file, "--json"))["rows"]
        found = json.loads(self.tocuda("compare", "--fleet", file, "--json", code=1))["found"]
        self.open("fleet")
        (cells,) = (table["rows"][1:] for table in self.ask("tables") if table["title"].startswith("Each GPU"))
        self.assertEqual(len(cells), len(rows))
        places = {recordings.gpu_id(number): f"node{number // 4 + 1} cuda:{number % 4}" for number in range(12)}
        fastest, shown = {}, {(row[0], row[1]): row for row in cells}
        for row in rows:
            fastest[row["id"]] = min(fastest.get(row["id"], 1), row["median_seconds"])
        stands_out = {(one["id"], one["node"]): one for one in found}
        self.assertEqual({node for _, node in stands_out}, {"node2 cuda:2"})
        for row in rows:
            size = row["parameters"]["bytes"]
            name = f"{row['benchmark']} {f'{size >> 10} KiB' if size < 1 << 20 else f'{size >> 20} MiB'}"
            name += f" through={row['parameters']['through']}" if "through" in row["parameters"] else ""
            rate = row["bytes_per_second_one_way"]
            one = stands_out.get((row["id"], places[row["gpu"]]))
            expected = [f"{gigabytes(rate)} GB/s", f"{100 * fastest[row['id']] / row['median_seconds']:.4g}",
                        f"{100 * one['difference']:+.1f}" if one else "", one["because"] if one else ""]  # fmt: skip
            self.assertEqual(shown[name, places[row["gpu"]]][2:6], expected, name)

    def test_hostile_texts_do_nothing(self):
        self.open("hostile")
        self.assertTrue(self.browser.run("return document.title").endswith("(tocuda)"))
        self.assertEqual(self.browser.run("return document.querySelectorAll('img, script').length"), 1)
        self.assertIn("<script>document.title", self.browser.run("return document.body.textContent"))

    def test_redaction_leaves_nothing(self):
        page = self.pages["redacted"].read_text()
        line = recordings.run_line(7, "bench")
        for secret in ("node17", "/usr/", recordings.gpu_id(0), recordings.gpu_id(1), line["session"], line["boot"]):
            self.assertNotIn(secret, page)
        self.assertIn(line["run"], page)
        self.assertIn("host1", page)

    def test_long_page_opens(self):
        self.open("long")
        state, milliseconds, rows = self.ask("loaded")
        print(f"a page of {LONG} rows ({self.pages['long'].stat().st_size >> 10} KiB): {milliseconds:.0f} ms")
        self.assertEqual(state, "complete")
        self.assertGreater(rows, LONG)

    def test_pages_are_small_and_can_be_printed(self):
        for name in ("run", "bench", "full", "compared", "models", "fleet", *COMMITTED):
            most = 900_000 if name == "full" else 500_000  # it has about 3,100 rows, most with remarks
            self.assertLess(self.pages[name].stat().st_size, most, name)
        self.open("run")
        self.assertTrue(self.browser.printed().startswith(b"%PDF"))

    def test_printed_figures_fit_on_a_page(self):
        for name in PAGES:
            with self.subTest(page=name):
                self.open(name, width=PRINTED[0], media="print")
                self.assertEqual(self.ask("tallerThan", PRINTED[1]), [])

    def test_evidence_of_a_scenario_stands_together(self):
        self.open("run")
        self.assertEqual(self.ask("namedTwice"), [])


if __name__ == "__main__":
    if chromium.why_not():
        print(f"skipped: {chromium.why_not()}")
        sys.exit(SKIPPED)
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
