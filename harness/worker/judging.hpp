// tocuda, Apache-2.0.
// A row to rulings, one for each claim that its variant carries: pure.
#pragma once

#include <vector>

#include "lines/worker_lines.hpp"
#include "model/row.hpp"
#include "worker/registered.hpp"

namespace tocuda {

std::vector<RulingLine> judge_row(const Entry& entry, const Row& row);

}  // namespace tocuda
