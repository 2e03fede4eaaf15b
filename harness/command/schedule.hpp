// tocuda, Apache-2.0.
// Which step is next: as many side by side as there are jobs, but those on a real GPU one at a time. Pure.
#pragma once

#include <optional>
#include <vector>

#include "command/plan.hpp"

namespace tocuda {

class Schedule {
public:
    Schedule(const std::vector<Step>& steps, int jobs);

    // The first that waits and may start now; from here on it runs.
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
