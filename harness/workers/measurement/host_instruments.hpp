// tocuda, Apache-2.0.
// The instruments of benchmarks whose process uses no GPU: the host's real clock, even where GPUs are simulated, and
// nothing else.
#pragma once

#include <memory>
#include <string>

#include "measurement/instruments.hpp"

namespace tocuda {

// `gpu`: the UUID of the one that new processes of the benchmark use, if there is one.
std::unique_ptr<Instruments> host_instruments(std::string gpu = "");

}  // namespace tocuda
