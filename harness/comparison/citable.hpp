// tocuda, Apache-2.0.
// What stands in the way of quoting a number: pure. `cite` refuses by it, and `verify` says by it whether anything in a file may be quoted.
#pragma once

#include <string>
#include <vector>

#include "model/machine.hpp"
#include "model/summary.hpp"

namespace tocuda {

// What reading the bytes of a section has shown.
struct SectionState {
    bool whole = false;                   // it has its end line
    bool unaltered = false;               // and that line's checksum is that of what stands before it
    std::vector<std::string> problems{};  // whatever else is not as it would have been written
};

inline constexpr int cited_processes_min = 6;  // fewer give no interval at 95 %

// Every reason why this row of this section is not to be quoted; none where it may be.
std::vector<std::string> why_not_citable(const RunLine& run, const RowSummary& row, const SectionState& section);

}  // namespace tocuda
