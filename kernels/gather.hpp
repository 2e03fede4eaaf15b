// tocuda, Apache-2.0.
// A kernel that copies many arrays at once, each from a place of its own, which may be page-locked host memory.
#pragma once

#include <cstddef>

namespace tocuda {

class Stream;

// All three are multiples of 16.
struct Segment {
    std::byte* to = nullptr;
    const std::byte* from = nullptr;
    std::size_t bytes = 0;
};

// `segments` is memory that the GPU can access. Of all segments together, `source` and `target` are the lowest
// addresses, `bytes` the size: a simulated GPU is told what the kernel touches.
struct Gathered {
    const Segment* segments = nullptr;
    std::size_t count = 0;
    std::byte* target = nullptr;
    const std::byte* source = nullptr;
    std::size_t bytes = 0;
};

void launch_gather(const Stream& stream, const Gathered& what, unsigned multiprocessors);

}  // namespace tocuda
