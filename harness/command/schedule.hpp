// tocuda, Apache-2.0.
// Decides which step starts next: as many in parallel as there are jobs, but only one on a real GPU. Pure.
#pragma once

#include <optional>
#include <vector>

#include "command/plan.hpp"

namespace tocuda {

class Schedule {
public:
    Schedule(const std::vector<Step>& steps, int jobs);

    // Returns the first waiting step that may start now and marks it as running; nullopt if there is none.
    std::optional<std::size_t> take();
    void ended(std::size_t step);
    bool done() const;  // nothing waits, and nothing runs

private:
    enum class State { waits, runs, over };
    struct Entry {
        bool real;
        State state = State::waits;
    };

    std::vector<Entry> entries;
    int jobs;
};

}  // namespace tocuda
