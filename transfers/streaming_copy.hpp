// tocuda, Apache-2.0.
// A copy on the CPU whose target is not read again soon: written past the caches, so that its old contents are not
// fetched first.
#pragma once

#include <cstddef>

namespace tocuda {

void streaming_copy(std::byte* to, const std::byte* from, std::size_t bytes);

}  // namespace tocuda
