# tocuda, Apache-2.0.
"""Draws invented files and checks the pictures: which ones there are, that their numbers are those of the documents,
what they say, and that no text is cut off or covers another."""

import unittest

import with_matplotlib  # noqa: F401  first: exits as skipped without matplotlib

import itertools
import pathlib
import tempfile

import matplotlib.axes
from matplotlib.backends.backend_agg import FigureCanvasAgg

import made_up
from album import album
from document import documents_of
from source import sources_of

PINNED = "copy/host_to_device/pinned"
ONE_RUN = {"bandwidth-by-size", "mechanisms-at-one-size", "memory-against-peak", "conversion", "before-the-first-byte"}
OTHER = {"run": "ffffffff-0000-4000-8000-000000000000", "driver": "998.01"}


def drawn(*contents, size=None):
    """The pictures of files with these contents, by name, and the documents that they were drawn from."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [pathlib.Path(folder) / f"made_up_{number}.jsonl" for number in range(len(contents))]
        for path, content in zip(paths, contents):
            path.write_bytes(content)
        documents = documents_of(paths)
    sheets = [sheet for sheet in album(sources_of(documents.judged), documents, size) if sheet]
    assert len({sheet.name for sheet in sheets}) == len(sheets), "two pictures of one name"
    return {sheet.name: sheet for sheet in sheets}, documents


def bench(rows, **run):
    return made_up.section(made_up.run_line(**run), rows)


def judged(rows=None, **run):
    return made_up.section(made_up.run_line(verb="run", **run), rows or made_up.verdict_rows())


def texts_of(sheet):
    """All texts but the ticks of axes of numbers, which matplotlib places."""
    yield from sheet.figure.texts
    for legend in sheet.figure.legends:
        yield from legend.get_texts()
    for axes in sheet.figure.findobj(matplotlib.axes.Axes):
        yield from [axes.title, axes._left_title, axes.xaxis.label, axes.yaxis.label, *axes.texts]
        if axes.get_yscale() == "linear":
            low, high = sorted(axes.get_ylim())
            yield from (text for text in axes.get_yticklabels() if low <= text.get_position()[1] <= high)


def words(sheet):
    return "\n".join(text.get_text() for text in texts_of(sheet))


def badly_placed(sheet):
    """Texts that cross the edge or cover another."""
    canvas = FigureCanvasAgg(sheet.figure)
    canvas.draw()
    frame = sheet.figure.bbox
    boxes = [
        (text.get_text(), text.get_window_extent(canvas.get_renderer()))
        for text in texts_of(sheet)
        if text.get_visible() and text.get_text().strip()
    ]
    for word, box in boxes:
        if box.x0 < frame.x0 or box.x1 > frame.x1 or box.y0 < frame.y0 or box.y1 > frame.y1:
            yield word, "the edge"
    for (word, box), (other, place) in itertools.combinations(boxes, 2):
        if min(box.x1, place.x1) - max(box.x0, place.x0) > 1 and min(box.y1, place.y1) - max(box.y0, place.y0) > 1:
            yield word, other


def lines_of(sheet):
    """What matplotlib was given to draw: the places of all markers."""
    return {
        (float(x), float(y))
        for axes in sheet.figure.axes
        for line in axes.lines
        if line.get_marker() not in ("", "None", None)
        for x, y in zip(line.get_xdata(), line.get_ydata())
    }


EVERYTHING = bench(made_up.links() + made_up.memory() + made_up.framework() + made_up.start() + made_up.conversion())


class OneRun(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.sheets, documents = drawn(EVERYTHING)
        cls.rows = documents.judged[0]["rows"]
        cls.document = documents.judged[0]

    def row(self, benchmark, size, **parameters):
        wanted = {"bytes": size, **parameters}
        return next(row for row in self.rows if (row["benchmark"], row["parameters"]) == (benchmark, wanted))

    def test_each_question_has_one_picture(self):
        self.assertEqual(set(self.sheets), ONE_RUN | {"libtorch-tax"})

    def test_no_text_is_cut_off_or_covers_another(self):
        for name, sheet in self.sheets.items():
            self.assertEqual(list(badly_placed(sheet)), [], name)

    def test_bandwidths_drawn_are_those_of_the_document(self):
        places = lines_of(self.sheets["bandwidth-by-size"])
        for size in made_up.POWERS:
            row = self.row(PINNED, size)
            self.assertIn((size, row["bytes_per_second_one_way"]), places)
        found = {(panel, row, x): (value, low, high) for panel, row, x, value, low, high in
                 self.sheets["bandwidth-by-size"].table}  # fmt: skip
        value, low, high = found["to the GPU", "pinned", 4096]
        row = self.row(PINNED, 4096)
        self.assertEqual(value, row["bytes_per_second_one_way"])
        self.assertEqual([low, high], sorted(row["bytes_one_way"] / end for end in row["interval_seconds"]))

    def test_memory_counts_bytes_read_and_written(self):
        places = {x for x, _ in lines_of(self.sheets["memory-against-peak"])}
        for name in ("read", "write", "scale", "triad", "dot"):
            self.assertIn(self.row(f"memory/{name}", 2**30)["bytes_per_second_touched"], places)

    def test_fits_and_taxes_drawn_are_those_of_the_document(self):
        places = {x for x, _ in lines_of(self.sheets["mechanisms-at-one-size"])}
        fit = next(fit for fit in self.document["fits"] if fit["benchmark"] == PINNED)
        self.assertLessEqual({fit["t0_seconds"], fit["half_bandwidth_bytes"]}, places)
        taxes = {(tax["parameters"]["bytes"], tax["ratio"]) for tax in self.document["taxes"]}
        self.assertTrue(taxes)
        self.assertEqual(taxes, lines_of(self.sheets["libtorch-tax"]) & taxes)

    def test_times_drawn_are_those_of_the_document(self):
        places = {x for x, _ in lines_of(self.sheets["before-the-first-byte"])}
        for row in self.rows:
            if row["benchmark"].startswith("start/"):
                self.assertIn(row["median_seconds"], places)

    def test_caption_is_one_line_and_its_text_names_the_source(self):
        for name, sheet in self.sheets.items():
            self.assertNotIn("\n", sheet.facts)
            for fact in ("Made-up GPU", "driver 999.01", made_up.RUN, "made_up_0.jsonl", "95 % confidence"):
                self.assertIn(fact, sheet.words, name)

    def test_one_axis_of_bandwidth_and_the_other_convention_in_the_text(self):
        sheet = self.sheets["bandwidth-by-size"]
        self.assertEqual([axes.get_ylabel() for axes in sheet.figure.axes if axes.get_ylabel()],
                         ["bandwidth in payload bytes, one way"])  # fmt: skip
        self.assertEqual([axes.child_axes for axes in sheet.figure.axes], [[], []])
        self.assertIn("Bytes read + written: 2 x", sheet.words)

    def test_peak_and_fastest_path_are_drawn_with_their_source(self):
        self.assertIn("peak 63 GB/s", words(self.sheets["bandwidth-by-size"]))
        self.assertIn("attainable 5", words(self.sheets["bandwidth-by-size"]))
        self.assertIn(made_up.PEAK[1], self.sheets["bandwidth-by-size"].words)

    def test_two_clocks_are_told_apart(self):
        self.assertIn("pageable, pages touched (host clock)", words(self.sheets["bandwidth-by-size"]))
        self.assertIn("not to be compared", self.sheets["bandwidth-by-size"].words)
        self.assertNotIn("not to be compared", self.sheets["memory-against-peak"].words)

    def test_size_can_be_chosen(self):
        sheets, _ = drawn(EVERYTHING, size=4096)
        self.assertIn("at 4 KiB", sheets["mechanisms-at-one-size"].question)
        self.assertIn(
            self.row(PINNED, 4096)["bytes_per_second_one_way"],
            {x for x, _ in lines_of(sheets["mechanisms-at-one-size"])},
        )


class Rows(unittest.TestCase):
    def one(self, rows, name="bandwidth-by-size", **run):
        return drawn(bench(rows, **run))[0][name]

    def test_only_simulated_figures_have_the_band(self):
        rows = made_up.rows(PINNED, 1e-6, 5e10)
        for device, said in (("simulated", True), ("real", False)):
            sheet = self.one([row | {"device": device} for row in rows], device=device)
            self.assertEqual("SIMULATED" in words(sheet), said, device)
            self.assertEqual("SIMULATED" in sheet.words, said, device)

    def test_six_processes_have_an_interval_and_five_do_not(self):
        for processes, interval in ((6, True), (5, False)):
            sheet = self.one(made_up.rows(PINNED, 1e-6, 5e10, processes=processes))
            self.assertEqual(sheet.table[0][4] != "", interval)
            self.assertEqual("no intervals" in sheet.facts, not interval)

    def test_one_size_has_dots_but_no_curves(self):
        rows = made_up.rows(PINNED, 1e-6, 5e10, [4096]) + made_up.rows("memory/read", 1e-6, 1e12, [4096])
        self.assertEqual(set(drawn(bench(rows))[0]), {"mechanisms-at-one-size", "memory-against-peak"})

    def test_rows_that_do_not_count_are_named_and_change_no_value(self):
        rows = made_up.rows(PINNED, 1e-6, 5e10)
        before = self.one(rows).table
        for status in ("invalid", "failed", "timeout", "crashed"):
            sheet = self.one(rows + [made_up.row(PINNED, made_up.POWERS[3], [1.0], 9, status=status)])
            self.assertEqual(sheet.table, before, status)
            self.assertIn(f"{status}, not counted (made up): to the GPU: pinned 256 B", sheet.words)

    def test_one_wrong_result_removes_the_value_and_leaves_a_cross(self):
        wrong = [made_up.row(PINNED, made_up.POWERS[3], [1.0], 9, status="wrong")]
        sheet = self.one(made_up.rows(PINNED, 1e-6, 5e10) + wrong)
        self.assertNotIn(made_up.POWERS[3], [row[2] for row in sheet.table])
        self.assertIn("wrong, not counted", sheet.words)
        crosses = [line for axes in sheet.figure.axes for line in axes.lines if line.get_marker() == "x"]
        self.assertEqual([list(line.get_xdata()) for line in crosses], [[made_up.POWERS[3]]])

    def test_skipped_sizes_are_named(self):
        skipped = [made_up.row(PINNED, 2**32, [], status="skipped")]
        sheet = self.one(made_up.rows(PINNED, 1e-6, 5e10) + skipped)
        self.assertIn("skipped, not counted (made up): to the GPU: pinned 4 GiB", sheet.words)

    def test_family_without_valid_times_has_no_picture(self):
        rows = [made_up.row(PINNED, 64, [], process, status="failed") for process in range(3)]
        self.assertEqual(drawn(bench(rows))[0], {})

    def test_mechanisms_without_room_are_named(self):
        rows = [one for number in range(11) for one in
                made_up.rows(f"copy/host_to_device/m{number:02}", 1e-6, 1e10, [4, 64, 1024])]  # fmt: skip
        sheet = self.one(rows)
        self.assertEqual(len({row[1] for row in sheet.table}), 7)
        self.assertIn("Not drawn for lack of room: m07; m08; m09; m10.", sheet.words)
        self.assertEqual(list(badly_placed(sheet)), [])

    def test_fastest_setting_stands_for_its_mechanism(self):
        rows = [one for threads in (1, 4) for one in
                made_up.rows("copy/host_to_device/staged", 1e-5 / threads, 1e10 * threads,
                             parameters={"threads": threads})]  # fmt: skip
        sheet = self.one(rows)
        self.assertEqual({row[1] for row in sheet.table}, {"staged"})
        self.assertGreater(max(row[3] for row in sheet.table), 3e10)
        self.assertIn("staged: threads 4", sheet.words)

    def test_tax_of_one_size_has_dots(self):
        rows = []
        for process in range(6):
            slow = 1 + process  # a process that is slow in both does not change the ratio
            for through, seconds in (("runtime", 1e-5), ("libtorch", 1.5e-5)):
                parameters = {"through": through}
                rows.append(made_up.row("framework/to", 4096, [seconds * slow], process, "host", parameters=parameters))
        (row,) = self.one(rows, "libtorch-tax").table
        self.assertAlmostEqual(row[3], 1.5)
        self.assertAlmostEqual(row[4], 1.5)
        self.assertNotIn(
            "libtorch-tax", drawn(bench([row for row in rows if row["parameters"]["through"] != "runtime"]))[0]
        )


class Several(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.sheets, cls.documents = drawn(*made_up.drivers())

    def test_many_files_have_one_picture_for_each_question(self):
        self.assertEqual(set(self.sheets), {"bandwidth-by-size", "mechanisms-at-one-size", "runs-by-driver", "changes"})
        for name, sheet in self.sheets.items():
            self.assertEqual(list(badly_placed(sheet)), [], name)

    def test_long_names_are_neither_cut_off_nor_cover_another(self):
        first, second = (
            bench(made_up.links()),
            bench(made_up.links(0.9, seed=2), session="other", boot="other", **OTHER),
        )
        for sheet in drawn(first, second)[0].values():
            self.assertEqual(list(badly_placed(sheet)), [], sheet.name)

    def test_medians_of_drivers_are_those_of_compare(self):
        places = lines_of(self.sheets["runs-by-driver"])
        (compared,) = self.documents.compared
        for row in compared["rows"]:
            for side in ("old", "new"):
                size = row["parameters"]["bytes"]
                self.assertIn((size, size / row[side]["seconds"]), places)

    def test_band_holds_every_run(self):
        table = self.sheets["runs-by-driver"].table
        self.assertEqual({row[1] for row in table}, {"driver 570.86.15 (11 runs)", "driver 580.95.05 (11 runs)"})
        for row in self.documents.judged[0]["rows"]:
            size, rate = row["parameters"]["bytes"], row["bytes_per_second_one_way"]
            self.assertTrue(any(x == size and low <= rate <= high for _, _, x, _, low, high in table))

    def test_changes_are_those_of_compare_and_plus_is_slower(self):
        sheet = self.sheets["changes"]
        (compared,) = self.documents.compared
        self.assertEqual(
            sorted((row["change"], *row["change_interval"]) for row in compared["rows"]),
            sorted((value, low, high) for _, _, _, value, low, high in sheet.table),
        )
        self.assertEqual({row["verdict"] for row in compared["rows"]}, {"slower"})
        self.assertTrue(all(row[3] > 0 for row in sheet.table))
        self.assertIn("+ is slower", words(sheet))

    def test_two_runs_of_one_driver_have_changes_without_intervals(self):
        rows = made_up.rows(PINNED, 1e-6, 5e10)
        runs = [bench(rows, session=name, boot=name, run=f"{name * 8}-0000-4000-8000-000000000000") for name in "ab"]
        sheet = drawn(*runs)[0]["changes"]
        self.assertEqual({row[4] for row in sheet.table}, {""})
        self.assertIn("no intervals", sheet.facts)
        self.assertIn("run aaaaaaaa to run bbbbbbbb", sheet.question)

    def test_real_and_simulated_runs_never_share_a_picture(self):
        rows = made_up.rows(PINNED, 1e-6, 5e10)
        sheets, _ = drawn(bench(rows), bench([row | {"device": "real"} for row in rows], device="real", **OTHER))
        self.assertEqual(set(sheets), {"bandwidth-by-size", "mechanisms-at-one-size"})
        self.assertNotIn("SIMULATED", sheets["bandwidth-by-size"].words)

    def test_gpu_that_stands_out_is_the_one_that_compare_finds(self):
        sheets, documents = drawn(*made_up.fleet(slow=7))
        (fleet,) = documents.fleets
        self.assertTrue(fleet["found"])
        self.assertEqual({row["node"] for row in fleet["found"]}, {"node07 cuda:0"})
        self.assertIn("node07 Made-up GPU: ", words(sheets["fleet"]))
        self.assertEqual(list(badly_placed(sheets["fleet"])), [])
        times = {row["median_seconds"] for row in documents.judged[0]["rows"]}
        self.assertEqual({row[3] for row in sheets["fleet"].table}, times)
        self.assertEqual({x for x, _ in lines_of(sheets["fleet"])}, times)


class Verdicts(unittest.TestCase):
    def test_claims_are_drawn_by_run_with_the_verdicts_of_the_document(self):
        later = judged(made_up.verdict_rows([("002-07", "refuted")]), libtorch={"version": "2.15.0"}, **OTHER)
        sheets, documents = drawn(judged(libtorch={"version": "2.11.0"}), later)
        said = {(run["about"]["libtorch"]["version"], claim["id"], claim["verdict"])
                for run in documents.judged[0]["runs"] for claim in run["claims"]}  # fmt: skip
        letters = {letter: version for letter, version in zip("AB", ("2.15.0", "2.11.0"))}
        self.assertEqual({(letters[row[0]], row[1], row[3]) for row in sheets["verdicts"].table}, said)
        self.assertIn("A  LibTorch 2.15.0, simulated device", words(sheets["verdicts"]))
        self.assertEqual(list(badly_placed(sheets["verdicts"])), [])

    def test_unexpected_verdicts_show_the_expected_one(self):
        claims = [made_up.claim("000-01", "refuted", "reproduced"), made_up.claim("000-02", "skipped", "partial")]
        sheets, _ = drawn(judged([made_up.scenario("capacity/made_up", "default", "simulated", claims)]))
        self.assertIn("✗ (✓)", words(sheets["verdicts"]))
        self.assertIn("1 unexpected", words(sheets["verdicts"]))

    def test_fragmentation_has_a_column_for_each_setting(self):
        rows = [
            made_up.scenario(
                "fragmentation/made_up", setting, "simulated", [made_up.claim("002-05", verdict, "partial")]
            )
            for setting, verdict in (("default", "partial"), ("expandable_segments", "refuted"))
        ]
        sheets, _ = drawn(judged(rows))
        (axes,) = sheets["fragmentation"].figure.axes
        self.assertEqual([text.get_text() for text in axes.get_xticklabels()], ["default", "expandable\nsegments"])
        self.assertEqual([row[2:4] for row in sheets["fragmentation"].table],
                         [("default", "partial"), ("expandable_segments", "refuted")])  # fmt: skip
        self.assertNotIn("fragmentation", drawn(judged())[0])


if __name__ == "__main__":
    unittest.main()
