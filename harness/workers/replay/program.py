# tocuda, Apache-2.0.
"""What is asked of the allocator, event by event, and the segment events that the recording holds: pure."""

from dataclasses import dataclass, field

from replay.snapshot import SEGMENT_EVENTS, pool_of

ALLOCATE, FREE, FREE_LATER, COMPLETE, EMPTY_CACHE, OUT_OF_MEMORY, DROP_POOLS = range(7)


@dataclass
class Program:
    steps: list = field(default_factory=list)  # (what, event, and its operands)
    segment_events: list = field(default_factory=list)  # of the recording
    frees_later: int = 0
    fatal: int | None = None  # the "out of memory" after which nothing was allocated
    guesses: list = field(default_factory=list)
    reserved: int = 0  # of the recording, as far as it was read
    reserved_peak: int = 0
    capacity: int | None = None  # for LibTorch, as its first "out of memory" tells
    start_ranks: dict = field(default_factory=dict)  # of frees that were under way when the recording began
    too_much: int | None = None  # a capacity that the allocator's retries exclude


def event_of(action, size, allocations):
    return {"action": action, "size": size, "allocations": allocations}


def program_of(recording):
    return Reader(recording).read()


class Reader:
    def __init__(self, recording):
        self.events, self.start = recording.events, recording.start
        self.program = Program(guesses=list(recording.guesses))
        self.program.reserved = self.program.reserved_peak = self.start.reserved
        self.ranks = ranks_of_completions(recording)
        self.program.start_ranks = {free[1]: rank for free, rank in self.ranks.items() if isinstance(free, tuple)}
        self.names = {address: ("start", address) for address in self.start.blocks}  # what now lies at an address
        self.waits = {address for address, block in self.start.blocks.items() if block[2]}  # freed, but not yet free
        self.last_allocation = max((at for at, e in enumerate(self.events) if e["action"] == "alloc"), default=-1)

    def read(self):
        at = allocations = 0
        steps = {
            "alloc": self.allocate,
            "free_requested": self.free,
            "free_completed": self.complete,
            "oom": self.run_out_of_memory,
        }
        while at < len(self.events):
            event = self.events[at]
            if event["action"] in SEGMENT_EVENTS:
                at = read_segment_events(self.events, at, allocations, self.program)
                continue
            allocations += event["action"] == "alloc"
            if event["action"] in steps:
                steps[event["action"]](at, event)
            at += 1
        return self.program

    def allocate(self, at, event):
        self.names[event["addr"]] = at
        self.program.steps.append((ALLOCATE, at, event["size"], event["stream"], pool_of(event)))

    def free(self, at, event):
        name, rank = self.names[event["addr"]], self.ranks.get(at)
        if rank is None:
            self.program.steps.append((FREE, at, name))
            return
        self.program.frees_later += 1
        self.program.steps.append((FREE_LATER, at, name, rank))
        self.waits.add(event["addr"])

    def complete(self, at, event):
        if event["addr"] in self.waits:
            self.waits.remove(event["addr"])
            self.program.steps.append((COMPLETE, at))
        self.names.pop(event["addr"], None)

    def run_out_of_memory(self, at, event):
        self.program.steps.append((OUT_OF_MEMORY, at, event["size"], event["stream"], pool_of(event)))
        free = event.get("device_free", event.get("addr"))
        if self.program.capacity is None and free is not None:
            self.program.capacity = self.program.reserved + free
        if self.program.fatal is None and at > self.last_allocation:
            self.program.fatal = at


def ranks_of_completions(recording):
    """For each free that is not completed at once, its place in the order of such completions; those that the
    recording does not see come last."""
    events = recording.events
    open_frees, ranks, rank = {}, {}, 0
    for address, (_, _, waits) in recording.start.blocks.items():
        if waits:
            open_frees[address] = ("start", address)
    for at, event in enumerate(events):
        if event["action"] == "free_requested":
            following = events[at + 1] if at + 1 < len(events) else {}
            if following.get("action") != "free_completed" or following.get("addr") != event["addr"]:
                open_frees[event["addr"]] = at
        elif event["action"] == "free_completed" and event["addr"] in open_frees:
            rank += 1
            ranks[open_frees.pop(event["addr"])] = rank
    for free in open_frees.values():
        rank += 1
        ranks[free] = rank
    return ranks


def read_segment_events(events, at, allocations, program):
    """A run of them: what was freed was freed for what follows, or because the program emptied the cache."""
    begin, reserved_before = at, program.reserved
    while at < len(events) and events[at]["action"] in SEGMENT_EVENTS:
        event = events[at]
        program.segment_events.append(event_of(event["action"], event["size"], allocations))
        program.reserved += event["size"] * (1 if event["action"] in ("segment_alloc", "segment_map") else -1)
        program.reserved_peak = max(program.reserved_peak, program.reserved)
        at += 1
    freed = [each for each in events[begin:at] if each["action"] in ("segment_free", "segment_unmap")]
    if not freed:
        return at
    pools = {pool_of(each) for each in freed}
    for pool in sorted(pools - {(0, 0)}):
        program.steps.append((DROP_POOLS, begin, pool))
    if (0, 0) in pools and emptied(events, begin, at, freed, program):
        program.steps.append((EMPTY_CACHE, begin))
    elif events[at - 1]["action"] in ("segment_alloc", "segment_map"):
        tried = reserved_before + events[at - 1]["size"]
        program.too_much = min(program.too_much or tried, tried)
    return at


def emptied(events, begin, end, freed, program):
    names = [frame["name"] for event in freed for frame in event.get("frames") or []]
    if any("emptyCache" in name or "empty_cache" in name for name in names):
        return True
    if names:
        return False
    guess = "whether the program emptied its cache, or the allocator did to try again"
    if guess not in program.guesses:
        program.guesses.append(guess)
    followed = end < len(events) and events[end]["action"] == "oom"
    return not followed and events[end - 1]["action"] in ("segment_free", "segment_unmap")
