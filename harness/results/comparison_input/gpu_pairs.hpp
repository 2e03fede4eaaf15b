// tocuda, Apache-2.0.
// Pairs the GPUs of two sides: the same GPU or, if each side holds a single GPU of a model, these two. Against a
// recording of what is normal each GPU of the model is paired with the recorded one. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "comparison_input/attribution.hpp"
#include "comparison_input/gathering.hpp"
#include "model/change_report.hpp"

namespace tocuda {

struct GpuPair {
    GpuIdentity before{};
    GpuIdentity after{};
};

struct GpuPairs {
    std::vector<GpuPair> pairs{};
    std::map<GpuIdentity, int> before{};  // number of each GPU's pair
    std::map<GpuIdentity, int> after{};
    std::string alone_before{};  // GPUs without a counterpart, for display: "NVIDIA H200 (GPU-70c0da00...)"
    std::string alone_after{};

    int number_before(const GpuIdentity& gpu) const;  // -1: no counterpart
    int number_after(const GpuIdentity& gpu) const;
};

// Pairs the GPUs that were measured or, if none was, all GPUs in the run lines.
GpuPairs pair_gpus(const RowNames& names, std::span<const GatheredSection> before,
                   std::span<const GatheredSection> after, bool against_recorded = false);

// Collects what a side's sections record, including the compared GPUs; of those sections for which `counts` is true.
SideFields side_fields(std::span<const GatheredSection> sections, const std::map<GpuIdentity, int>& gpus,
                       const std::function<bool(std::uint32_t)>& counts);

const Gpu* find_gpu(const RunLine& run, const GpuIdentity& identity);

Cohort cohort_of(const RunLine& run, const GpuIdentity& gpu);

}  // namespace tocuda
