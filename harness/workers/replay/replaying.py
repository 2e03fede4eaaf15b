# tocuda, Apache-2.0.
"""Feeds a program to LibTorch's allocator on one simulated GPU. Runs in a child for each capacity and setting."""

import ctypes
import json
import os
import tempfile

from replay.program import (
    ALLOCATE,
    COMPLETE,
    DROP_POOLS,
    EMPTY_CACHE,
    FREE,
    FREE_LATER,
    OUT_OF_MEMORY,
    event_of,
)
from replay.snapshot import MIB, SEGMENT_EVENTS, rounded, rounded_down, user_line

STEP = 2 * MIB  # in which a simulated GPU counts its memory
MOST = 1 << 40  # that it can have
GATE_SECONDS = 1000.0  # virtual ones, between two completions
MOMENTS = 200  # of a course, so that its picture is fine enough


def segment_size(size):
    """Of a new segment of large memory for a block of this size."""
    return 20 * MIB if size < 10 * MIB else -(-size // STEP) * STEP


class Streams:
    """A stream of LibTorch for each recorded one, and those that hold back what is freed later."""

    def __init__(self, torch, cycles_per_second):
        self.torch = torch
        self.runtime = ctypes.CDLL("libcudart.so.13")
        self.runtime.tocuda_simulation_pass.argtypes = [ctypes.c_double]
        self.known = {0: torch.cuda.default_stream()}
        self.current = 0
        self.gates = []  # [stream, rank of the last completion that it waits for]
        self.opened = 0
        self.cycles = GATE_SECONDS * cycles_per_second

    def new(self):
        made = ctypes.c_void_p()
        if self.runtime.cudaStreamCreateWithFlags(ctypes.byref(made), 1):
            raise RuntimeError("no more streams")
        return self.torch.cuda.ExternalStream(made.value)

    def choose(self, recorded):
        if recorded == self.current:
            return
        if recorded not in self.known:
            self.known[recorded] = self.new()
        self.torch.cuda.set_stream(self.known[recorded])
        self.current = recorded

    def hold(self, tensor, rank):
        """The tensor's memory becomes free with the completion of this rank: a stream that uses it is kept busy until
        then, in virtual time. Waiting for it, as the allocator does before it gives up, ends it as on a GPU."""
        gate = next((gate for gate in self.gates if gate[1] < rank), None)
        if gate is None:
            gate = [self.new(), 0]
            self.gates.append(gate)
        since = max(self.opened, gate[1])
        length = rank - since - (0.5 if since == self.opened and gate[1] <= self.opened else 0.0)
        gate[1] = rank
        before = self.torch.cuda.current_stream()
        self.torch.cuda.set_stream(gate[0])
        self.torch.cuda._sleep(int(length * self.cycles))
        self.torch.cuda.set_stream(before)
        tensor.record_stream(gate[0])

    def open_next(self):
        self.opened += 1
        self.runtime.tocuda_simulation_pass(GATE_SECONDS)


class Pools:
    def __init__(self, torch):
        self.torch = torch
        self.known = {}

    def allocate(self, size, pool):
        if pool not in self.known:
            self.known[pool] = self.torch.cuda.MemPool()
        with self.torch.cuda.use_mem_pool(self.known[pool]):
            return self.torch.empty(size, dtype=self.torch.uint8, device="cuda")

    def drop(self, pool):
        self.known.pop(pool, None)


class Course:
    """The most that was allocated and reserved in each part of a replay, and the event at which the part ends."""

    def __init__(self, torch, steps):
        self.torch = torch
        self.parts = max(1, -(-steps // MOMENTS))
        self.events, self.allocated, self.reserved = [], [], []
        self.retries = 0
        torch.cuda.reset_peak_memory_stats()

    # Before each step.
    def follow(self, number, event):
        if number % self.parts == 0:
            self.keep(event)

    def keep(self, event):
        stats = self.torch.cuda.memory_stats()
        self.events.append(event)
        self.allocated.append(stats["allocated_bytes.all.peak"])
        self.reserved.append(stats["reserved_bytes.all.peak"])
        self.retries = stats["num_alloc_retries"]
        self.torch.cuda.reset_peak_memory_stats()


class Replay:
    def __init__(self, torch, recording, program, cycles_per_second):
        self.torch = torch
        self.recording = recording
        self.program = program
        self.streams = Streams(torch, cycles_per_second)
        self.pools = Pools(torch)
        self.tensors = {}
        self.guesses = []

    def allocate(self, size, stream, pool):
        self.streams.choose(stream)
        if pool != (0, 0):
            return self.pools.allocate(size, pool)
        return self.torch.empty(size, dtype=self.torch.uint8, device="cuda")

    # What the allocator held when the recording began.
    def build_start(self, with_cached):
        placeholders = []
        start = self.recording.start
        for address in start.starts if with_cached else []:
            self.carve(start.segments[address], placeholders)
        if not with_cached:
            for address in start.addresses:
                segment = start.segment_of(address)
                size, requested, _ = start.blocks[address]
                self.tensors["start", address] = self.allocate(requested or size, segment.stream, segment.pool)
        placeholders.clear()
        ranks = self.program.start_ranks
        for address, rank in ranks.items():
            self.streams.hold(self.tensors["start", address], rank)
            del self.tensors["start", address]

    def carve(self, segment, placeholders):
        pieces = self.pieces_of(segment)
        if not segment.small and len(pieces) > 1 and segment_size(pieces[0][1]) != segment.size:
            whole = self.allocate(segment.size, segment.stream, segment.pool)
            del whole
        base = None
        for offset, size, requested, address in pieces:
            exact = requested if address and rounded(requested, self.recording.power_of_two) == size else size
            tensor = self.allocate(exact, segment.stream, segment.pool)
            base = tensor.data_ptr() - offset if base is None else base
            if tensor.data_ptr() - base != offset and not self.guesses:
                self.guesses.append("where memory of the time before the recording lay")
            if address:
                self.tensors["start", address] = tensor
            else:
                placeholders.append(tensor)

    def pieces_of(self, segment):
        """(offset, size, requested size, address or None where it was free), ascending."""
        pieces, at = [], segment.address
        most = MIB if segment.small else segment.size
        for address, size, requested, _ in [*self.recording.start.blocks_of(segment), (segment.end, 0, 0, False)]:
            while at < address:
                size_free = rounded_down(min(address - at, most), self.recording.power_of_two)
                pieces.append((at - segment.address, size_free, 0, None))
                at += size_free
            if size:
                pieces.append((address - segment.address, size, requested, address))
            at = address + size
        return pieces

    # What the program did. Returns the step that ran out of memory although the recording did not, or None.
    def run(self, course):
        tensors, torch = self.tensors, self.torch
        for number, step in enumerate(self.program.steps):
            course.follow(number, step[1])
            what = step[0]
            if what == ALLOCATE:
                try:
                    tensors[step[1]] = self.allocate(*step[2:])
                except torch.OutOfMemoryError:
                    return step
            elif what == FREE:
                del tensors[step[2]]
            elif what == FREE_LATER:
                self.streams.hold(tensors[step[2]], step[3])
                del tensors[step[2]]
            elif what == COMPLETE:
                self.streams.open_next()
            elif what == EMPTY_CACHE:
                torch.cuda.empty_cache()
            elif what == DROP_POOLS:
                self.pools.drop(step[2])
            elif what == OUT_OF_MEMORY:
                try:
                    self.allocate(*step[2:])
                except torch.OutOfMemoryError:
                    if step[1] == self.program.fatal:
                        return step
                    continue
                self.guesses.append("what the program would have done without its out of memory")
        return None


def replayed(recording, program, cycles_per_second, capacity, settings, traced, with_cached):
    """In this process, once. None if what was cached at the start does not fit."""
    os.environ.pop("PYTORCH_NO_CUDA_MEMORY_CACHING", None)
    os.environ["PYTORCH_ALLOC_CONF"] = os.environ["PYTORCH_CUDA_ALLOC_CONF"] = settings
    import torch

    torch.cuda.init()
    replay = Replay(torch, recording, program, cycles_per_second)
    failed = None
    try:
        replay.build_start(with_cached)
    except torch.OutOfMemoryError:
        if with_cached:
            return None
        failed = (OUT_OF_MEMORY, 0, recording.start.reserved)
    if not with_cached and recording.start.segments:
        replay.guesses.append("what the allocator would have held when the recording began")
    course = Course(torch, len(program.steps))
    if traced:
        torch.cuda.memory._record_memory_history("all", context=None, stacks="python")
    failed = failed or replay.run(course)
    course.keep(failed[1] if failed else len(recording.events))
    answer = {
        "capacity_bytes": capacity,
        "survived": failed is None,
        "oom": None,
        "reserved_peak_bytes": max(course.reserved),
        "allocated_peak_bytes": max(course.allocated),
        "retries": course.retries,
        "course": {
            "events": course.events,
            "allocated_bytes": course.allocated,
            "reserved_bytes": course.reserved,
        },
        "guesses": replay.guesses,
    }
    if failed:
        answer["oom"] = {"event": failed[1], "size": failed[2], "line": user_line(recording.events[failed[1]])}
    if traced:
        answer["segment_events"] = segment_events_of(torch)
    return answer


def segment_events_of(torch):
    events, allocations = [], 0
    for event in torch._C._cuda_memorySnapshot(None)["device_traces"][0]:
        if event["action"] == "alloc":
            allocations += 1
        elif event["action"] in SEGMENT_EVENTS:
            events.append(event_of(event["action"], event["size"], allocations))
    return events


def plenty(program):
    """A capacity that the recording never comes near. Expandable segments take addresses in proportion to it."""
    return min((4 * program.reserved_peak + (16 << 30)) // STEP * STEP, MOST)


def recorded_capacities(program):
    """Where LibTorch ran out of memory, or had to release its cache, as in the recording; otherwise plenty. Retries say
    only between which two it was."""
    if program.capacity:
        return [program.capacity // STEP * STEP]
    if program.too_much:
        least = -(-program.reserved_peak // STEP) * STEP
        most = max((program.too_much - 1) // STEP * STEP, least)
        return list(dict.fromkeys([most, least, (least + most) // 2 // STEP * STEP]))
    return [plenty(program)]


def on_gpu(machine, recording, program, capacity, settings, traced=False, with_cached=True):
    """On a GPU of this capacity: `machine` is the text of a simulated one. What was cached when the recording began is
    there again if that is wanted, the settings are the same and there is room for it."""
    with_cached = with_cached and settings == recording.settings
    answer = in_child(machine, recording, program, capacity, settings, traced, with_cached)
    return answer or in_child(machine, recording, program, capacity, settings, traced, False)


def told_by_child(work):
    """The text that `work` returns in a forked child, and the child's status. LibTorch, once loaded, meets its GPU only
    once in a process."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.close(reader)
            text = work()
            with open(writer, "w") as out:
                out.write(text)
            status = 0
        finally:
            os._exit(status)
    os.close(writer)
    with open(reader) as told:
        text = told.read()
    return text, os.waitpid(child, 0)[1]


def in_child(machine, recording, program, capacity, settings, traced, with_cached):
    lines = [f"memory_bytes {capacity}" if line.startswith("memory_bytes ") else line for line in machine.splitlines()]
    cycles = next(int(line.split()[1]) * 1000 for line in lines if line.startswith("clock_khz "))
    with tempfile.NamedTemporaryFile("w", suffix=".simulation") as file:
        file.write("\n".join(lines) + "\n")
        file.flush()
        said = tempfile.TemporaryFile("w+")  # LibTorch warns of each failed attempt

        def work():
            try:
                os.dup2(said.fileno(), 2)
                os.environ["TOCUDA_SIMULATION"] = file.name
                answer = replayed(recording, program, cycles, capacity, settings, traced, with_cached)
            except BaseException as error:  # noqa: BLE001: whatever it was, the parent says it
                answer = {"failed": f"{type(error).__name__}: {error}".splitlines()[0]}
            return json.dumps(answer)

        answer, status = told_by_child(work)
        said.seek(0)
        answer = json.loads(answer or json.dumps({"failed": f"it ended with status {status}: {said.read()[-500:]}"}))
    if answer and "failed" in answer:
        raise RuntimeError(answer["failed"])
    return answer


def runs_of(events):
    """What was released at once is in no order of its own: by stream and address, which differ here."""
    runs = []
    for event in events:
        key = event["action"], event["size"], event["allocations"]
        released = event["action"] in ("segment_free", "segment_unmap")
        if released and runs and runs[-1][0][0] == event["action"] and runs[-1][0][2] == event["allocations"]:
            runs[-1].append(key)
        else:
            runs.append([key])
    return [key for run in runs for key in sorted(run)]


def first_difference(recorded, replayed_events):
    """None, or the number of the segment event, and what it was there and here."""
    ours, theirs = runs_of(replayed_events), runs_of(recorded)
    for at in range(max(len(ours), len(theirs))):
        pair = [each[at] if at < len(each) else None for each in (theirs, ours)]
        if pair[0] != pair[1]:
            words = [f"{key[0]} of {key[1]} bytes after {key[2]} allocations" if key else None for key in pair]
            return {"number": at, "recorded": words[0], "replayed": words[1]}
    return None
