// tocuda, Apache-2.0.
// Finds the function of the same name that comes after the recorder in the search order: the real runtime's or the
// simulated one's.
#pragma once

#include "recorder/counters.hpp"

namespace tocuda::simulator {

void* find_next(const char* name);
bool runtime_was_met();  // whether find_next was ever called

// Each caller keeps the result in a static variable, so that it is looked up once.
template <typename Function>
Function* next(Function*, const char* name) {
    return reinterpret_cast<Function*>(find_next(name));
}

inline int noted(int result) {
    constexpr int not_ready = 600;
    if (result != 0 && result != not_ready) Counters::here().add(&tocuda_recorder_totals::failed_calls);
    return result;
}

}  // namespace tocuda::simulator
