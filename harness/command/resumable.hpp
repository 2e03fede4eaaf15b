// tocuda, Apache-2.0.
// Decides whether a recording can be resumed here: on the same boot, with the same driver, GPUs and software. Pure.
#pragma once

#include <string>

#include "model/machine.hpp"

namespace tocuda {

// Returns why not, with the recorded and the present value; empty if it can.
std::string why_not_resumable(const RunLine& before, const RunLine& now);

}  // namespace tocuda
