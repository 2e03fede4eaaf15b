// tocuda, Apache-2.0.
// The gate: a one-thread kernel that holds its stream until the host opens it, or until it has waited too long.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace tocuda {

// In host memory that the GPU can access.
struct GateState {
    std::uint32_t open = 0;
    std::uint32_t opened_itself = 0;
    std::int64_t first_asked_ns = 0;  // simulated GPUs only, which do not poll
};

struct Gate {
    static constexpr bool has_barrier = false;

    template <class Block>
    constexpr void operator()(Block& block, GateState* state, std::uint64_t patience_ns) const {
        const auto began = block.nanoseconds();
        while (block.seen(&state->open) == 0) {
            if (block.nanoseconds() - began >= patience_ns) {
                block.show(&state->opened_itself, 1);
                return;
            }
            block.pause();
        }
    }

    // A simulated GPU calls this instead of polling. It uses the host's real time, because virtual time stands still
    // while a gate is closed.
    static bool ready(GateState* state, std::uint64_t patience_ns) {
        if (std::atomic_ref(state->open).load() != 0) return true;
        const auto now =
            std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
                .count();
        std::int64_t first = 0;
        if (std::atomic_ref(state->first_asked_ns).compare_exchange_strong(first, now)) first = now;
        if (static_cast<std::uint64_t>(now - first) < patience_ns) return false;
        std::atomic_ref(state->opened_itself).store(1);
        return true;
    }
};

}  // namespace tocuda
