// tocuda, Apache-2.0.
// Two sides and a history, to rows that can be compared, and to what cannot. Pure, and the same to the last bit for any order of files.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "gathering/gpu_pairs.hpp"
#include "gathering/row_cells.hpp"
#include "model/change_report.hpp"

namespace tocuda {

struct GatheredSides {
    std::vector<GatheredSection> before{};
    std::vector<GatheredSection> after{};
    std::vector<GatheredSection> history{};
};

// Everything but the answers. `history` loses the sections that are on a side. `on_row` is told of each row before the next is put together.
ChangeReport pair_rows(const RowNames& names, GatheredSides& sides, int needed_freedom, const std::function<void(AnsweredRow&)>& on_row = {});

}  // namespace tocuda
