// tocuda, Apache-2.0.
// The result of `compare --history`: each driver against the previous one, and lasting changes of rows over time.
#pragma once

#include <string>
#include <vector>

#include "model/change_report.hpp"

namespace tocuda {

struct DriverStep {
    std::string before{};  // "570.86.15 (CUDA 12.8)"
    std::string after{};
    ChangeReport report{};
};

// A lasting change of a row from one session on, whatever its cause.
struct RowStep {
    std::string benchmark{};
    Parameters parameters{};
    std::string id{};
    std::string gpu{};
    std::string time{};    // of the first session after the step
    std::string driver{};  // of that session
    std::string driver_before{};
    double change = 0;       // of time
    double probability = 0;  // of a step at least as clear by chance

    bool operator==(const RowStep&) const = default;
};

struct HistoryReport {
    int files = 0;
    int sections = 0;
    bool simulated = false;
    std::vector<DriverStep> drivers{};
    std::vector<RowStep> steps{};
    int rows = 0;              // rows whose history was searched
    int short_rows = 0;        // rows whose history is too short for that
    int sessions_missing = 0;  // by the longest of the short ones
    std::vector<std::string> warnings{};
};

}  // namespace tocuda
