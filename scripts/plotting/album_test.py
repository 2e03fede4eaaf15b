# tocuda, Apache-2.0.
"""Draws invented files and checks the pictures: which ones there are, what they say, and that no text is cut off."""

import unittest

import with_matplotlib  # noqa: F401  first: exits as skipped without matplotlib

import itertools
import pathlib
import tempfile

import matplotlib.axes
from matplotlib.backends.backend_agg import FigureCanvasAgg

import arguments
import made_up
from album import album
from document import documents_of
from source import sources_of


def pictures(*sections, options=()):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "made_up.jsonl"
        path.write_bytes(b"".join(sections))
        wanted = arguments.parse([str(path), "-o", folder, *options])
        return {page.name: page for page in album(sources_of(documents_of([path])), wanted)}


def words(page):
    return "\n".join(
        text.get_text() for text in page.figure.findobj(lambda artist: hasattr(artist, "get_text"))
    ).replace("\u00a0", " ")


def texts_of(page):
    """All texts except tick labels, which are placed by their axis."""
    yield from page.figure.texts
    for axes in page.figure.findobj(matplotlib.axes.Axes):
        legend = axes.get_legend()
        yield from [
            axes.title,
            axes.xaxis.label,
            axes.yaxis.label,
            *axes.texts,
            *(legend.get_texts() if legend else []),
        ]


def badly_placed(page):
    """Texts that cross the edge or overlap."""
    canvas = FigureCanvasAgg(page.figure)
    canvas.draw()
    frame = page.figure.bbox
    boxes = [
        (text.get_text(), text.get_window_extent(canvas.get_renderer()))
        for text in texts_of(page)
        if text.get_visible() and text.get_text().strip()
    ]
    for word, box in boxes:
        if box.x0 < frame.x0 or box.x1 > frame.x1 or box.y0 < frame.y0 or box.y1 > frame.y1:
            yield word, "the edge"
    for (word, box), (other, other_box) in itertools.combinations(boxes, 2):
        if (
            min(box.x1, other_box.x1) - max(box.x0, other_box.x0) > 1
            and min(box.y1, other_box.y1) - max(box.y0, other_box.y0) > 1
        ):
            yield word, other


def bench(rows, **run):
    return made_up.section(made_up.run_line(**run), rows)


EVERYTHING = bench(made_up.links() + made_up.memory() + made_up.framework() + made_up.start())
PEAK_RATE = made_up.PEAK[0]
PINNED = "copy/host_to_device/pinned"
OTHER = {"run": "ffffffff-0000-4000-8000-000000000000", "driver": "998.01"}


class Album(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.everything = pictures(EVERYTHING)

    def one(self, rows, name="bandwidth-copy_host_to_device", **run):
        return pictures(bench(rows, **run))[name]

    def test_every_family_has_its_pictures(self):
        for family in ("copy_host_to_device", "copy_device_to_host", "copy_device_to_device", "memory", "framework"):
            for kind in ("bandwidth", "mechanisms", "startup"):
                self.assertIn(f"{kind}-{family}", self.everything)
        for name in ("tax", "time-allocate", "times-allocate", "times-start"):
            self.assertIn(name, self.everything)

    def test_no_text_is_cut_off_or_overlaps_another(self):
        several = pictures(bench(made_up.links()), bench(made_up.links(0.9, seed=2), **OTHER))
        verdicts = pictures(made_up.section(made_up.run_line(verb="run"), made_up.verdict_rows()))
        for name, page in {**self.everything, **several, **verdicts}.items():
            self.assertEqual(list(badly_placed(page)), [], name)

    def test_every_picture_names_its_source(self):
        for name, page in self.everything.items():
            for fact in ("Made-up GPU", "driver 999.01", "run 0123abcd", "made_up.jsonl"):
                self.assertIn(fact, words(page), name)

    def test_only_simulated_figures_are_stamped_simulated(self):
        rows = made_up.rows(PINNED, 1e-6, 5e10)
        for device, said in (("simulated", True), ("real", False)):
            page = self.one([row | {"device": device} for row in rows], device=device)
            page.stamp()
            large = [text for text in page.figure.texts if text.get_text() == "SIMULATED" and text.get_fontsize() > 40]
            self.assertEqual(bool(large), said, device)

    def test_peak_is_drawn_with_its_source(self):
        self.assertIn("63 GB/s", words(self.everything["bandwidth-copy_host_to_device"]))
        self.assertIn(made_up.PEAK[1], words(self.everything["bandwidth-copy_host_to_device"]))

    def test_both_byte_conventions_are_named(self):
        said = words(self.everything["bandwidth-copy_host_to_device"])
        self.assertIn("one way", said)
        self.assertIn("touched", said)

    def test_fastest_measured_path_is_named(self):
        self.assertIn("attainable, device clock: 55.", words(self.everything["bandwidth-copy_host_to_device"]))

    def test_caption_warns_if_there_are_two_clocks(self):
        self.assertIn("not to be compared", words(self.everything["mechanisms-copy_host_to_device"]))
        self.assertNotIn("not to be compared", words(self.everything["mechanisms-memory"]))

    def test_six_processes_have_an_interval_and_five_do_not(self):
        for processes, interval in ((6, True), (5, False)):
            page = self.one(made_up.rows(PINNED, 1e-6, 5e10, processes=processes))
            self.assertEqual(page.table[0]["interval_low_seconds"] != "", interval)
            self.assertEqual("no intervals" in words(page), not interval)

    def test_rows_that_do_not_count_are_marked_and_change_no_value(self):
        rows = made_up.rows(PINNED, 1e-6, 5e10)
        before = self.one(rows).table
        for status in ("invalid", "failed", "timeout", "crashed"):
            page = self.one(rows + [made_up.row(PINNED, made_up.POWERS[3], [1.0], 9, status=status)])
            self.assertEqual(
                [row["median_seconds"] for row in page.table], [row["median_seconds"] for row in before], status
            )
            self.assertIn(f"× {status}, not counted (made up): pinned 256 B", words(page))

    def test_one_wrong_result_removes_the_value(self):
        page = self.one(
            made_up.rows(PINNED, 1e-6, 5e10) + [made_up.row(PINNED, made_up.POWERS[3], [1.0], 9, status="wrong")]
        )
        self.assertIsNone(page.table[3]["median_seconds"])
        self.assertIn("× wrong", words(page))

    def test_skipped_sizes_are_named(self):
        page = self.one(made_up.rows(PINNED, 1e-6, 5e10) + [made_up.row(PINNED, 2**32, [], status="skipped")])
        self.assertIn("skipped, not counted (made up): pinned 4 GiB", words(page))

    def test_throttled_processes_do_not_count_and_capped_ones_are_marked(self):
        rows = made_up.rows(PINNED, 1e-6, 5e10)
        rows[0] |= {"before": {"violation_ns": {"hw_thermal": 5}}, "after": {"violation_ns": {"hw_thermal": 9}}}
        rows[1] |= {"after": {"reasons": ["sw_power_cap", "gpu_idle"]}}
        page = self.one(rows)
        self.assertEqual([row["processes"] for row in page.table[:2]], [5, 6])
        self.assertIn(
            "× invalid, not counted (hw_thermal held the clock down for less than 1 ms): pinned 4 B", words(page)
        )
        self.assertIn("○ sw power cap: pinned 16 B", words(page))
        self.assertNotIn("gpu idle", words(page))

    def test_family_without_valid_times_has_crosses_but_no_bars(self):
        made = pictures(bench([made_up.row(PINNED, 64, [], process, status="failed") for process in range(3)]))
        self.assertIn("no valid time", words(made["bandwidth-copy_host_to_device"]))
        self.assertNotIn("mechanisms-copy_host_to_device", made)

    def test_many_mechanisms_are_split_into_pages(self):
        made = pictures(
            bench(
                [
                    row
                    for number in range(11)
                    for row in made_up.rows(f"copy/host_to_device/m{number}", 1e-6, 1e10, [4, 64, 1024])
                ]
            )
        )
        self.assertIn("bandwidth-copy_host_to_device-1", made)
        self.assertEqual(sum(len(made[f"bandwidth-copy_host_to_device-{page}"].table) for page in (1, 2)), 33)

    def test_share_of_the_peak_uses_the_peak_s_byte_convention(self):
        rows = made_up.rows("framework/to", 1e-6, PEAK_RATE / 2, [64, 4096, 2**26], noise=0)
        for row in rows:  # small sizes fit in a cache and have no peak
            row |= {"peak_counted": "one_way"} if row["parameters"]["bytes"] == 2**26 else {"peak_bytes_per_second": 0}
        self.assertIn(", 50 % of peak", words(pictures(bench(rows))["mechanisms-framework"]))

    def test_size_can_be_chosen(self):
        made = pictures(EVERYTHING, options=("--bytes", "4KiB"))
        self.assertEqual({row["bytes"] for row in made["mechanisms-copy_host_to_device"].table}, {4096})


class Tax(unittest.TestCase):
    def test_tax_is_the_ratio_of_times_by_process(self):
        rows = []
        for process in range(6):
            slow = 1 + process  # a process that is slow in both does not change the ratio
            for through, seconds in (("runtime", 1e-5), ("libtorch", 1.5e-5)):
                rows.append(
                    made_up.row(
                        "framework/to", 4096, [seconds * slow], process, "host", parameters={"through": through}
                    )
                )
        found = pictures(bench(rows))["tax"].table[0]
        self.assertAlmostEqual(found["ratio"], 1.5)
        self.assertAlmostEqual(found["ratio_low"], 1.5)
        self.assertEqual(found["processes"], 6)

    def test_without_runtime_rows_there_is_no_tax(self):
        rows = made_up.rows("framework/to", 1e-6, 1e10, clock="host", parameters={"through": "libtorch"})
        self.assertNotIn("tax", pictures(bench(rows)))


class Together(unittest.TestCase):
    def test_runs_are_overlaid_by_driver(self):
        made = pictures(bench(made_up.links()), bench(made_up.links(0.9, seed=2), **OTHER))
        overlay = made["overlay-copy_host_to_device-1-simulated"]
        self.assertEqual({row["driver"] for row in overlay.table}, {"998.01", "999.01"})
        self.assertIn("driver 998.01 (the first)", words(made["relative-copy_host_to_device-1-simulated"]))

    def test_real_and_simulated_runs_never_share_a_picture(self):
        rows = made_up.rows(PINNED, 1e-6, 5e10)
        made = pictures(bench(rows), bench([row | {"device": "real"} for row in rows], device="real", **OTHER))
        self.assertEqual([name for name in made if name.startswith(("overlay", "relative"))], [])

    def test_rows_of_different_clocks_never_share_a_panel(self):
        rows = made_up.rows(PINNED, 1e-6, 5e10)
        made = pictures(bench(rows), bench([row | {"clock": "host"} for row in rows], **OTHER))
        self.assertEqual([name for name in made if name.startswith(("overlay", "relative"))], [])


class Verdicts(unittest.TestCase):
    def test_each_family_has_a_matrix_and_all_claims_an_overview(self):
        made = pictures(made_up.section(made_up.run_line(verb="run"), made_up.verdict_rows()))
        self.assertEqual(sorted(made), ["verdicts", "verdicts-capacity", "verdicts-selection"])

    def test_unexpected_verdicts_show_the_expected_one(self):
        row = made_up.scenario(
            "capacity/made_up",
            "default",
            "simulated",
            [made_up.claim("000-01", "refuted", "reproduced"), made_up.claim("000-02", "skipped", "partial")],
        )
        made = pictures(made_up.section(made_up.run_line(verb="run"), [row]))
        self.assertIn("✗ (✓)", words(made["verdicts"]))
        self.assertEqual([one["unexpected"] for one in made["verdicts-capacity"].table], [True, False])

    def test_runs_are_shown_side_by_side(self):
        made = pictures(
            made_up.section(made_up.run_line(verb="run"), made_up.verdict_rows()),
            made_up.section(made_up.run_line(verb="run", **OTHER), made_up.verdict_rows([("002-07", "refuted")])),
        )
        found = {row["driver"]: row["verdict"] for row in made["verdicts-runs"].table if row["claim"] == "002-07"}
        self.assertEqual(found["998.01"], "refuted")
        self.assertNotEqual(found["999.01"], "refuted")


if __name__ == "__main__":
    unittest.main()
