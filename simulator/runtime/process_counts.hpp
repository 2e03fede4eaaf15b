// tocuda, Apache-2.0.
// What this process counts for `tocuda simulate`.
#pragma once

#include <cstdint>
#include <string_view>

#include "simulator/schema/counts.hpp"

namespace tocuda::simulator {

// In the folder that TOCUDA_COUNTS names; otherwise in memory of this process alone.
SharedCounts& counts();

// Call under the simulation's lock.
void count_not_computed(std::string_view name, std::string_view line);
std::uint64_t not_computed();
// A kernel that no operator launched. The first time the user is told, because nobody knows which bytes it would write.
void count_kernel_not_computed(std::string_view symbol);
// To be called for bytes that reach the host and are not known to depend on something that was not computed.
void count_read_back();

}  // namespace tocuda::simulator
