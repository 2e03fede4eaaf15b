// tocuda, Apache-2.0.
// A kernel that stores what it loads to the memory of several GPUs at once.
#pragma once

#include <cstddef>

namespace tocuda {

class Stream;

struct MulticastTarget {
    static constexpr unsigned most_gpus = 16;
    static constexpr std::size_t word_bytes = 16;  // at a time

    std::byte* of_all = nullptr;  // a store here reaches each GPU
    // Where each of them has it. The CPU, which has no such stores, stores there in place of simulated GPUs.
    std::byte* of_each[most_gpus]{};
    unsigned gpus = 0;
    unsigned sender = 0;
};

// `bytes` are whole words. The stream is one of the sender.
void launch_multicast(const Stream& stream, const MulticastTarget& to, const std::byte* from, std::size_t bytes,
                      unsigned multiprocessors);

}  // namespace tocuda
