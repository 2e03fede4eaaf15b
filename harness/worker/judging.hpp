// tocuda, Apache-2.0.
// Judges a row: returns one ruling for each claim of its variant. Pure.
#pragma once

#include <vector>

#include "lines/worker_lines.hpp"
#include "model/row.hpp"
#include "worker/registered.hpp"

namespace tocuda {

std::vector<RulingLine> judge_row(const Entry& entry, const Row& row);

}  // namespace tocuda
