// tocuda, Apache-2.0.
// Compiles the unrolled copies with blocks of 128 threads.
#include <stdexcept>

#include "kernels/unrolled_launch.hpp"

namespace tocuda {

template bool launched_unrolled<128>(const Stream&, std::byte*, const std::byte*, std::size_t, UnrolledShape);

void launch_unrolled_copy(const Stream& stream, std::byte* to, const std::byte* from, std::size_t bytes,
                          UnrolledShape shape) {
    if (!launched_unrolled<128>(stream, to, from, bytes, shape) &&
        !launched_unrolled<256>(stream, to, from, bytes, shape) &&
        !launched_unrolled<512>(stream, to, from, bytes, shape))
        throw std::invalid_argument("no unrolled copy has this shape");
}

}  // namespace tocuda
