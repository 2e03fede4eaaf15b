// tocuda, Apache-2.0.
// The bench of every copy within one GPU: source and target between guards, every byte checked; and how such a copy is
// registered.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "measurement/gpu/gpu_facts.hpp"
#include "measurement/registered_benchmark.hpp"
#include "measurement/stream.hpp"

namespace tocuda {

// Puts one copy into the stream.
using Copy = std::function<void(const Stream&, std::byte* to, const std::byte* from)>;

struct CopyWithin {
    // What one parameter set copies: so many bytes.
    std::function<Copy(const Parameters&, const GpuFacts&)> copy;
    int compute_capability = 0;
    // What else a set needs and does not find; empty where it has it.
    std::function<std::string(const Parameters&, const GpuFacts&)> why_skipped{};
    // Where the source stands: bytes past a multiple of 128. The target stands at one.
    std::function<std::size_t(const Parameters&)> offset{};
    std::function<std::vector<std::string>(const Parameters&, const GpuFacts&)> flags{};
};

std::unique_ptr<Bench> copy_bench(const std::vector<Parameters>& sets, const CopyWithin& within);

// Of what targets are judged by: 1 MiB, 64 MiB, 1 GiB, 4 GiB. Of everything else: 64 MiB, 1 GiB. And of a full
// measurement.
Values headline_bytes();
Values default_bytes();
Values full_bytes();
Values tuning_bytes();

// Registers a copy with these parameters beside `bytes`; a quick measurement leaves it out.
Measurable copy_within_one_gpu(std::string name, std::string summary, std::map<std::string, Values> parameters,
                               std::map<std::string, Values> full, CopyWithin within);

}  // namespace tocuda
