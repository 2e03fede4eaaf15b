// tocuda, Apache-2.0.
// Keeps a GPU busy until its clock is steady: an idle GPU may run at a sixth of its speed.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/row_flag.hpp"

namespace tocuda {

struct WarmUp {
    double steady_part = 0.01;      // the clock stays within this part of its value
    double steady_seconds = 0.020;  // for this long,
    double most_seconds = 0.300;    // or this much time has passed
    double idle_seconds = 0.050;    // a GPU that was idle for this long is warmed up again

    // Each call keeps the GPU busy for a while and returns its clock, if known.
    using Busy = std::function<std::optional<double>()>;

    struct Ended {
        Flags flags{};                  // what could not be achieved
        std::optional<double> clock{};  // the last reading
    };
    // Waits on while the clock is below half of `most`, even if it is steady: it may not have begun to rise.
    Ended run(const Busy& busy, const std::function<double()>& now, std::optional<double> most = {}) const;
};

}  // namespace tocuda
