// tocuda, Apache-2.0.
// What `compare --history` has to say: each driver against the one before it, and where rows changed in the long run.
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

// A step that a row took from one session on, whatever was changed then.
struct RowStep {
    std::string benchmark{};
    Parameters parameters{};
    std::string id{};
    std::string gpu{};
    std::string time{};     // of the first session after it
    std::string driver{};   // then
    std::string driver_before{};
    double change = 0;      // of time
    double probability = 0; // of one as clear by chance

    bool operator==(const RowStep&) const = default;
};

struct HistoryReport {
    int files = 0;
    int sections = 0;
    bool simulated = false;
    std::vector<DriverStep> drivers{};
    std::vector<RowStep> steps{};
    int rows = 0;             // whose history was looked through
    int short_rows = 0;       // whose history is too short for that
    int sessions_missing = 0; // of the longest of these
    std::vector<std::string> warnings{};
};

}  // namespace tocuda
