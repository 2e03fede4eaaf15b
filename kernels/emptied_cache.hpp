// tocuda, Apache-2.0.
// Empties the L2 cache before something is timed, so that each of its misses costs a read and nothing else.
#pragma once

#include <cstddef>

#include "measurement/cuda_objects.hpp"

namespace tocuda {

// Of the GPU that was current when this was made.
class EmptiedCache {
public:
    explicit EmptiedCache(std::size_t l2_bytes);

    // Queues it. What a fill leaves there must be written back before anything else gets its lines, so other memory is
    // read after it.
    void empty(const Stream& stream) const;

    static std::size_t needed_bytes(std::size_t l2_bytes) { return 2 * each_bytes(l2_bytes); }

private:
    static std::size_t each_bytes(std::size_t l2_bytes);  // filled, and as many read

    std::size_t each;
    DeviceMemory memory{2 * each};
};

}  // namespace tocuda
