// tocuda, Apache-2.0.
// Finds the function of the same name that comes after the recorder in the search order: the real runtime's or the
// simulated one's.
#pragma once

#include "recorder/counters.hpp"

namespace tocuda::simulator {

void* find_next(const char* name);
bool runtime_was_met();  // whether find_next was ever called

// Looked up once for each function.
template <auto* function>
auto* next(const char* name) {
    static auto* const found = reinterpret_cast<decltype(function)>(find_next(name));
    return found;
}

// Counts a failed call; returns whether it succeeded.
inline bool succeeded(int result) {
    constexpr int not_ready = 600;
    if (result != 0 && result != not_ready) Counters::here().add(&tocuda_recorder_totals::failed_calls);
    return result == 0;
}

}  // namespace tocuda::simulator
