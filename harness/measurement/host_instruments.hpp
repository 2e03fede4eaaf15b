// tocuda, Apache-2.0.
// The instruments of benchmarks that need no GPU: the host's real clock, even where GPUs are simulated, and nothing
// else.
#pragma once

#include <memory>

#include "measurement/instruments.hpp"

namespace tocuda {

std::unique_ptr<Instruments> host_instruments();

}  // namespace tocuda
