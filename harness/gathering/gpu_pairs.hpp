// tocuda, Apache-2.0.
// Which GPU of one side is compared with which of the other: the same one, or, where each side holds a single GPU of a model, these two. Pure.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "gathering/attribution.hpp"
#include "gathering/gathering.hpp"
#include "model/cohort.hpp"

namespace tocuda {

struct GpuPair {
    GpuIdentity before{};
    GpuIdentity after{};
};

struct GpuPairs {
    std::vector<GpuPair> pairs{};
    std::map<GpuIdentity, int> before{};  // the number of each one's pair
    std::map<GpuIdentity, int> after{};
    std::string alone_before{};  // those without a counterpart, for people: "NVIDIA H200 (GPU-70c0da00...)"
    std::string alone_after{};

    int number_before(const GpuIdentity& gpu) const;  // -1: it has no counterpart
    int number_after(const GpuIdentity& gpu) const;
};

// Of the GPUs that something was measured on; where nothing was measured on any, of all that the run lines name.
GpuPairs pair_gpus(const RowNames& names, std::span<const GatheredSection> before, std::span<const GatheredSection> after);

// What the sections of a side say of what is recorded, and of the GPUs that are compared.
SideFields side_fields(std::span<const GatheredSection> sections, const std::map<GpuIdentity, int>& gpus);

const Gpu* find_gpu(const RunLine& run, const GpuIdentity& identity);

Cohort cohort_of(const RunLine& run, const GpuIdentity& gpu);

}  // namespace tocuda
