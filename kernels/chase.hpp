// tocuda, Apache-2.0.
// A chase of pointers: loads of which each waits for the one before it, because that one returns its address. They
// follow a random cycle of lines.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_set>
#include <vector>

#include "measurement/payload.hpp"

namespace tocuda {

class Stream;

constexpr std::size_t line_bytes = 128;  // what the caches fetch at once
constexpr std::size_t chase_loads = 8192;
constexpr auto no_line_twice = "no line may be loaded twice";

// At most 8191 different ones, so that 8192 loads do not end where they began and a large set needs few initialised
// lines.
constexpr std::size_t visited_lines(std::size_t working_set) {
    return std::min(working_set / line_bytes, chase_loads) - 1;
}

// The visited lines of a working set, by number, in the order of the cycle. The same for the same seed.
inline std::vector<std::uint64_t> random_cycle(std::size_t working_set, std::uint64_t seed) {
    const auto lines = working_set / line_bytes;
    const auto visited = visited_lines(working_set);
    std::vector<std::uint64_t> cycle;
    std::unordered_set<std::uint64_t> known;
    for (auto draw = scrambled(seed); cycle.size() < visited; draw = scrambled(draw))
        if (known.insert(draw % lines).second) cycle.push_back(draw % lines);
    return cycle;
}

// What the loads of a chase found, and how long they took by the GPU's two clocks.
struct Chased {
    std::uint64_t end = 0;  // the last line's address
    std::uint64_t sum = 0;  // of the addresses of all lines, modulo 2^64
    std::int64_t cycles = 0;
    std::uint64_t nanoseconds = 0;
    unsigned claims = 0;  // of blocks, of which only one may chase

    static Chased expected(const std::byte* memory, const std::vector<std::uint64_t>& cycle);
};

struct Chase {
    const std::byte* memory = nullptr;
    std::size_t working_set = 0;
    std::uint64_t first = 0;     // line
    std::size_t warm_loads = 0;  // before the clocks are read
    std::size_t loads = chase_loads;
};

namespace kernels::chase {

// By how much the timer advances at once, as far as a kernel can see; 0 if it stands still.
struct TimerStep {
    static constexpr bool has_barrier = false;

    template <class Block>
    constexpr void operator()(Block& block, std::uint64_t* smallest) const {
        constexpr int most_reads = 1 << 20;  // some steps of a millisecond
        constexpr int steps = 8;
        std::uint64_t lowest = 0;
        auto last = block.nanoseconds();
        for (int read = 0, seen = 0; read < most_reads && seen < steps; ++read) {
            const auto now = block.nanoseconds();
            if (now == last) continue;
            if (lowest == 0 || now - last < lowest) lowest = now - last;
            last = now;
            ++seen;
        }
        *smallest = lowest;
    }
};

}  // namespace kernels::chase

// Writes the address of the next line into each line of the cycle; all other lines remain as they are. `cycle` is in
// memory that the GPU can access.
void write_cycle(const Stream& stream, std::byte* memory, const std::uint64_t* cycle, std::size_t count);
// The same chase by the host, which does not read its clocks. Ends early at a line without a link.
Chased chased_by_host(const Chase& chase);
// How a line is loaded: its link by a load, or all of it through shared memory in bulk (TMA).
enum class ChaseBy { load, bulk };

// Queues a chase by one thread, which writes the result at its end.
void launch_chase(const Stream& stream, const Chase& chase, Chased* result, ChaseBy by = ChaseBy::load);
// The same past L1 and by one multiprocessor, of so many. No block may come to it: then the result stays as it was.
void launch_chase_on(const Stream& stream, const Chase& chase, unsigned multiprocessor, unsigned of, Chased* result);

// Queues one thread that writes the step of the GPU's timer.
void launch_timer_step(const Stream& stream, std::uint64_t* nanoseconds);

}  // namespace tocuda
