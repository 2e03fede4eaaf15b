// tocuda, Apache-2.0.
// Measures the parameter sets of one process: the same for every benchmark, whatever it moves.
#pragma once

#include <functional>
#include <vector>

#include "measurement/company.hpp"
#include "measurement/instruments.hpp"
#include "measurement/registered_benchmark.hpp"

namespace tocuda {

using SaySamples = std::function<void(const Samples&)>;

enum class SetsEnded {
    whole,  // every set was said
    lost    // the context: the set at hand was said to have failed, and nothing more can be asked of the GPU in this
            // process
};

// With company, each group of sets is measured while all the others measure it, too.
SetsEnded measure_sets(const Measurable& measurable, const std::vector<Parameters>& sets, const Protocol& protocol,
                       Instruments& instruments, const SaySamples& say, Company* company = nullptr);

}  // namespace tocuda
