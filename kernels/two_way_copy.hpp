// tocuda, Apache-2.0.
// One kernel that copies in two directions at once.
#pragma once

#include <cstddef>

namespace tocuda {

class Stream;

struct TwoCopies {
    std::byte* to[2]{};
    const std::byte* from[2]{};
    std::size_t bytes = 0;  // each way
};

// With `blocks` 0 there is a block for each tile of either copy.
void launch_two_copies(const Stream& stream, const TwoCopies& what, unsigned blocks);

}  // namespace tocuda
