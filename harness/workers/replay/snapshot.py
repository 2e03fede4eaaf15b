# tocuda, Apache-2.0.
"""Reads a memory snapshot of PyTorch: what the allocator held when its history began, and what was asked of it."""

import bisect
import hashlib
import io
import json
import pickle
from dataclasses import dataclass, field

MIB = 1 << 20
SEGMENT_EVENTS = ("segment_alloc", "segment_free", "segment_map", "segment_unmap")
UNREADABLE, NOTHING = 2, 4  # exit codes
HISTORY = b'{"kind":"memory_history"'


class RefusedError(Exception):
    """It cannot be replayed: the exit code, and a sentence that says why."""

    def __init__(self, code, why):
        super().__init__(why)
        self.code = code


class PlainUnpickler(pickle.Unpickler):
    """Admits dictionaries, lists, numbers and texts, as PyTorch writes them, and nothing that could run code."""

    def find_class(self, module, name):
        raise RefusedError(UNREADABLE, f"it names {module}.{name}: a snapshot holds only plain values; nothing was run")

    def persistent_load(self, _):
        raise RefusedError(UNREADABLE, "it refers to objects outside: a snapshot holds only plain values")


@dataclass
class Segment:
    address: int
    size: int
    stream: int
    pool: tuple
    small: bool
    expandable: bool

    @property
    def end(self):
        return self.address + self.size

    @property
    def place(self):
        return self.stream, self.pool, self.small


@dataclass
class Memory:
    """Segments, and the blocks in them that are not free: address to [size, requested, waits to become free]. Gaps are
    the free blocks, because the allocator merges neighbours at once."""

    segments: dict = field(default_factory=dict)
    blocks: dict = field(default_factory=dict)
    addresses: list = field(default_factory=list)  # of blocks, ascending
    starts: list = field(default_factory=list)  # of segments, ascending

    def add_segment(self, segment):
        self.segments[segment.address] = segment
        bisect.insort(self.starts, segment.address)

    def remove_segment(self, segment):
        del self.segments[segment.address]
        self.starts.remove(segment.address)

    def segment_of(self, address):
        at = bisect.bisect_right(self.starts, address) - 1
        segment = self.segments[self.starts[at]] if at >= 0 else None
        return segment if segment and address < segment.end else None

    def add_block(self, address, size, requested, waits=False):
        self.blocks[address] = [size, requested, waits]
        bisect.insort(self.addresses, address)

    def remove_block(self, address):
        del self.addresses[bisect.bisect_left(self.addresses, address)]
        return self.blocks.pop(address)

    def blocks_of(self, segment):
        first = bisect.bisect_left(self.addresses, segment.address)
        last = bisect.bisect_left(self.addresses, segment.end)
        return [(address, *self.blocks[address]) for address in self.addresses[first:last]]

    def room_at(self, address, segment):
        """Bytes to the next block or to the segment's end."""
        at = bisect.bisect_right(self.addresses, address)
        following = self.addresses[at] if at < len(self.addresses) else segment.end
        return min(following, segment.end) - address

    def add_range(self, segment):
        """What was mapped again: one with the mapped ranges beside it."""
        for other in list(self.segments.values()):
            if other.expandable and other.place == segment.place and other.end == segment.address:
                self.remove_segment(other)
                segment.address, segment.size = other.address, other.size + segment.size
        after = self.segments.get(segment.end)
        if after and after.expandable and after.place == segment.place:
            self.remove_segment(after)
            segment.size += after.size
        self.add_segment(segment)

    def remove_range(self, address, size):
        segment = self.segment_of(address)
        if segment is None or address + size > segment.end:
            return False
        self.remove_segment(segment)
        for begin, end in ((segment.address, address), (address + size, segment.end)):
            if begin < end:
                self.add_segment(Segment(begin, end - begin, *segment.place, segment.expandable))
        return True

    @property
    def reserved(self):
        return sum(segment.size for segment in self.segments.values())


@dataclass
class Recording:
    sha256: str
    settings: str  # as in PYTORCH_ALLOC_CONF; "" is the default
    settings_known: bool
    events: list
    start: Memory
    truncated: bool | None
    device: int
    guesses: list = field(default_factory=list)
    power_of_two: dict = field(default_factory=dict)
    max_split: int | None = None  # larger blocks are never split
    steps: list = field(default_factory=list)  # of the optimizer: how many events came before each ended
    stopped: bool | None = None  # before the program's own end; None: the recording cannot say
    notes: list = field(default_factory=list)  # {"what", "operator", "line"}: what a real GPU would do otherwise


def read(path, device=None):
    """Of the device with most events, if none is named."""
    content = content_of(path)
    digest = hashlib.sha256(content).hexdigest()
    if content.startswith(HISTORY):
        return recording_of_history(content, digest, device)
    try:
        snapshot = PlainUnpickler(io.BytesIO(content)).load()
    except RefusedError:
        raise
    except Exception:  # noqa: BLE001: a damaged pickle can raise anything
        raise RefusedError(
            UNREADABLE, "it is no readable snapshot: damaged, cut off, or another kind of file"
        ) from None
    try:
        return recording_of(snapshot, digest)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError):
        raise RefusedError(UNREADABLE, "it is no memory snapshot of PyTorch") from None


def content_of(path):
    try:
        with open(path, "rb") as file:
            content = file.read()
    except OSError as error:
        raise RefusedError(UNREADABLE, error.strerror) from None
    if not content:
        raise RefusedError(UNREADABLE, "it is empty")
    return content


def recording_of_history(content, digest, device=None):
    """What `tocuda simulate --record` wrote, from before the first allocation on: a line for each event. A program that
    was killed may have left half of the last one."""
    try:
        header, by_device, steps, notes, ended_itself = history_of(content)
        if device is None:
            device = max(by_device, key=lambda each: len(by_device[each]), default=0)
        events, settings = by_device.get(device, []), header["settings"]
        ended = [counts.get(device, 0) for counts in steps]
    except (KeyError, TypeError, ValueError):
        raise RefusedError(UNREADABLE, "it is damaged: a line is no event") from None
    if not any(event["action"] in ("alloc", "oom") for event in events):
        raise RefusedError(NOTHING, "no allocation was recorded")
    is_cut = not content.endswith(b"\n")
    stopped = not ended_itself if header.get("ends") else None
    if not ended_itself:
        drop_unanswered(events)
    return Recording(
        digest, settings, True, events, Memory(), is_cut, device, steps=ended, notes=notes, stopped=stopped
    )


def drop_unanswered(events):
    """Segments at the very end, whose allocation the program did not come to record."""
    while events and events[-1]["action"] in ("segment_alloc", "segment_map"):
        del events[-1]


def history_of(content):
    """Header, events by device, how many events of each device came before each step's end, notes, whether the program
    came to its own end."""
    header, *lines = map(json.loads, content.decode(errors="replace").split("\n")[:-1])
    by_device, steps, notes, ended_itself = {}, [], [], False
    for line in lines:
        if line["action"] == "end":
            ended_itself = True
        elif line["action"] == "step":
            steps.append({device: len(events) for device, events in by_device.items()})
        elif line["action"] == "note":
            notes.append(line)
        else:
            line["frames"] = frames_of(line)
            by_device.setdefault(line["device"], []).append(line)
    return header, by_device, steps, notes, ended_itself


def devices_of(path):
    """Those on which something was allocated, of a history."""
    try:
        by_device = history_of(content_of(path))[1]
    except (KeyError, TypeError, ValueError):
        raise RefusedError(UNREADABLE, "it is damaged: a line is no event") from None
    return sorted(each for each, events in by_device.items() if any(e["action"] in ("alloc", "oom") for e in events))


def frames_of(event):
    """As in a snapshot: the innermost function of Python, and the line of the reader's own code."""
    frames = [{"name": event["function"], "filename": "", "line": 0}] if "function" in event else []
    place, _, number = event.get("line", "").rpartition(":")
    return [*frames, {"name": "", "filename": place, "line": int(number)}] if place else frames


def recording_of(snapshot, digest):
    traces = snapshot["device_traces"]
    device = max(range(len(traces)), key=lambda each: len(traces[each]), default=0)
    events = traces[device] if traces else []
    if not any(event["action"] in ("alloc", "oom") for event in events):
        raise RefusedError(
            NOTHING,
            "no allocation was recorded: call torch.cuda.memory._record_memory_history() before the first one",
        )
    settings, known = settings_of(snapshot)
    recording = Recording(digest, settings, known, events, Memory(), None, device)
    if not known:
        recording.guesses.append("the settings, which this snapshot does not hold")
    recording.power_of_two = (snapshot.get("allocator_settings") or {}).get("roundup_power2_divisions") or {}
    max_split = (snapshot.get("allocator_settings") or {}).get("max_split_size", -1)
    recording.max_split = max_split if 0 < max_split < 1 << 60 else None
    overflowed = snapshot.get("trace_alloc_overflowed")
    if overflowed is not None:
        recording.truncated = bool(overflowed[device] if isinstance(overflowed, list | tuple) else overflowed)
    segments = [segment for segment in snapshot["segments"] if segment.get("device", 0) == device]
    refuse_other_allocators(segments)
    refuse_filtered(events)
    give_pools(events, segments, recording)
    state = state_of(segments)
    undo(state, events, recording)
    recording.start = state
    return recording


def settings_of(snapshot):
    told = snapshot.get("allocator_settings")
    if not told:
        expandable = any(segment.get("is_expandable") for segment in snapshot["segments"])
        return ("expandable_segments:True" if expandable else ""), False
    parts = []
    if told.get("expandable_segments"):
        parts.append("expandable_segments:True")
    if told.get("max_split_size", -1) > 0:
        parts.append(f"max_split_size_mb:{told['max_split_size'] // MIB}")
    if told.get("garbage_collection_threshold", 0) > 0:
        parts.append(f"garbage_collection_threshold:{told['garbage_collection_threshold']:.9g}")
    if told.get("graph_capture_record_stream_reuse"):
        parts.append("graph_capture_record_stream_reuse:True")
    divisions = {int(size): count for size, count in (told.get("roundup_power2_divisions") or {}).items()}
    if len(divisions) == 16 and len(set(divisions.values())) == 1 and any(divisions.values()):
        parts.append(f"roundup_power2_divisions:{divisions[1]}")
    elif any(divisions.values()):
        parts.append("roundup_power2_divisions:[" + ",".join(f"{s}:{n}" for s, n in sorted(divisions.items())) + "]")
    return ",".join(parts), True


def rounded(size, divisions):
    if size < 512:
        return 512
    if divisions:
        largest = max(map(int, divisions))
        power = min(max(size.bit_length() - 1 - 20, 0), largest.bit_length() - 1)
        count = divisions.get(str(1 << power), 0)
        if count > 1 and size > 512 * count:
            floor = 1 << (size.bit_length() - 1)
            step = floor // count
            return floor if size == floor else -(-size // step) * step
    return -(-size // 512) * 512


def rounded_down(size, divisions):
    """The largest size that is not rounded, of at most this one."""
    while rounded(size, divisions) != size:
        size = max(512, min(size - 512, size // 512 * 512))
    return size


def refuse_other_allocators(segments):
    blocks = [b for s in segments for b in s["blocks"] if b["state"] == "active_allocated" and b.get("requested_size")]
    for more in (0, 32):
        if len(blocks) >= 4 and all(b["size"] == rounded(b["requested_size"] + more, {}) + 512 for b in blocks):
            raise RefusedError(NOTHING, "it is of torch_npu, whose allocator is another one")


def refuse_filtered(events):
    """skip_actions: an allocation is in the history, its end only in half."""
    alive, requested = set(), set()
    for at, event in enumerate(events):
        action, address = event["action"], event.get("addr")
        if action == "alloc":
            if address in alive:
                raise RefusedError(NOTHING, f"its history was filtered: event {at} allocates what was never freed")
            alive.add(address)
        elif action == "free_requested":
            requested.add(address)
        elif action == "free_completed":
            if address in alive and address not in requested:
                raise RefusedError(
                    NOTHING, f"its history was filtered (skip_actions): event {at} completes a free that is not in it"
                )
            alive.discard(address)
            requested.discard(address)


def give_pools(events, segments, recording):
    """Where events do not name their pool (PyTorch 2.15 does, 2.11 does not), only segments that are still there do."""
    if any("pool_id" in event for event in events):
        return
    ranges = sorted((s["address"], s["total_size"], tuple(s.get("segment_pool_id", (0, 0)))) for s in segments)
    if all(pool == (0, 0) for _, _, pool in ranges):
        return
    recording.guesses.append("pools of memory that was released before the snapshot")
    starts = [start for start, _, _ in ranges]
    for event in events:
        at = bisect.bisect_right(starts, event.get("addr", 0)) - 1
        if at >= 0 and event.get("addr", 0) < ranges[at][0] + ranges[at][1]:
            event["pool_id"] = ranges[at][2]


def pool_of(event):
    return tuple(event.get("pool_id") or (0, 0))


def state_of(segments):
    state = Memory()
    for told in sorted(segments, key=lambda each: each["address"]):
        pool = tuple(told.get("segment_pool_id") or (0, 0))
        small, expandable = told["segment_type"] == "small", bool(told.get("is_expandable"))
        add = state.add_range if expandable else state.add_segment
        add(Segment(told["address"], told["total_size"], told["stream"], pool, small, expandable))
        address = told["address"]
        for block in told["blocks"]:
            address = block.get("address", address)
            if block["state"] != "inactive":
                waits = block["state"] in ("active_awaiting_free", "active_pending_free")
                state.add_block(address, block["size"], block.get("requested_size") or block["size"], waits)
            address += block["size"]
    return state


def undo(state, events, recording):
    """From the state at the end back to that before the first event."""
    for at in range(len(events) - 1, -1, -1):
        event = events[at]
        action, address, size = event["action"], event.get("addr"), event["size"]
        fits = True
        if action == "alloc":
            fits = address in state.blocks
            if fits:
                state.remove_block(address)
        elif action == "free_completed":
            segment = state.segment_of(address)
            fits = segment is not None and address not in state.blocks
            if fits:
                state.add_block(address, block_size(state, segment, address, size, recording), size, True)
        elif action == "free_requested":
            fits = address in state.blocks
            if fits:
                state.blocks[address][2] = False
        elif action == "segment_alloc":
            segment = state.segments.get(address)
            fits = segment is not None and segment.size == size and not state.blocks_of(segment)
            if fits:
                state.remove_segment(segment)
        elif action == "segment_free":
            state.add_segment(Segment(address, size, event["stream"], pool_of(event), size <= 2 * MIB, False))
        elif action == "segment_map":
            fits = state.remove_range(address, size)
        elif action == "segment_unmap":
            state.add_range(Segment(address, size, event["stream"], pool_of(event), size < 20 * MIB, True))
        if not fits:
            raise RefusedError(
                NOTHING,
                f"event {at} ({action}) does not fit the segments: events are missing (skip_actions, or another "
                "allocator)",
            )


def block_size(state, segment, address, requested, recording):
    """A block of large memory is not split for less than 1 MiB: what is between it and the next one was part of it."""
    size = rounded(requested, recording.power_of_two)
    rest = state.room_at(address, segment) - size
    whole = not segment.small and (rest <= MIB or (recording.max_split and size >= recording.max_split))
    return size + rest if whole and rest > 0 else size


def user_line(event):
    """Of the reader's own code: the innermost Python frame outside of packages."""
    for frame in event.get("frames") or []:
        name = frame["filename"]
        if name.endswith(".py") and "/site-packages/" not in name and "/torch/" not in name:
            return f"{name.rsplit('/', 1)[-1]}:{frame['line']}"
    return None
