// tocuda, Apache-2.0.
// Whether a recording can be gone on with here: on the same boot, with the same driver, GPUs and software. Pure.
#pragma once

#include <string>

#include "model/machine.hpp"

namespace tocuda {

// Why not, with what it was and what it is; or nothing.
std::string why_not_resumable(const RunLine& before, const RunLine& now);

}  // namespace tocuda
