// tocuda, Apache-2.0.
// Recorded rows judged again, by the judges of today.
#pragma once

#include <functional>
#include <vector>

#include "command/catalogue.hpp"
#include "model/row.hpp"

namespace tocuda {

// A recorded row, and what today's judges say of it.
struct Judged {
    const Row* was;
    Row is;
    bool asked = false;  // otherwise it stands as it was recorded
};

// In their order; what was never run, or what nobody here knows (that is told), stands as it is. `seconds` for each
// row; 0 for what is usual.
std::vector<Judged> judge_again(const Catalogue& catalogue, const std::vector<const Row*>& recorded, double seconds,
                                const std::function<void(const Row&)>& unknown);

}  // namespace tocuda
