// tocuda, Apache-2.0.
// The copies within one GPU from which the best is chosen, each with the parameters of its own benchmark.
#pragma once

#include "kernels/measured/copy_bench.hpp"

namespace tocuda::measured {

namespace unrolled_copy {
CopyWithin by_unrolled();
}
namespace persistent_copy {
CopyWithin by_persistent();
}
namespace staged_copies {
CopyWithin by_bulk();
}
namespace engine_copy {
CopyWithin by_engine();
}

}  // namespace tocuda::measured
