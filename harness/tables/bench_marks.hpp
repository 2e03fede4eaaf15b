// tocuda, Apache-2.0.
// The letters of the table of `bench`: capitals for peaks, named above the table, and small ones for flags, explained
// below it.
#pragma once

#include <string>
#include <vector>

#include "model/summary.hpp"
#include "terminal/paper.hpp"

namespace tocuda {

class BenchMarks {
public:
    std::string peak_of(const RowSummary& row);   // "99.8 B"; "-" without a peak
    std::string flags_of(const RowSummary& row);  // "ac"; flags that name a choice have no letter

    std::string peaks_text(const Paper& paper) const;
    std::string flags_text(const Paper& paper) const;

private:
    std::vector<std::string> peaks;
    std::vector<std::string> flags;
};

}  // namespace tocuda
