// tocuda, Apache-2.0.
// A flag that two sides pass to and fro: each waits until its own has the next number, and then sets the other's to the
// one after. A side is one thread of a GPU, or of the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace tocuda {

class Stream;

struct FlagSide {
    const unsigned* awaited = nullptr;
    unsigned* sent = nullptr;
    const void* beyond = nullptr;  // memory of which a simulated GPU charges the latency for each way
};

// What came to one side, and how long the first one's turns took by its GPU's two clocks.
struct FlagArrivals {
    std::uint64_t arrived = 0;  // numbers
    std::uint64_t sum = 0;      // of them
    std::int64_t cycles = 0;
    std::uint64_t nanoseconds = 0;
    // Of a simulated GPU: which exchange it is, by its base, and when the side gives up by the host's clock.
    unsigned of = ~0U;
    std::uint64_t gives_up_ns = 0;
};

// The first side begins. One turn goes before those that are timed, so that both sides are there.
struct FlagExchange {
    FlagSide first{};
    FlagSide second{};
    unsigned turns = 0;
    unsigned base = 0;                          // the numbers sent are above it: others for each exchange
    std::uint64_t patience_ns = 1'000'000'000;  // a side gives up so long after it began; Windows would end it later
    FlagArrivals* of_first = nullptr;
    FlagArrivals* of_second = nullptr;

    unsigned first_sends(unsigned turn) const { return base + 2 * turn + 1; }
    unsigned second_sends(unsigned turn) const { return base + 2 * turn + 2; }
    unsigned last() const { return second_sends(turns); }
};

// Each queues one side in a stream of its GPU.
void launch_first(const Stream& stream, const FlagExchange& exchange);
void launch_second(const Stream& stream, const FlagExchange& exchange);
// Plays the second side by this thread of the host.
void answer(const FlagExchange& exchange);

// Empty if every number arrived at both sides.
std::string what_did_not_arrive(const FlagExchange& exchange, const FlagArrivals& of_first,
                                const FlagArrivals& of_second);

}  // namespace tocuda
