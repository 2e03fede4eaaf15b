# tocuda, Apache-2.0.
"""Which processes' samples mean nothing because the GPU was throttled, and what only deserves a flag: as `tocuda bench` decides it."""
import order_statistics

THROTTLING = ("hw_slowdown", "hw_thermal", "hw_power_brake", "sw_thermal")
HARMLESS = ("gpu_idle", "application_clocks")
LOWEST_PART_OF_USUAL_CLOCK = 0.95
LOWEST_PART_OF_MAXIMUM = 0.5
USUAL_PART_OF_MAXIMUM = 0.9


def number_in(reading, name):
    value = reading.get(name)
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def words_in(reading):
    reasons = reading.get("reasons")
    return [word for word in reasons if isinstance(word, str)] if isinstance(reasons, list) else []


def counters_in(reading):
    counters = reading.get("violation_ns")
    return counters if isinstance(counters, dict) else {}


def advance(readings, counter):
    """By how much a counter has advanced from before to after. One that stands lower has been reset, which says nothing."""
    before, _, after = (number_in(counters_in(reading), counter) for reading in readings)
    return max(after - before, 0) if before is not None and after is not None else 0


def clock_under_load(readings):
    """As read during the samples, else after them, else before; none where the GPU said that it was idle then."""
    before, during, after = readings
    for reading in (during, after, before):
        clock = number_in(reading, "sm_clock_mhz")
        if clock is not None:
            return None if "gpu_idle" in words_in(reading) else clock
    return None


def usual_clock(all_readings):
    clocks = [clock for clock in map(clock_under_load, all_readings) if clock is not None]
    return order_statistics.median(clocks) if clocks else None


def why_invalid(readings, usual):
    """Why these samples do not count, or nothing."""
    for counter in THROTTLING:
        if advance(readings, counter) > 0:
            return f"{counter} held the clock down"
    clock = clock_under_load(readings)
    if clock is not None and usual is not None and clock <= LOWEST_PART_OF_USUAL_CLOCK * usual:
        return f"the SM clock was {clock:g} MHz, usual in this row is {usual:g}"
    return ""


def is_below(reading, name, link, most):
    seen, best = number_in(reading, name), number_in(link, most)
    return seen is not None and best is not None and seen < best


def below_part(part, reading, name):
    seen, most = number_in(reading, name), number_in(reading, "sm_clock_max_mhz")
    return seen is not None and most is not None and seen < part * most


def clock_flags(readings):
    """What the clocks at work are below: as read during the samples, else in a reading that does not call itself idle."""
    before, during, after = readings
    if below_part(LOWEST_PART_OF_MAXIMUM, before, "sm_clock_counted_mhz"):
        yield "sm_clock_below_half"
    loaded = during or after or before
    idle = "gpu_idle" in words_in(loaded)
    if idle and not during:
        return
    if idle:
        yield "idle_under_load"
    if below_part(LOWEST_PART_OF_MAXIMUM, loaded, "sm_clock_mhz"):
        yield "sm_clock_below_half"
    elif below_part(USUAL_PART_OF_MAXIMUM, loaded, "sm_clock_mhz"):
        yield f"sm_clock_below_90_percent ({', '.join(words_in(loaded)) or 'no reason is given'})"
    if is_below(loaded, "memory_clock_mhz", loaded, "memory_clock_max_mhz"):
        yield "memory_clock_below_maximum"


def partly_cached(footprint, cache):
    """Then a share of the memory's peak says nothing of the memory."""
    return footprint > 0 and footprint // 4 < cache


def flags_of(own, readings, link, in_cache=False):
    """The row's own flags and those of its telemetry, each once."""
    flags = list(own)
    for reading in readings:
        flags += [word for word in words_in(reading) if word not in HARMLESS]
        flags += [counter for counter in counters_in(reading) if counter not in HARMLESS and advance(readings, counter) > 0]
        if (number_in(reading, "foreign_processes") or 0) > 0:
            flags.append("foreign_processes")
    before, during, after = readings
    loaded = during or after
    if is_below(loaded, "link_generation", link, "generation_max") or is_below(loaded, "link_width", link, "width_max"):
        flags.append("link_below_maximum")
    flags += clock_flags(readings)
    if in_cache:
        flags.append("partly_in_l2")
    return tuple(dict.fromkeys(flags))
