// tocuda, Apache-2.0.
// How much of the host's memory the simulated GPUs may still touch: used up, the GPU is out of memory, not the machine.
#pragma once

#include <cstdint>

namespace tocuda::stand_in {

class HostMemory {
public:
    // `limit` below 0: what the host has available, less a reserve, looked up as it is used.
    explicit HostMemory(std::int64_t limit) : limit_(limit) {}

    bool charge(std::int64_t bytes);
    void release(std::int64_t bytes) { charged_ -= bytes; }

private:
    bool fits_on_host(std::int64_t bytes);

    std::int64_t limit_;
    std::int64_t charged_ = 0;
    std::int64_t known_free_ = 0;  // of the last look-up, less what was charged since
};

}  // namespace tocuda::stand_in
