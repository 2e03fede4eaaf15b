// tocuda, Apache-2.0.
// The bench for copies within one GPU, with source and target between guards and every byte checked, and the function
// that registers such a copy.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "measurement/gpu/gpu_facts.hpp"
#include "measurement/registered_benchmark.hpp"
#include "measurement/stream.hpp"

namespace tocuda {

// Queues one copy in the stream.
using Copy = std::function<void(const Stream&, std::byte* to, const std::byte* from)>;

struct CopyWithin {
    // Returns the copy for a parameter set.
    std::function<Copy(const Parameters&, const GpuFacts&)> copy;
    int compute_capability = 0;
    // Returns why a set is skipped, or "".
    std::function<std::string(const Parameters&, const GpuFacts&)> why_skipped{};
    // Offset of the source from a multiple of 128; the target has none.
    std::function<std::size_t(const Parameters&)> offset{};
    std::function<std::vector<std::string>(const Parameters&, const GpuFacts&)> flags{};
};

std::unique_ptr<Bench> copy_bench(const std::vector<Parameters>& sets, const CopyWithin& within);

// Sizes of the benchmarks with performance targets (1 MiB, 64 MiB, 1 GiB, 4 GiB), of all others (64 MiB, 1 GiB), of a
// full measurement, and of tuning.
Values headline_bytes();
Values default_bytes();
Values full_bytes();
Values tuning_bytes();

// Describes a copy with these parameters in addition to `bytes`; a quick measurement omits it.
Measurable copy_within_one_gpu(std::string name, std::string summary, std::map<std::string, Values> parameters,
                               std::map<std::string, Values> full, CopyWithin within);

}  // namespace tocuda
