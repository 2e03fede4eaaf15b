// tocuda, Apache-2.0.
// Follows a child that runs `measure`: which sets it has answered, what happened to the set it was measuring when it
// ended, and which sets are left for another process.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/benchmark.hpp"
#include "process/child.hpp"

namespace tocuda {

// A process reports `failed` for the current set and exits with this code after a CUDA error that its context cannot
// recover from.
inline constexpr int sticky_error_code = 71;

class Measuring {
public:
    // `gpus` holds the UUIDs of the allowed GPUs; empty if any is allowed.
    Measuring(Clock clock, std::vector<Parameters> sets, std::vector<std::string> gpus);

    // Returns the samples of a line; nullopt if the line is wrong. `fault` then says why, and the child must be
    // stopped.
    std::optional<Samples> hear(std::string_view line);
    const std::string& fault() const { return wrong; }

    struct Finish {
        std::optional<Samples> at_hand{};     // what to record for the set that it was measuring
        std::vector<Parameters> left_over{};  // the sets that were not measured, in their order
        bool abnormal = false;                // the GPU must be checked
    };
    Finish finish(const Ended& ended) const;

    int answered() const { return lines; }

private:
    std::string why_not_measured(const Ended& ended) const;
    Samples not_measured(const Parameters& set, Status status, std::string why) const;

    Clock clock;
    std::vector<Parameters> asked;
    std::vector<Parameters> open;
    std::vector<std::string> allowed;
    std::string wrong;
    int lines = 0;
    bool last_failed = false;
};

}  // namespace tocuda
