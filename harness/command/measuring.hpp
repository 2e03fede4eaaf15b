// tocuda, Apache-2.0.
// What a child of `measure` says and how it ends: which sets it has answered, what happened to the one that it was at,
// and what is left for another process.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/benchmark.hpp"
#include "process/child.hpp"

namespace tocuda {

// A CUDA error after which a process can do nothing more: it says `failed` of the set at hand and ends with this code.
inline constexpr int sticky_error_code = 71;

class Measuring {
public:
    // `gpus`: the UUIDs that may be measured on; empty where any may.
    Measuring(Clock clock, std::vector<Parameters> sets, std::vector<std::string> gpus);

    // The samples of a line. None where the line is wrong: `fault` then says how, and the child is to be stopped.
    std::optional<Samples> hear(std::string_view line);
    const std::string& fault() const { return wrong; }

    struct Finish {
        std::optional<Samples> at_hand{};     // what is to be recorded of the set that it was at
        std::vector<Parameters> left_over{};  // not measured, in their order
        bool abnormal = false;                // the GPU is to be looked at
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
