// tocuda, Apache-2.0.
// The kernels that pass a flag to and fro, compiled for the GPU and for the CPU.
#include "kernels/flag.hpp"

#include <atomic>
#include <chrono>

#include "measurement/host_execution.hpp"
#include "measurement/launch.hpp"

namespace tocuda {
namespace kernels::flag {

std::uint64_t host_nanoseconds() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

// Of so many looks at the flag one is followed by a look at the clock.
constexpr unsigned looks_between_clocks = 1U << 16;

template <bool begins>
struct PassFlag {
    static constexpr bool has_barrier = false;

    template <class Block>
    constexpr void operator()(Block& block, FlagExchange exchange) const {
        const auto side = begins ? exchange.first : exchange.second;
        const auto gives_up = block.nanoseconds() + exchange.patience_ns;
        FlagArrivals passed;
        auto sent = exchange.base + (begins ? 1 : 2);
        auto awaited = exchange.base + (begins ? 2 : 1);
        const auto pass = [&] {
            if constexpr (begins) block.signal(side.sent, sent);
            for (unsigned look = 1; block.seen(side.awaited) != awaited; ++look)
                if (look % looks_between_clocks == 0 && block.nanoseconds() > gives_up) return false;
            if constexpr (!begins) block.signal(side.sent, sent);
            passed.sum += awaited;
            ++passed.arrived;
            sent += 2;
            awaited += 2;
            return true;
        };
        bool goes_on = pass();
        const auto began_ns = block.nanoseconds();
        const auto began = block.cycles();
        for (unsigned turn = 0; turn < exchange.turns && goes_on; ++turn) goes_on = pass();
        passed.cycles = block.cycles() - began;
        passed.nanoseconds = block.nanoseconds() - began_ns;
        *(begins ? exchange.of_first : exchange.of_second) = passed;
    }

    // A simulated GPU calls this instead, in real time, and then charges for the loads below.
    static bool ready(const FlagExchange& exchange) {
        const auto side = begins ? exchange.first : exchange.second;
        auto& passed = *(begins ? exchange.of_first : exchange.of_second);
        if (passed.of != exchange.base)
            passed = {.of = exchange.base, .gives_up_ns = host_nanoseconds() + exchange.patience_ns};
        for (; passed.arrived <= exchange.turns; ++passed.arrived) {
            const auto turn = static_cast<unsigned>(passed.arrived);
            const auto awaited = begins ? exchange.second_sends(turn) : exchange.first_sends(turn);
            if constexpr (begins) HostBlock{}.signal(side.sent, exchange.first_sends(turn));
            if (HostBlock{}.seen(side.awaited) != awaited) return host_nanoseconds() > passed.gives_up_ns;
            if constexpr (!begins) HostBlock{}.signal(side.sent, exchange.second_sends(turn));
            passed.sum += awaited;
        }
        return true;
    }
    static constexpr Touched touched(const FlagExchange& exchange) {
        return {.read = (begins ? exchange.first : exchange.second).beyond, .bytes_read = sizeof(unsigned)};
    }
    static constexpr std::size_t dependent_loads(const FlagExchange& exchange) {
        return std::size_t{2} * exchange.turns;
    }
};

}  // namespace kernels::flag

void launch_first(const Stream& stream, const FlagExchange& exchange) {
    launch(stream, Grid{}, kernels::flag::PassFlag<true>{}, exchange);
}

void launch_second(const Stream& stream, const FlagExchange& exchange) {
    launch(stream, Grid{}, kernels::flag::PassFlag<false>{}, exchange);
}

void answer(const FlagExchange& exchange) {
    const auto gives_up = kernels::flag::host_nanoseconds() + exchange.patience_ns;
    const std::atomic_ref awaited(*const_cast<unsigned*>(exchange.second.awaited));
    const std::atomic_ref sent(*exchange.second.sent);
    FlagArrivals passed;
    for (; passed.arrived <= exchange.turns; ++passed.arrived) {
        const auto turn = static_cast<unsigned>(passed.arrived);
        const auto number = exchange.first_sends(turn);
        for (unsigned look = 1; awaited.load(std::memory_order_relaxed) != number; ++look)
            if (look % kernels::flag::looks_between_clocks == 0 && kernels::flag::host_nanoseconds() > gives_up) {
                *exchange.of_second = passed;
                return;
            }
        sent.store(exchange.second_sends(turn), std::memory_order_relaxed);
        passed.sum += number;
    }
    *exchange.of_second = passed;
}

std::string what_did_not_arrive(const FlagExchange& exchange, const FlagArrivals& of_first,
                                const FlagArrivals& of_second) {
    const auto all = std::uint64_t{exchange.turns} + 1;
    if (of_second.arrived != all && of_second.arrived <= of_first.arrived)
        return "the flag stopped on its way to the second side, after " + std::to_string(of_second.arrived) + " of " +
               std::to_string(all) + " times";
    if (of_first.arrived != all)
        return "the flag stopped on its way back, after " + std::to_string(of_first.arrived) + " of " +
               std::to_string(all) + " times";
    const auto sum_of = [&](std::uint64_t first) { return all * (first + exchange.turns); };
    const bool right = of_first.sum == sum_of(exchange.second_sends(0)) &&
                       of_second.sum == sum_of(exchange.first_sends(0)) && of_second.arrived == all;
    return right ? "" : "the numbers that arrived are not those that were sent";
}

}  // namespace tocuda
