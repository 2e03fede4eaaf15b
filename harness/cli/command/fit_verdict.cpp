// tocuda, Apache-2.0.
#include "command/fit_verdict.hpp"

#include <algorithm>
#include <cstdlib>

namespace tocuda {
namespace {

const std::string* reason_of(const FitNeed& need, std::string_view beginning) {
    const auto found =
        std::ranges::find_if(need.not_known, [&](const std::string& each) { return each.starts_with(beginning); });
    return found == need.not_known.end() ? nullptr : &*found;
}

// What a GPU does otherwise can only take more (then NOT stands), or can go either way.
std::string why_open(const FitGpu& gpu, const FitNeed& need) {
    for (const auto* either_way : {of_cudnn, of_kernels})
        if (const auto* reason = reason_of(need, either_way)) return *reason;
    if (const auto* more = reason_of(need, of_collectives); more && gpu.verdict != "not") return *more;
    if (gpu.verdict != "tight" && std::abs(gpu.left_bytes) < need.outside.uncertain_bytes)
        return "it depends on what lies outside LibTorch, which is an estimate: --outside sets it";
    if (gpu.verdict != "fits" && need.brink.at(0).basis == "guessed") return "the smallest memory is a guess";
    return {};
}

}  // namespace

FitGpu judged(const FitTarget& target, const FitNeed& need) {
    const auto& first = target.machine.gpus.at(0);
    FitGpu gpu{.name = target.name, .memory_bytes = first.memory_bytes - first.occupied_bytes};
    for (const auto& each : target.machine.gpus)
        gpu.memory_bytes = std::min(gpu.memory_bytes, each.memory_bytes - each.occupied_bytes);
    const auto& brink = need.brink.at(0);
    gpu.basis = brink.basis;
    gpu.left_bytes = gpu.memory_bytes - need.comfortable_bytes;
    gpu.verdict = "fits";
    if (const auto left = gpu.memory_bytes - need.outside.bytes - brink.bytes; gpu.left_bytes < 0) {
        gpu.verdict = left < 0 ? "not" : "tight";
        gpu.left_bytes = left;
    }
    gpu.because = why_open(gpu, need);
    if (!gpu.because.empty()) gpu.verdict = "open";
    return gpu;
}

}  // namespace tocuda
