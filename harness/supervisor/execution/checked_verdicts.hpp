// tocuda, Apache-2.0.
// Whether recorded verdicts follow from their evidence: rows of this commit are judged again.
#pragma once

#include <functional>

#include "record/sections.hpp"
#include "record/verification.hpp"
#include "request/catalogue.hpp"

namespace tocuda {

// Adds other verdicts to the problems, and what could not be judged again to the notes. `workers` is only called if
// there are verdicts to judge again: finding the workers may start Python.
void check_verdicts(const Recording& recording, const std::function<const Catalogue&()>& workers,
                    Verification& verification);

}  // namespace tocuda
