// tocuda, Apache-2.0.
// A CPU copy for targets that are not read again soon: it bypasses the caches, so that the target's old contents are
// not fetched first.
#pragma once

#include <cstddef>

namespace tocuda {

void streaming_copy(std::byte* to, const std::byte* from, std::size_t bytes);

}  // namespace tocuda
