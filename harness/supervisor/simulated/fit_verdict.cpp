// tocuda, Apache-2.0.
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>

#include "simulated/fit_program.hpp"
#include "simulated/fitting.hpp"

namespace tocuda {
namespace {

const std::string* reason_of(const FitNeed& need, std::string_view beginning) {
    const auto found =
        std::ranges::find_if(need.not_known, [&](const std::string& each) { return each.starts_with(beginning); });
    return found == need.not_known.end() ? nullptr : &*found;
}

// Where the program itself, or a replay, contradicts the smallest memory.
std::string why_brink_is_open(const FitGpu& gpu, const FitNeed& need) {
    const auto& brink = need.brink.at(0);
    if (brink.ended_otherwise) return "with less memory the program ended with an error, but not for lack of it";
    if (gpu.verdict == "fits") return {};
    if (brink.went_on) return "the program ran out of memory and continued";
    if (brink.basis == "guessed") return "the smallest memory is a guess";
    if (gpu.verdict == "not") {
        const bool ran_below = brink.basis == "ran" && !brink.failed_at_bytes;
        return ran_below ? "the program ran with less memory than the replay needed" : "";
    }
    if (gpu.memory_bytes - need.outside.bytes <= brink.fails_above_bytes)
        return "a replay failed with more memory than the smallest that survived";
    return brink.basis == "more than" ? "the program failed where the replay did not" : "";
}

// cuDNN works at most on copies in another layout of what is live, and where memory is short LibTorch chooses another
// of its ways that needs less.
bool has_room_for_cudnn(const FitGpu& gpu, const FitNeed& need) {
    return gpu.verdict == "fits" && gpu.left_bytes >= need.peak.allocated_bytes;
}

// What a GPU does otherwise can only take more (then NOT stands), can only take less, or can go either way.
std::string why_open(const FitGpu& gpu, const FitNeed& need, bool ran_there) {
    for (const auto* either_way : {of_kernels, of_sizes})
        if (const auto* reason = reason_of(need, either_way)) return *reason;
    if (const auto* reason = reason_of(need, of_cudnn); reason && !has_room_for_cudnn(gpu, need)) return *reason;
    if (const auto* more = reason_of(need, of_collectives); more && gpu.verdict != "not") return *more;
    if (const auto* less = reason_of(need, of_sums); less && (gpu.verdict != "fits" || need.asks)) return *less;
    if (const auto* less = reason_of(need, of_compile); less && gpu.verdict != "fits") return *less;
    if (auto why = ran_there ? "" : why_brink_is_open(gpu, need); !why.empty()) return why;
    if (gpu.basis != failed_there && std::abs(gpu.left_bytes) < need.outside.uncertain_bytes)
        return "too close: what lies outside LibTorch is an estimate; --outside gives the real figure";
    return {};
}

FitGpu by_memory(const FitTarget& target, const FitNeed& need) {
    const auto& first = target.machine.gpus.at(0);
    FitGpu gpu{.name = target.name, .memory_bytes = first.memory_bytes - first.occupied_bytes};
    for (const auto& each : target.machine.gpus)
        gpu.memory_bytes = std::min(gpu.memory_bytes, each.memory_bytes - each.occupied_bytes);
    const auto& brink = need.brink.at(0);
    gpu.basis = brink.basis;
    gpu.left_bytes = gpu.memory_bytes - need.comfortable_bytes;
    gpu.verdict = "fits";
    // The brink is above what is comfortable if the program takes a part only of what there is.
    if (const auto left = gpu.memory_bytes - need.outside.bytes - brink.bytes; std::min(gpu.left_bytes, left) < 0) {
        gpu.verdict = left < 0 ? "not" : "tight";
        gpu.left_bytes = left;
    }
    return gpu;
}

// Where the brink was shown by two runs and the own run agrees, what follows from them says more: by how much.
void set_by_own_run(const FitOwnRun& own, const FitNeed& need, FitGpu& gpu) {
    const auto& brink = need.brink.at(0);
    const bool is_shown = brink.basis == "ran" && brink.failed_at_bytes && !brink.went_on && !brink.ended_otherwise;
    const bool fits_by_both = own.survived && is_shown && gpu.verdict == "fits";
    // The margin is that of a run with plenty, in which a program that asks may have taken more or less.
    if (fits_by_both && (!need.asks || gpu.left_bytes == own.left_bytes)) return;
    if (own.survived ? gpu.verdict == "tight" : is_shown && gpu.verdict == "not") return;
    gpu.verdict = own.survived ? "fits" : "not";
    gpu.basis = own.survived ? ran_there : failed_there;
    gpu.left_bytes = own.survived ? own.left_bytes : std::min<std::int64_t>(gpu.left_bytes, 0);
}

}  // namespace

bool wants_own_run(const FitTarget& target, const FitNeed& need) {
    if (reason_of(need, of_sums)) return false;  // simulated GPUs count the memory of each process apart
    const auto gpu = by_memory(target, need);
    return need.asks || gpu.verdict == "not" || need.brink.at(0).basis == "more than" ||
           !why_brink_is_open(gpu, need).empty();
}

FitGpu judged(const FitTarget& target, const FitNeed& need, const std::optional<FitOwnRun>& own) {
    auto gpu = by_memory(target, need);
    if (own && (own->survived || own->ran_out_of_memory)) set_by_own_run(*own, need, gpu);
    if (own && !own->survived && own->code == 0) {
        gpu.basis = went_on_there;
        gpu.because = "the program ran out of memory there and continued";
    } else if (own && !own->survived && !own->ran_out_of_memory) {
        gpu.because = "on this GPU, with its own memory, the program " + ended_words(own->code);
    } else {
        gpu.because = why_open(gpu, need, own.has_value());
    }
    if (!gpu.because.empty()) gpu.verdict = "open";
    return gpu;
}

}  // namespace tocuda
