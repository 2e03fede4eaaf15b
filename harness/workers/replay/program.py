# tocuda, Apache-2.0.
"""What is asked of the allocator, event by event, and the segment events that the recording holds: pure."""

from dataclasses import dataclass, field

from replay.snapshot import SEGMENT_EVENTS, pool_of, user_line

ALLOCATE, FREE, FREE_LATER, COMPLETE, EMPTY_CACHE, OUT_OF_MEMORY, DROP_POOLS = range(7)


@dataclass
class Program:
    steps: list = field(default_factory=list)  # (what, event, and its operands)
    segment_events: list = field(default_factory=list)  # of the recording
    frees_later: int = 0
    ends_in_oom: bool = False
    guesses: list = field(default_factory=list)
    reserved: int = 0  # of the recording, as far as it was read
    reserved_peak: int = 0
    capacity: int | None = None  # for LibTorch, as its first "out of memory" tells
    start_ranks: dict = field(default_factory=dict)  # of frees that were under way when the recording began
    too_much: int | None = None  # a capacity that the allocator's retries exclude


def event_of(action, size, allocations, event):
    return {"action": action, "size": size, "allocations": allocations, "event": event}


def program_of(recording):
    events = recording.events
    program = Program()
    program.guesses = list(recording.guesses)
    program.reserved = program.reserved_peak = recording.start.reserved
    completions = {}  # of frees that wait for another stream: event of the free to its rank among the completions
    ranks = ranks_of_completions(recording)
    program.start_ranks = {free[1]: rank for free, rank in ranks.items() if isinstance(free, tuple)}
    names = {address: ("start", address) for address in recording.start.blocks}
    allocations = 0
    at = 0
    while at < len(events):
        event = events[at]
        action, address = event["action"], event.get("addr")
        if action in SEGMENT_EVENTS:
            at = read_segment_events(events, at, allocations, program)
            continue
        if action == "alloc":
            names[address] = at
            program.steps.append((ALLOCATE, at, event["size"], event["stream"], pool_of(event)))
            allocations += 1
        elif action == "free_requested":
            later = ranks.get(at)
            what = (FREE, at, names[address]) if later is None else (FREE_LATER, at, names[address], later)
            program.frees_later += later is not None
            program.steps.append(what)
            completions[address] = later
        elif action == "free_completed":
            if (
                completions.pop(address, None) is not None
                or address in recording.start.blocks
                and (recording.start.blocks[address][2] and names.get(address) == ("start", address))
            ):
                program.steps.append((COMPLETE, at))
            names.pop(address, None)
        elif action == "oom":
            program.steps.append((OUT_OF_MEMORY, at, event["size"], event["stream"], pool_of(event)))
            free = event.get("device_free", address)
            if program.capacity is None and free is not None:
                program.capacity = program.reserved + free
            program.ends_in_oom = not any(later["action"] == "alloc" for later in events[at + 1 :])
        at += 1
    return program


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
        program.segment_events.append(event_of(event["action"], event["size"], allocations, at))
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


def line_of(recording, event):
    return user_line(recording.events[event])
