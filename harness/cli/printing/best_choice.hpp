// tocuda, Apache-2.0.
// What the rows named `best` chose for each size, and whether another row of the same run was faster. Pure.
#pragma once

#include <string>
#include <vector>

#include "model/summary.hpp"

namespace tocuda {

// "4 KiB by unrolled in_flight=12; 64 MiB by engine". Empty if nothing was chosen.
std::string chosen_words(const std::vector<const RowSummary*>& rows);

// "faster: tma_bulk by 2.1 % at 64 MiB": rows of `all` in the folder of a row named `best` that were faster with as
// many bytes; or that none was. Empty if no other row can be compared.
std::string faster_words(const std::vector<const RowSummary*>& best, const std::vector<RowSummary>& all);

}  // namespace tocuda
