// tocuda, Apache-2.0.
// What LibTorch costs on top of the runtime for the same bytes, by size: rows of one benchmark that differ in `through` alone.
#pragma once

#include <string>
#include <vector>

#include "command/paper.hpp"
#include "model/summary.hpp"

namespace tocuda {

struct FrameworkTax {
    const RowSummary* row = nullptr;  // that through LibTorch
    double seconds = 0;               // more than through the runtime
    double part = 0;                  // of the time through the runtime
};

std::vector<FrameworkTax> framework_taxes(const std::vector<RowSummary>& rows);

// A table of them; empty where there is none.
std::string tax_table(const std::vector<RowSummary>& rows, const Paper& paper);

}  // namespace tocuda
