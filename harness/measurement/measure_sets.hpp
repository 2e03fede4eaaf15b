// tocuda, Apache-2.0.
// Measures the parameter sets of one process, in the same way for every benchmark.
#pragma once

#include <functional>
#include <vector>

#include "measurement/company.hpp"
#include "measurement/instruments.hpp"
#include "measurement/registered_benchmark.hpp"

namespace tocuda {

using SaySamples = std::function<void(const Samples&)>;

enum class SetsEnded {
    whole,  // every set was reported
    lost    // the context was lost: the current set was reported as failed, and this process can no longer use the GPU
};

// With `company`, all its processes measure each group of sets at the same time.
SetsEnded measure_sets(const Measurable& measurable, const std::vector<Parameters>& sets, const Protocol& protocol,
                       Instruments& instruments, const SaySamples& say, Company* company = nullptr);

}  // namespace tocuda
