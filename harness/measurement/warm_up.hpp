// tocuda, Apache-2.0.
// Keeps a GPU busy until its clock is steady: an idle one may run at a sixth of its speed.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tocuda {

struct WarmUp {
    double steady_part = 0.01;      // the clock stays within so much of itself,
    double steady_seconds = 0.020;  // for so long;
    double most_seconds = 0.300;    // or this long has passed
    double idle_seconds = 0.050;    // a GPU that did nothing for so long is warmed up again

    // Each call keeps the GPU busy for a while, and answers with its clock where that is known.
    using Busy = std::function<std::optional<double>()>;

    struct Ended {
        std::vector<std::string> flags{};  // what could not be had
        std::optional<double> clock{};     // as it was seen last
    };
    // A clock below half of `most` is waited for, however steady it is: it may not have begun to rise.
    Ended run(const Busy& busy, const std::function<double()>& now, std::optional<double> most = {}) const;
};

}  // namespace tocuda
