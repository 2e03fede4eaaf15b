// tocuda, Apache-2.0.
// Limits how much host memory the simulated GPUs touch, so that a GPU runs out of memory before the machine does.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tocuda::simulator {

inline constexpr std::size_t page = 4096;

class HostMemory {
public:
    // A negative `limit` stands for what the host has available, less a reserve, read as memory is used.
    explicit HostMemory(std::int64_t limit) : limit_(limit) {}

    bool charge(std::int64_t bytes);
    void release(std::int64_t bytes) { charged_ -= bytes; }

private:
    bool fits_on_host(std::int64_t bytes);

    std::int64_t limit_;
    std::int64_t charged_ = 0;
    std::int64_t known_free_ = 0;  // of the last reading, less what was charged since
};

}  // namespace tocuda::simulator
