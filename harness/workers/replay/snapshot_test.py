# tocuda, Apache-2.0.
"""Tests the reader of memory snapshots: what it refuses, and what the allocator held before the first event."""

import json
import os
import pickle
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from replay.peak import peak_of  # noqa: E402
from replay.program import ALLOCATE, COMPLETE, EMPTY_CACHE, FREE, FREE_LATER, program_of  # noqa: E402
from replay.snapshot import MIB, NOTHING, UNREADABLE, RefusedError, devices_of, read, rounded, settings_of  # noqa: E402

BASE = 1 << 45


def event(action, address, size, **more):
    return {"action": action, "addr": BASE + address, "size": size, "stream": 0, **more}


def block(address, size, state="active_allocated", requested=None):
    return {"address": BASE + address, "size": size, "requested_size": requested or size, "state": state}


def segment(address, size, blocks, **more):
    return {
        "device": 0,
        "address": BASE + address,
        "total_size": size,
        "stream": 0,
        "segment_type": "large",
        "segment_pool_id": (0, 0),
        "is_expandable": False,
        "blocks": blocks,
        **more,
    }


def written(content):
    with tempfile.NamedTemporaryFile(suffix=".pickle", delete=False) as file:
        file.write(content if isinstance(content, bytes) else pickle.dumps(content))
    return file.name


def read_value(content):
    path = written(content)
    try:
        return read(path)
    finally:
        os.unlink(path)


def snapshot(events, segments=()):
    return {"segments": list(segments), "device_traces": [events], "allocator_settings": {"max_split_size": -1}}


class Peak(unittest.TestCase):
    def test_it_is_of_rounded_blocks_by_the_line_that_allocated_them(self):
        def at(line):
            return {"frames": [{"name": "f", "filename": "train.py", "line": line}]}

        recording = read_value(
            snapshot(
                [
                    event("segment_alloc", 0, 20 * MIB),
                    event("alloc", 0, 3 * MIB, **at(1)),
                    event("alloc", 4 * MIB, 1000, **at(2)),
                    event("free_requested", 0, 3 * MIB),
                    event("free_completed", 0, 3 * MIB),
                    event("alloc", 0, 2 * MIB, **at(3)),
                ],
                [segment(0, 20 * MIB, [block(0, 2 * MIB), block(4 * MIB, 1024, requested=1000)])],
            )
        )
        self.assertEqual(
            peak_of(recording),
            {
                "event": 2,
                "step": None,
                "line": "train.py:2",
                "blocks_bytes": 3 * MIB + 1024,
                "live": [{"line": "train.py:1", "bytes": 3 * MIB}, {"line": "train.py:2", "bytes": 1024}],
                "before_bytes": 0,
                "without_line_bytes": 0,
            },
        )


class History(unittest.TestCase):
    def test_steps_and_notes_are_of_every_device(self):
        """Two devices; the optimizer steps after each has allocated, and the second allocates most in step 2."""
        lines = [
            {"kind": "memory_history", "settings": ""},
            {"action": "alloc", "device": 0, "addr": 0, "size": 512, "line": "train.py:1"},
            {"action": "alloc", "device": 1, "addr": 0, "size": 512, "line": "train.py:1"},
            {"action": "note", "what": "cudnn", "operator": "aten::lstm", "line": "train.py:2"},
            {"action": "step"},
            {"action": "alloc", "device": 1, "addr": 512, "size": 1024, "line": "train.py:3"},
            {"action": "step"},
        ]
        with tempfile.NamedTemporaryFile("w") as file:
            file.write("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))
            file.flush()
            self.assertEqual(devices_of(file.name), [0, 1])
            first, second = (read(file.name, device) for device in (0, 1))
            self.assertEqual(read(file.name).device, 1, "that with most events")
        self.assertEqual((first.steps, second.steps), ([1, 1], [1, 2]))
        self.assertEqual((len(first.events), len(second.events)), (1, 2))
        self.assertEqual([note["operator"] for note in first.notes], ["aten::lstm"])
        self.assertEqual((peak_of(first)["step"], peak_of(second)["step"]), (1, 2))
        self.assertEqual(peak_of(second)["line"], "train.py:3")


class RunsCode:
    def __reduce__(self):
        return os.mkdir, (os.environ["MARK"],)


class Refused(unittest.TestCase):
    def refused(self, content):
        with self.assertRaises(RefusedError) as caught:
            read_value(content)
        return caught.exception.code, str(caught.exception)

    def test_a_pickle_that_names_a_function_runs_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            os.environ["MARK"] = f"{folder}/mark"
            code, why = self.refused(snapshot([RunsCode()]))
            self.assertFalse(os.path.exists(os.environ["MARK"]))
        self.assertEqual(code, UNREADABLE)
        self.assertIn("names posix.mkdir", why)

    def test_a_truncated_file_is_unreadable(self):
        whole = pickle.dumps(snapshot([event("alloc", 0, 512)]))
        for end in (0, 1, len(whole) // 2, len(whole) - 1):
            self.assertEqual(self.refused(whole[:end])[0], UNREADABLE)

    def test_another_pickle_is_unreadable(self):
        for other in (1, [], {}, {"segments": 1, "device_traces": 2}, snapshot([{"action": "alloc"}])):
            self.assertEqual(self.refused(other)[0], UNREADABLE, other)

    def test_a_history_that_is_cut_says_so(self):
        lines = [json.dumps({"kind": "memory_history", "torch": "2.15.0", "settings": ""}, separators=(",", ":"))]
        lines += [json.dumps({**event("alloc", at << 21, 2 * MIB), "device": 0}) for at in range(2)]
        whole = "\n".join(lines) + "\n"
        for text, cut in ((whole, False), (whole[:-9], True)):
            with tempfile.NamedTemporaryFile("w", suffix=".history") as file:
                file.write(text)
                file.flush()
                self.assertIs(read(file.name).truncated, cut)

    def test_a_history_without_the_programs_end_says_so(self):
        """The segment at its end has no allocation: the program was killed between the two."""
        lines = [{"kind": "memory_history", "settings": "", "ends": True}, {**event("alloc", 0, 512), "device": 0}]
        for last, stopped in (({"action": "end"}, False), ({**event("segment_alloc", 0, 2 * MIB), "device": 0}, True)):
            recording = read_value(
                "".join(json.dumps(each, separators=(",", ":")) + "\n" for each in [*lines, last]).encode()
            )
            self.assertIs(recording.stopped, stopped)
            self.assertEqual([each["action"] for each in recording.events], ["alloc"])
        without_word = json.dumps({"kind": "memory_history", "settings": ""}, separators=(",", ":"))
        recording = read_value(f"{without_word}\n{json.dumps(lines[1])}\n".encode())
        self.assertIsNone(recording.stopped, "older recordings cannot say")

    def test_a_state_without_history_has_nothing_to_replay(self):
        code, why = self.refused(snapshot([], [segment(0, 20 * MIB, [block(0, 20 * MIB, "inactive")])]))
        self.assertEqual(code, NOTHING)
        self.assertIn("_record_memory_history", why)

    def test_a_filtered_history_is_named(self):
        events = [event("alloc", 0, 2 * MIB), event("free_completed", 0, 2 * MIB)]
        code, why = self.refused(snapshot(events, [segment(0, 20 * MIB, [block(0, 20 * MIB, "inactive")])]))
        self.assertEqual(code, NOTHING)
        self.assertIn("filtered", why)

    def test_a_history_that_does_not_fit_its_segments_is_named(self):
        code, why = self.refused(snapshot([event("alloc", 0, 512)]))
        self.assertEqual(code, NOTHING)
        self.assertIn("event 0", why)

    def test_larger_blocks_are_those_of_torch_npu(self):
        blocks = [block(at * 2048, 1536, requested=1024) for at in range(4)]
        code, why = self.refused(snapshot([event("alloc", 0, 1024)], [segment(0, 2 * MIB, blocks)]))
        self.assertEqual(code, NOTHING)
        self.assertIn("torch_npu", why)


class Read(unittest.TestCase):
    def test_the_start_is_the_end_with_all_events_undone(self):
        events = [
            event("alloc", 4 * MIB, 3 * MIB),
            event("free_requested", 0, 4 * MIB),
            event("free_completed", 0, 4 * MIB),
            event("segment_free", 40 * MIB, 20 * MIB),
            event("segment_alloc", 80 * MIB, 22 * MIB),
            event("alloc", 80 * MIB, 22 * MIB),
        ]
        segments = [
            segment(0, 20 * MIB, [block(0, 4 * MIB, "inactive"), block(4 * MIB, 3 * MIB)]),
            segment(80 * MIB, 22 * MIB, [block(80 * MIB, 22 * MIB)]),
        ]
        start = read_value(snapshot(events, segments)).start
        self.assertEqual([address - BASE for address in start.starts], [0, 40 * MIB])
        self.assertEqual(
            {address - BASE: each for address, each in start.blocks.items()}, {0: [4 * MIB, 4 * MIB, False]}
        )

    def test_a_block_keeps_what_was_too_little_to_split(self):
        events = [event("free_requested", 0, 19 * MIB + 1), event("free_completed", 0, 19 * MIB + 1)]
        start = read_value(
            snapshot([*events, event("alloc", 0, 20 * MIB)], [segment(0, 20 * MIB, [block(0, 20 * MIB)])])
        ).start
        self.assertEqual(start.blocks[BASE][0], 20 * MIB)

    def test_a_free_that_waits_is_completed_where_the_recording_says(self):
        events = [
            event("alloc", 0, 2 * MIB),
            event("alloc", 2 * MIB, 2 * MIB),
            event("free_requested", 0, 2 * MIB),
            event("free_requested", 2 * MIB, 2 * MIB),
            event("free_completed", 2 * MIB, 2 * MIB),
            event("alloc", 2 * MIB, 2 * MIB),
            event("free_completed", 0, 2 * MIB),
        ]
        last = [block(0, 2 * MIB, "inactive"), block(2 * MIB, 2 * MIB)]
        program = program_of(read_value(snapshot(events, [segment(0, 20 * MIB, last)])))
        self.assertEqual(
            [(step[0], step[1]) for step in program.steps],
            [(ALLOCATE, 0), (ALLOCATE, 1), (FREE_LATER, 2), (FREE, 3), (ALLOCATE, 5), (COMPLETE, 6)],
        )

    def test_an_emptied_cache_is_told_from_a_retry(self):
        def steps(*frames):
            released = event(
                "segment_free", 0, 20 * MIB, frames=[{"name": name, "filename": "", "line": 0} for name in frames]
            )
            events = [released, event("segment_alloc", 40 * MIB, 20 * MIB), event("alloc", 40 * MIB, 20 * MIB)]
            segments = [segment(40 * MIB, 20 * MIB, [block(40 * MIB, 20 * MIB)])]
            program = program_of(read_value(snapshot(events, segments)))
            return [step[0] for step in program.steps], program.guesses, program.too_much

        self.assertEqual(steps("torch.empty"), ([ALLOCATE], [], 40 * MIB))
        self.assertEqual(steps("empty_cache"), ([EMPTY_CACHE, ALLOCATE], [], None))
        kinds, guesses, _ = steps()
        self.assertEqual((kinds, len(guesses)), ([ALLOCATE], 1))

    def test_settings_become_text_again(self):
        told = {"expandable_segments": True, "max_split_size": 128 * MIB, "roundup_power2_divisions": {"1": 4, "2": 0}}
        self.assertEqual(
            settings_of({"allocator_settings": told, "segments": []}),
            ("expandable_segments:True,max_split_size_mb:128,roundup_power2_divisions:[1:4,2:0]", True),
        )
        self.assertEqual(settings_of({"segments": [{"is_expandable": True}]}), ("expandable_segments:True", False))

    def test_a_snapshot_without_settings_is_a_guess(self):
        older = snapshot([event("alloc", 0, 20 * MIB)], [segment(0, 20 * MIB, [block(0, 20 * MIB)])])
        self.assertEqual(read_value(older).guesses, [])
        del older["allocator_settings"]
        self.assertEqual(len(read_value(older).guesses), 1)

    def test_sizes_round_as_the_allocator_does(self):
        self.assertEqual([rounded(size, {}) for size in (1, 512, 513, 3 * MIB + 1)], [512, 512, 1024, 3 * MIB + 512])


if __name__ == "__main__":
    unittest.main()
