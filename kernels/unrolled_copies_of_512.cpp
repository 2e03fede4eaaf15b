// tocuda, Apache-2.0.
// Compiles the unrolled copies with blocks of 512 threads.
#include "kernels/unrolled_launch.hpp"

namespace tocuda {

template bool launched_unrolled<512>(const Stream&, std::byte*, const std::byte*, std::size_t, UnrolledShape);

}  // namespace tocuda
