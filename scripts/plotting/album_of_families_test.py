# tocuda, Apache-2.0.
"""Draws invented rows of the families that are measured on request: that each question has its picture, with the
numbers of the document, and what is drawn where there is no room for all."""

import itertools
import unittest

import with_matplotlib  # noqa: F401  first: exits as skipped without matplotlib

import made_up
from made_up_album import badly_placed, bench, drawn, words

MOVED = {"peak": None, "sizes": [2**28]}
NOTHING_MOVED = {"peak": None, "one_way": 0, "touched": 0}


def timed(benchmark, seconds, items=0, clock="device", **parameters):
    """Rows that move nothing."""
    made = made_up.rows(benchmark, seconds, 1e21, [0], clock=clock, items=items, parameters=parameters, **NOTHING_MOVED)
    return made_up.without_size(made)


def moved(benchmark, rate, size=2**28, touched=2, clock="device", **parameters):
    return made_up.rows(benchmark, 1e-6, rate, [size], touched=touched, clock=clock, peak=None, parameters=parameters)


def arithmetic():
    made = []
    for number, name in enumerate(("divide", "fma")):
        for kind in ("float", "double"):
            made += timed(f"arithmetic/{name}", 1e-5 / (1 + number), 2**24, type=kind, what="rate")
            made += timed(f"arithmetic/{name}", 4e-8 / (1 + number), type=kind, what="latency")
    return made + timed("atomics/add", 1e-5, 2**20, type="float", addresses="one")


def collectives():
    names = "all_gather", "all_reduce", "all_to_all", "broadcast", "reduce_scatter", "send_receive"
    return [
        row
        for name in names
        for size in (2**10, 2**20, 2**26)
        for kind in (("float", "bfloat16") if "reduce" in name else ("float",))
        for row in moved(f"collectives/{name}", 2e11, size, 1, type=kind)
    ]


def calls():
    made = timed("calls/event", 1e-6, clock="host", what="record") + timed("calls/launch_rate", 2e-6, blocks=1)
    for nodes in (1, 10, 100):
        made += timed("calls/graph_instantiate", 1e-6 * nodes, clock="host", nodes=nodes)
    return made


def products():
    return [row for n in (1024, 4096) for row in timed("framework/matmul", 1e-4, 2 * n**3, "host", n=n, type="int8")]


def files():
    made = moved("load/file", 2e10, clock="host", by="read", cache="warm") + moved("save/file", 1e9, clock="host")
    for block in (4096, 65536):
        for threads, cache, rate in ((1, "warm", 1e9), (8, "warm", 5e9), (8, "cold", 1e8)):
            made += moved("load/blocks", rate * block, 2**24, clock="host", block=block, cache=cache, threads=threads)
    return made


def memory():
    made = []
    for number in (1, 2, 4):
        made += moved("memory/occupancy_read", 1e12 * number, touched=1, threads=128, blocks_each=number)
        made += [
            row for width in (16, 4, 8) for row in moved("curve/strided", 4e10 / number, stride=number, width=width)
        ]
    return made


def between():
    made = [row for gpu in (0, 1) for row in moved("pairs/one_to_all", 4e11 + gpu, **{"by": "push", "from": gpu})]
    return made + moved("pairs/halves", 9e11, by="push") + moved("pairs/rows", 1e11, **{"from": 0, "to": 1})


def host():
    made = [row for name in ("copy", "triad") for row in moved("host/stream", 2e10, clock="host", kernel=name)]
    for size in (4096, 2**20):
        made += made_up.rows("host/latency", 1e-9 * size**0.5, 1e21, [size], clock="host", **NOTHING_MOVED)
    return [{name: value for name, value in row.items() if name != "gpu"} | {"device": "none"} for row in made]


def busy():
    return [
        row
        for way in ("device_to_host", "host_to_device")
        for size in (2**26, 2**28)
        for number, beside in enumerate(("compute", "host_memory", "nothing"))
        for row in moved(f"busy/{way}", 5e10 + 1e9 * number, size, beside=beside)
    ]


def babel():
    made = []
    for elements in (2**20, 2**25):
        for name, arrays in (("add", 3), ("nstream", 4)):
            more = {"one_way": 4, "touched": 4 * arrays, "clock": "host", "peak": None}
            given = {"elements": elements, "of": "best"}
            made += made_up.rows(f"stream/{name}", 1e-6, 1e12, [elements], parameters=given, **more)
    return made_up.without_size(made)


def search():
    return [row for blocks in (1, 2, 4) for row in moved("tune/copy_by_persistent", 1e12 * blocks, blocks_each=blocks)]


# The rows of each picture, and what it draws of them.
PICTURES = {
    "operations-a-second": (arithmetic, "items_per_second"),
    "collectives-by-size": (collectives, "bytes_per_second_touched"),
    "calls": (calls, "median_seconds"),
    "graphs-by-nodes": (calls, "median_seconds"),
    "products-by-size": (products, "items_per_second"),
    "files": (files, "bytes_per_second_one_way"),
    "files-by-block": (files, "bytes_per_second_one_way"),
    "memory-by-threads": (memory, "bytes_per_second_touched"),
    "bandwidth-by-stride": (memory, "bytes_per_second_touched"),
    "copies-between-gpus": (between, "bytes_per_second_one_way"),
    "host-memory": (host, "bytes_per_second_touched"),
    "host-latency-by-working-set": (host, "median_seconds"),
    "rest-of-collectives-by-size": (collectives, "bytes_per_second_touched"),
    "busy": (busy, "bytes_per_second_one_way"),
    "stream-by-size": (babel, "bytes_per_second_touched"),
    "tune-copy_by_persistent": (search, "bytes_per_second_touched"),
}


class Families(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        rows = [row for made in dict.fromkeys(made for made, _ in PICTURES.values()) for row in made()]
        machine = {"host": "made-up", "cpu": "Made-up CPU"}
        cls.sheets, documents = drawn(bench(rows, machine=machine))
        cls.rows = documents.judged[0]["rows"]

    def lines(self, name):
        return list(dict.fromkeys(row[1] for row in self.sheets[name].table))

    def test_each_question_has_one_picture(self):
        self.assertEqual(set(self.sheets), set(PICTURES))

    def test_no_text_is_cut_off_or_covers_another(self):
        for name, sheet in self.sheets.items():
            self.assertEqual(list(badly_placed(sheet)), [], name)

    def test_numbers_drawn_are_those_of_the_document(self):
        for name, (_, field) in PICTURES.items():
            values = {row.get(field) for row in self.rows}
            steps = {row["median_seconds"] for row in self.rows if row["parameters"].get("what") == "latency"}
            self.assertLessEqual({row[3] for row in self.sheets[name].table}, values | steps, name)

    def test_a_rate_and_the_time_of_a_step_stand_in_one_row(self):
        table = self.sheets["operations-a-second"].table
        self.assertEqual(self.lines("operations-a-second")[:3], ["fma, type double", "fma, type float",
                                                                 "divide, type double"])  # fmt: skip
        self.assertEqual(len(table), 5 + 4, "atomics have no such time")
        panels = [row[2] for row in table if row[1] == "fma, type float"]
        self.assertEqual(panels, ["operations a second", "time of one in a chain"])

    def test_each_collective_is_drawn_before_the_second_type_of_one(self):
        lines = self.lines("collectives-by-size")
        each = ["all reduce", "reduce scatter", "all gather", "broadcast", "all to all", "send receive"]
        self.assertEqual([line.split(",")[0] for line in lines[:6]], each)
        self.assertEqual(len(lines), 7)
        self.assertIn("Not drawn for lack of room: reduce scatter", self.sheets["collectives-by-size"].words)
        self.assertNotIn("bytes read + written", self.sheets["collectives-by-size"].words.lower())

    def test_of_the_threads_the_fastest_are_drawn_but_the_cache_tells_lines_apart(self):
        self.assertEqual(self.lines("files-by-block"), ["cache cold", "cache warm"])
        self.assertEqual(len(self.sheets["files-by-block"].table), 4)

    def test_lines_are_in_the_order_of_their_numbers(self):
        self.assertEqual(self.lines("bandwidth-by-stride"), ["width 4", "width 8", "width 16"])

    def test_of_the_gpus_the_slowest_is_drawn_and_named(self):
        sheet = self.sheets["copies-between-gpus"]
        self.assertEqual(len(sheet.table), 3)
        self.assertEqual({row[1] for row in sheet.table},
                         {"one to all, slowest: from 0", "halves", "rows, from 0 to 1"})  # fmt: skip
        self.assertIn("Of several GPUs, or pairs of them, the slowest is drawn.", sheet.words)
        self.assertNotIn("the slowest", self.sheets["files"].words)

    def test_copies_beside_nothing_come_before_like_ones_beside_something(self):
        rows = [row[:2] for row in self.sheets["busy"].table]
        self.assertEqual(rows[:4], [("device to host, 64 MiB", "beside nothing"),
                                    ("device to host, 64 MiB", "beside compute"),
                                    ("device to host, 64 MiB", "beside host memory"),
                                    ("device to host, 256 MiB", "beside nothing")])  # fmt: skip
        self.assertEqual(len(rows), 12)

    def test_numbers_of_elements_are_an_axis(self):
        table = self.sheets["stream-by-size"].table
        self.assertEqual([row[1:3] for row in table], [(name, elements) for name in ("add", "nstream")
                                                       for elements in (2**20, 2**25)])  # fmt: skip

    def test_of_a_search_every_setting_is_drawn_the_fastest_first(self):
        self.assertEqual(self.lines("tune-copy_by_persistent"), ["blocks each 4", "blocks each 2", "blocks each 1"])

    def test_what_has_no_room_is_drawn_with_the_rest(self):
        self.assertEqual({line.split(",")[0] for line in self.lines("rest-of-collectives-by-size")}, {"reduce scatter"})
        self.assertIn("bus rate", words(self.sheets["rest-of-collectives-by-size"]))
        self.assertNotIn("bytes read + written", self.sheets["rest-of-collectives-by-size"].words.lower())

    def test_rows_of_the_host_are_not_simulated(self):
        for name, (made, _) in PICTURES.items():
            sheet = self.sheets[name]
            self.assertEqual("SIMULATED" in words(sheet), made is not host, name)
            self.assertEqual(sheet.facts.startswith("Made-up CPU"), made is host, name)

    def test_two_clocks_of_latency_are_told_apart(self):
        rows = made_up.waiting()
        for size in (2**20, 2**24):
            rows += made_up.rows("latency/managed_by_host", 1e-8, 1e21, [size], clock="host", **NOTHING_MOVED)
        sheet = drawn(bench(rows))[0]["latency-by-working-set"]
        self.assertIn("managed by host (host clock)", words(sheet))

    def test_nodes_of_the_host_have_heat_maps(self):
        made = []
        for on in (0, 1):
            for source in (0, 1):
                nodes = {"on": on, "from": source}
                for kernel in ("triad", "copy"):
                    given = {"to": 0, "kernel": kernel, "stores": "plain"}
                    made += moved("host/stream_nodes", 1e10 * (1 + on + source), clock="host", **nodes, **given)
                given = {"clock": "host", "parameters": {**nodes, "pages": "small"}, **NOTHING_MOVED}
                made += made_up.rows("host/latency_nodes", 1e-7 * (1 + on), 1e21, [2**20], **given)
        rows = [{name: value for name, value in row.items() if name != "gpu"} | {"device": "none"} for row in made]
        sheet = drawn(bench(rows, machine={"host": "made-up", "cpu": "Made-up CPU"}))[0]["nodes-of-the-host"]
        panels = list(dict.fromkeys(row[0] for row in sheet.table))
        self.assertEqual(panels, ["copy, plain stores, to node 0, GB/s", "triad, plain stores, to node 0, GB/s",
                                  "a load, small pages, ns"])  # fmt: skip
        self.assertEqual([row[1] for row in sheet.table[:4]], ["0 to 0", "0 to 1", "1 to 0", "1 to 1"])
        self.assertEqual(list(badly_placed(sheet)), [])
        self.assertNotIn("SIMULATED", words(sheet))

    def test_pairs_are_in_order_and_those_that_were_skipped_are_left_out(self):
        made = made_up.pairs(3)
        for pair, status in (((0, 1), "ok"), ((1, 0), "skipped"), ((1, 2), "ok")):
            way = {"from": pair[0], "to": pair[1], "ways": "both"}
            samples = {"samples": []} if status == "skipped" else {}
            for name, more in (("copy", {"by": "engine", "access": "on"}), ("managed", {"how": "touch"})):
                row = moved(f"pairs/{name}", 1e11, **way, **more)
                made += [one | {"status": status} | samples for one in row]
        for by, pair in itertools.product(("bulk", "flag"), ((0, 1), (0, 2))):
            ends = {"from": pair[0], "to": pair[1]} | ({"flags": "awaiting"} if by == "flag" else {"by": by})
            rows = made_up.rows(
                f"pairs/{'flag' if by == 'flag' else 'latency'}", 1e-6, 1e18, [2**26], peak=None, one_way=0, touched=0,
                parameters=ends,
            )  # fmt: skip
            made += made_up.without_size(rows) if by == "flag" else rows
        table = drawn(bench(made))[0]["pairs-of-gpus"].table
        self.assertEqual(list(dict.fromkeys(row[0] for row in table)),
                         ["engine, GB/s", "push, GB/s", "engine, both ways, GB/s", "engine, no access, GB/s",
                          "managed memory, touch, both ways, GB/s", "latency of a flag, flags=awaiting, ns",
                          "latency of a bulk load, ns", "latency of a load, ns"])  # fmt: skip
        self.assertEqual([row[1] for row in table if row[0] == "engine, both ways, GB/s"], ["0 to 1", "1 to 2"])

    def test_per_cent_are_labelled(self):
        rows = made_up.rows("load/file", 1e-6, 2e10, [2**28], clock="host", parameters={"by": "read"})
        self.assertIn("rate, % of peak", words(drawn(bench(rows))[0]["files"]))
        self.assertNotIn("% of peak", words(self.sheets["files"]), "without a peak")

    def test_pairs_without_any_value_have_no_heat_map(self):
        rows = made_up.pairs(3)
        for row in rows:
            if row["benchmark"] == "pairs/latency":
                row |= {"status": "failed", "samples": []}
        panels = {row[0] for row in drawn(bench(rows))[0]["pairs-of-gpus"].table}
        self.assertEqual(panels, {"engine, GB/s", "engine, no access, GB/s", "push, GB/s"})


if __name__ == "__main__":
    unittest.main()
