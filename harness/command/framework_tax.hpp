// tocuda, Apache-2.0.
// The time that LibTorch adds to the runtime's for the same bytes, by size: compares rows of one benchmark that differ
// only in `through`.
#pragma once

#include <string>
#include <vector>

#include "command/paper.hpp"
#include "model/summary.hpp"

namespace tocuda {

struct FrameworkTax {
    const RowSummary* row = nullptr;  // the row through LibTorch
    double seconds = 0;  // longer than through the runtime
    double part = 0;  // relative to the time through the runtime
};

std::vector<FrameworkTax> framework_taxes(const std::vector<RowSummary>& rows);

// Returns a table of them; empty if there are none.
std::string tax_table(const std::vector<RowSummary>& rows, const Paper& paper);

}  // namespace tocuda
