// tocuda, Apache-2.0.
// What `tocuda compare` was asked for.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "command/calibrate.hpp"
#include "command/verb.hpp"

namespace tocuda {

struct CompareOptions {
    std::string before{};  // files or folders
    std::string after{};
    std::vector<std::string> fleet{};  // whose GPUs are judged against one another; then there is nothing else
    std::string history{};
    double margin_percent = 0;  // 0: the usual one
    bool calibrate = false;  // count false alarms instead; `history` is then a recorded one
    CalibrateOptions calibration{};
    bool strict = false;
    bool json = false;
    bool quiet = false;
    bool all = false;  // list every row
};

// The options, or the exit code where there is nothing to compare.
std::variant<CompareOptions, int> parse_compare_options(const Words& words);

}  // namespace tocuda
