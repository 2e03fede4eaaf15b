# tocuda, Apache-2.0.
"""Draws one invented file and checks the pictures: which ones there are, that their numbers are those of the documents,
what they say, and that no text is cut off or covers another."""

import unittest

import with_matplotlib  # noqa: F401  first: exits as skipped without matplotlib

import made_up
from made_up_album import (
    PINNED,
    ONE_RUN,
    REST,
    EVERYTHING,
    drawn,
    bench,
    judged,
    words,
    badly_placed,
    lines_of,
    raw_of,
    texts_of,
)


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
        self.assertEqual(set(self.sheets), ONE_RUN | REST | {"libtorch-tax"})

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

    def test_each_process_is_drawn_where_there_are_few(self):
        for name, benchmark, size, of in (
            ("memory-against-peak", "memory/read", 2**30, "touched"),
            ("bandwidth-by-size", PINNED, 4096, "one_way"),
        ):
            row = self.row(benchmark, size)
            self.assertEqual(len(row["process_medians"]), 6)
            rates = {row[f"bytes_{of}"] / one["median_seconds"] for one in row["process_medians"]}
            places = raw_of(self.sheets[name])
            self.assertLessEqual(rates, {x for x, _ in places} | {y for _, y in places}, name)
            self.assertIn("Small points: the median of each process", " ".join(self.sheets[name].notes))

    def test_many_processes_are_not_and_equal_ones_neither(self):
        for more in ({"processes": 13}, {"noise": 0}):
            sheets, _ = drawn(bench(made_up.rows(PINNED, 1e-6, 5e10, **more)))
            self.assertEqual(raw_of(sheets["bandwidth-by-size"]), set(), more)
            self.assertNotIn("Small points", " ".join(sheets["bandwidth-by-size"].notes))

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

    def test_latencies_drawn_are_those_of_the_document(self):
        sheet = self.sheets["latency-by-working-set"]
        rows = [row for row in self.rows if row["benchmark"].startswith("latency/")]
        self.assertEqual(len(rows), 6)
        drawn = {(row["parameters"]["bytes"], row["median_seconds"]) for row in rows}
        self.assertLessEqual(drawn, lines_of(sheet))
        self.assertEqual({(size, value) for _, _, size, value, *_ in sheet.table}, drawn)
        self.assertEqual([axes.get_ylabel() for axes in sheet.figure.axes], ["time of one load"])

    def test_curves_drawn_are_those_of_the_document(self):
        sheet = self.sheets["bandwidth-by-working-set"]
        rows = [row for row in self.rows if row["benchmark"].startswith("curve/") and "on" in row["parameters"]]
        self.assertEqual(len(rows), 28)
        drawn = {(row["parameters"]["bytes"], row["bytes_per_second_touched"]) for row in rows}
        self.assertLessEqual(drawn, lines_of(sheet))
        self.assertEqual({(size, value) for _, _, size, value, *_ in sheet.table}, drawn)
        self.assertEqual(
            [axes.get_title("left") for axes in sheet.figure.axes], ["the whole GPU", "one multiprocessor"]
        )

    def test_caption_is_one_line_and_its_text_names_the_source(self):
        for name, sheet in self.sheets.items():
            self.assertNotIn("\n", sheet.facts)
            for fact in ("Made-up GPU", "driver 999.01", made_up.RUN, "made_up_0.jsonl", "95 % confidence"):
                self.assertIn(fact, sheet.words, name)

    def test_seconds_drawn_are_those_of_the_document(self):
        sheet = self.sheets["course-of-a-minute"]
        rows = [row for row in self.rows if row["benchmark"].startswith("sustained/")]
        self.assertEqual([len(row["course"]) for row in rows], [60, 60])
        drawn = {(panel, x, value) for panel, _, x, value, *_ in sheet.table}
        for row in rows:
            for number, second in enumerate(row["course"], 1):
                speed = 100 * row["course"][0]["seconds"] / second["seconds"]
                self.assertIn(("speed, %", number, speed), drawn)
                self.assertIn(("SM clock, MHz", number, second["sm_clock_mhz"]), drawn)
                self.assertIn(("°C", number, second["temperature_c"]), drawn)
        self.assertEqual(len(sheet.table), 4 * 120)
        self.assertIn("slower at the end: the last 10 s are 7.0 % below", sheet.words)

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

    def test_captions_name_the_gpus_that_a_picture_is_about(self):
        gpus = [{"index": number, "uuid": f"GPU-{number}", "name": "Made-up GPU", "pcie": {}} for number in range(4)]
        rows = [{**row, "gpu": "GPU-0"} for row in made_up.pairs(4) + made_up.memory()]
        sheets, _ = drawn(bench(rows, gpus=gpus))
        self.assertTrue(sheets["pairs-of-gpus"].facts.startswith("4 x Made-up GPU · "), sheets["pairs-of-gpus"].facts)
        of_one = [sheet.facts for name, sheet in sheets.items() if name != "pairs-of-gpus"]
        self.assertTrue(of_one and all(facts.startswith("Made-up GPU (GPU 0) · ") for facts in of_one), of_one)

    def test_pairs_are_heat_maps_with_the_numbers_of_the_document(self):
        for count in (2, 4, 8):
            sheets, documents = drawn(bench(made_up.pairs(count, wrong=(1, 0))))
            sheet = sheets["pairs-of-gpus"]
            self.assertEqual(list(badly_placed(sheet)), [], count)
            cells = {(panel, pair): value for panel, pair, _, value, _, _ in sheet.table}
            self.assertEqual(len(cells), 4 * count * (count - 1))
            for row in documents.judged[0]["rows"]:
                given = row["parameters"]
                if row["benchmark"] == "pairs/copy" and row["status"] == "ok":
                    way = given["by"] + (", no access" if given["access"] == "off" else "")
                    drawn_value = cells[f"{way}, GB/s", f"{given['from']} to {given['to']}"]
                    self.assertEqual(drawn_value, row["bytes_per_second_one_way"] / 1e9)
            self.assertEqual(cells["push, GB/s", "1 to 0"], "")
            self.assertEqual(words(sheet).count("✗"), 3)
            sizes = {text.get_text(): text.get_size() for text in texts_of(sheet)}
            self.assertGreater(sizes.pop("✗"), max(sizes.values()), "a broken pair stands out")
            self.assertIn("wrong, not counted", sheet.words)
            self.assertIn("Medians of 6 processes.", sheet.words)
            self.assertNotIn("95 %", sheet.words, "a heat map has no bars")

    def test_no_line_is_drawn_through_two_points(self):
        for sizes, styles in ((4096, 1 << 20), {"None"}), ((4096, 1 << 20, 1 << 26), {"-"}):
            rows = [
                made_up.row("copy/host_to_device/pinned", size, [1e-5 * size], process)
                for size in sizes
                for process in range(6)
            ]
            (axes, *_) = self.one(rows, "bandwidth-by-size").figure.axes
            ours = [line for line in axes.lines if len(line.get_xdata()) == len(sizes) and line.get_label()[0] != "_"]
            self.assertEqual({line.get_linestyle() for line in ours}, styles)

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


if __name__ == "__main__":
    unittest.main()
