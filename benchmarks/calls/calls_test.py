#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""Tests the benchmarks of single calls on simulated GPUs. Arguments: tocuda-cuda-simulated, tocuda, the folder of the
simulated runtime, the library whose copies omit their last byte, tocuda-cuda."""

import itertools
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "simulator"))
import simulated_gpus  # noqa: E402

FIGURES = {
    "memory_bytes": 1 << 30,
    "call_ns": 1000,
    "kernel_ns": 5000,
    "graph_launch_ns": 4000,
    "graph_launch_ns_per_node": 10,
    "copy_latency_ns": 2000,
    "copy_row_ns": 50,
}
SUBMIT, COMPLETION = {"what": "submit"}, {"what": "completion"}
KERNEL = {"node": "kernel"}
BYTE = {"memory": "pinned", "to": "gpu", "what": "completion"}
# Each row with the time that follows from the profile, in nanoseconds.
ROWS = [
    ("launch", {"arguments": 16, **SUBMIT}, 1000),
    ("launch", {"arguments": 16, **COMPLETION}, 1000 + 5000),
    ("launch", {"arguments": 4096, **SUBMIT}, 1000),
    ("launch", {"arguments": 32760, **COMPLETION}, 1000 + 5000),
    ("launch_rate", {"blocks": 1}, 5000),
    ("event", {"what": "record"}, 1000),
    ("event", {"what": "query"}, 1000),
    ("event", {"what": "synchronise"}, 1000),
    ("synchronise", {"wait": "blocking", "stream": "idle"}, 1000),
    ("synchronise", {"wait": "spin", "stream": "one_kernel"}, 1000 + 5000),
    ("graph_launch", {"nodes": 1, **KERNEL, **SUBMIT}, 1000 + 4000 + 10),
    ("graph_launch", {"nodes": 100, **KERNEL, **SUBMIT}, 1000 + 4000 + 100 * 10),
    ("graph_launch", {"nodes": 10, **KERNEL, **COMPLETION}, 1000 + 4000 + 10 * 10 + 10 * 5000),
    ("graph_launch", {"nodes": 10, "node": "copy", **SUBMIT}, 1000 + 4000 + 10 * 10),
    ("graph_launch", {"nodes": 10, "node": "copy_3d", **COMPLETION}, 1000 + 4000 + 10 * (10 + 2000 + 16 * 50)),
    ("graph_instantiate", {"nodes": 10, **KERNEL}, 1000),
    ("graph_instantiate", {"nodes": 10, "node": "copy"}, 1000),
    ("graph_update", {"nodes": 10}, 1000),
    ("graph_capture", {"nodes": 10}, 2 * 1000 + 10 * 1000),
    ("by_threads", {"call": "launch", "threads": 1}, 1000),
    ("by_threads", {"call": "copy", "threads": 2}, 2 * 1000),
    ("context", {"what": "create"}, 1000),
    ("context", {"what": "destroy"}, 1000),
    ("copy_one_byte", {**BYTE, **SUBMIT}, 1000),
    *(
        ("pointer_attributes", {"memory": memory, "by": by}, 1000)
        for by in ("runtime", "driver")
        for memory in ("device", "pinned", "pageable", "managed")
    ),
    ("function_attribute", {"attribute": "shared_memory"}, 1000),
]
BY_KERNELS = (
    "launch",
    "launch_rate",
    "event",
    "synchronise",
    "graph_launch",
    "graph_update",
    "graph_instantiate",
    "graph_capture",
)


class Calls(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.simulation = Path(folder.name) / "simulation"

    def measure(self, name, parameters, worker=None, preload=(), varied=(), **figures):
        gpu = {**simulated_gpus.profile("Calls", **{**FIGURES, **figures}), **dict(varied)}
        simulated_gpus.write_simulation(TOCUDA, self.simulation, gpu)
        [line] = simulated_gpus.measured(
            worker or SIMULATED, LIBRARIES, self.simulation, f"calls/{name}", [parameters], preload
        )
        return line

    def nanoseconds(self, **figures):
        lines = [self.measure(name, parameters, **figures) for name, parameters, _ in ROWS]
        self.assertEqual({line["status"] for line in lines}, {"ok"}, lines)
        return [round(1e9 * line["samples"][0]) for line in lines]

    def test_times_follow_the_profile(self):
        for (name, parameters, expected), found in zip(ROWS, self.nanoseconds()):
            with self.subTest(name, **parameters):
                self.assertEqual(found, expected)

    def test_a_gpu_that_takes_one_process_serves_the_process_that_is_started(self):
        exclusive = simulated_gpus.profile(**FIGURES, compute_mode=3)
        simulated_gpus.write_simulation(TOCUDA, self.simulation, exclusive)
        for name, parameters in (
            ("calls/context", {"what": "create"}),
            ("start/first_byte", {"loading": "LAZY", "until": "first_kernel"}),
        ):
            [line] = simulated_gpus.measured(SIMULATED, LIBRARIES, self.simulation, name, [parameters])
            self.assertEqual(line["status"], "ok", line)

    def test_a_sample_counts_its_calls(self):
        for name, parameters, calls in (
            ("launch", {"arguments": 16, **SUBMIT}, 200),
            ("graph_launch", {"nodes": 100, **KERNEL, **SUBMIT}, 20),
        ):
            self.assertEqual(self.measure(name, parameters)["batch"], calls, name)

    def test_the_tail_is_of_every_single_call(self):
        line = self.measure("launch", {"arguments": 16, **SUBMIT})
        tail, calls = line["tail"], 200 * len(line["samples"])
        self.assertEqual(tail["of"], calls)
        self.assertEqual([round(1e9 * tail[name]) for name in ("p50", "largest")], [1000, 1000])
        self.assertNotIn("p99", tail, "of fewer than a thousand calls")
        self.assertNotIn("tail", self.measure("launch_rate", {"blocks": 1}))

    def test_a_few_slow_calls_are_seen_in_the_tail_alone(self):
        slow = {"outlier_probability": 0.05, "outlier_factor": 10}
        tail = self.measure("launch", {"arguments": 16, **SUBMIT}, varied=slow)["tail"]
        self.assertEqual([round(1e9 * tail[name]) for name in ("p50", "largest")], [1000, 10000])

    def test_every_set_of_a_full_measurement_is_right(self):
        simulated_gpus.write_simulation(TOCUDA, self.simulation, simulated_gpus.profile("Calls", **FIGURES))
        described = subprocess.run(["sh", "-c", 'exec "$0" describe 3>&1 >/dev/null', SIMULATED], capture_output=True)
        count = 0
        for line in map(json.loads, described.stdout.splitlines()):
            if not line.get("name", "").startswith("calls/"):
                continue
            values = {**line["parameters"], **line.get("full", {})}
            sets = [dict(zip(values, each)) for each in itertools.product(*values.values())]
            for found in simulated_gpus.measured(SIMULATED, LIBRARIES, self.simulation, line["name"], sets):
                lacks_processors = "a processor for each thread is needed" in found.get("check", "")
                self.assertEqual(found["status"], "skipped" if lacks_processors else "ok", found)
            count += len(sets)
        self.assertGreater(count, 30)

    def test_slow_graphs_are_seen_in_their_own_rows_and_in_no_other(self):
        usual, slow = self.nanoseconds(), self.nanoseconds(graph_launch_ns=9000)
        changed = {name for (name, *_), one, other in zip(ROWS, usual, slow) if one != other}
        self.assertEqual(changed, {"graph_launch"})

    def test_slow_kernels_are_seen_where_one_is_waited_for(self):
        usual, slow = self.nanoseconds(), self.nanoseconds(kernel_ns=7000)
        changed = {
            (name, parameters.get("what"))
            for (name, parameters, _), one, other in zip(ROWS, usual, slow)
            if one != other
        }
        waiting = {
            ("launch", "completion"),
            ("launch_rate", None),
            ("synchronise", None),
            ("graph_launch", "completion"),
        }
        self.assertEqual(changed, waiting)

    def test_kernels_that_do_not_run_are_wrong(self):
        for name, parameters, _ in ROWS:
            line = self.measure(name, parameters, worker=REAL)
            with self.subTest(name, **parameters):
                by_kernels = name in BY_KERNELS and parameters.get("node", "kernel") == "kernel"
                by_kernels = by_kernels or parameters.get("call") == "launch"
                expected = ("wrong", 0) if by_kernels else ("ok", 2)
                self.assertEqual((line["status"], len(line["samples"])), expected, line)

    def test_a_byte_that_does_not_arrive_is_wrong(self):
        for memory in ("pinned", "pageable"):
            for to in ("gpu", "host"):
                line = self.measure("copy_one_byte", {**BYTE, "memory": memory, "to": to}, preload=[FORGETFUL])
                self.assertEqual((line["status"], line["samples"]), ("wrong", []), line)

    def test_a_byte_that_a_node_does_not_copy_is_wrong(self):
        for node, times in itertools.product(("copy", "copy_3d"), (1, 10)):
            for name, more in (("graph_launch", SUBMIT), ("graph_instantiate", {})):
                line = self.measure(name, {"nodes": times, "node": node, **more}, preload=[FORGETFUL])
                self.assertEqual((line["status"], line["samples"]), ("wrong", []), line)
                self.assertRegex(line["check"], "^byte (63|7) of the copies' targets differs")

    def test_a_graph_that_could_not_be_made_fails_its_own_set_only(self):
        gpu = simulated_gpus.profile("Calls", **FIGURES)
        for call in ("cudaGraphInstantiate", "cudaStreamEndCapture"):
            simulated_gpus.write_simulation(TOCUDA, self.simulation, gpu, faults=[f"{call} 1 999"])
            lines = simulated_gpus.measured(
                SIMULATED, LIBRARIES, self.simulation, "calls/graph_update", [{"nodes": 10}, {"nodes": 10}]
            )
            self.assertEqual([line["status"] for line in lines], ["failed", "ok"], (call, lines))

    def test_managed_memory_that_is_missing_is_a_reason_to_skip(self):
        line = self.measure("pointer_attributes", {"memory": "managed", "by": "runtime"}, managed_memory=0)
        self.assertEqual(
            (line["status"], line["check"]), ("skipped", "a GPU with managed memory is needed; this one has none")
        )

    def test_arguments_of_another_size_are_skipped(self):
        line = self.measure("launch", {"arguments": 17, **SUBMIT})
        self.assertEqual(line["check"], "arguments must be one of 16, 256, 4096, 32760, not 17")

    def test_nodes_have_limits(self):
        line = self.measure("graph_update", {"nodes": 0})
        self.assertEqual((line["status"], line["check"]), ("skipped", "nodes must be between 1 and 100000, not 0"))


SIMULATED, TOCUDA, LIBRARIES, FORGETFUL, REAL = sys.argv[1:6]
if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
