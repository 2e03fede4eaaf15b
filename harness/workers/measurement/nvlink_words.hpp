// tocuda, Apache-2.0.
// Says from NVLink's counters whether copies between GPUs went over it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "telemetry/gauge.hpp"

namespace tocuda {

// The counters of each sender before and after so many bytes were sent by all of them. Empty if the bytes are too few
// to tell.
std::string nvlink_words(const std::vector<NvLinkSent>& before, const std::vector<NvLinkSent>& after,
                         std::int64_t bytes);

}  // namespace tocuda
