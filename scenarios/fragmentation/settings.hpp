// tocuda, Apache-2.0.
// The allocator settings under which fragmentation is tried, each in its own variant because settings are read once;
// and helpers for the judges.
#pragma once

#include <ATen/ATen.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

#include "libtorch/allocator.hpp"
#include "libtorch/attempt.hpp"
#include "libtorch/cuda_runtime.hpp"
#include "worker/registered.hpp"

namespace tocuda::fragmentation {

inline constexpr auto variable = "PYTORCH_ALLOC_CONF";
inline constexpr auto max_split_size = "max_split_size_mb:20";
inline constexpr auto garbage_collection = "garbage_collection_threshold:0.5";
inline constexpr auto expandable_segments = "expandable_segments:True";
inline constexpr auto driver_pool = "backend:cudaMallocAsync";

// Unsets what the user may have set for other programs.
inline Variant by_default(Expectations expected) {
    return {.name = "default",
            .environment = {{variable, std::nullopt}, {"PYTORCH_CUDA_ALLOC_CONF", std::nullopt}},
            .expected = std::move(expected)};
}
inline Variant under(const std::string& name, const std::string& setting, Expectations expected) {
    return {.name = name, .environment = {{variable, setting}}, .expected = std::move(expected)};
}

inline std::string setting() {
    const char* value = std::getenv(variable);
    return value ? value : "";
}

inline at::Tensor take(std::int64_t mebibytes) {
    return at::empty({mebibytes * mebibyte}, at::dtype(at::kByte).device(at::kCUDA));
}

// What the driver's pool holds. A cap on LibTorch counts only what tensors use of it, so it binds no request here.
inline void say_pool(Observer& see, const std::string& name) {
    const auto pool = driver_pool_figures();
    see(name + ".pool.known", pool.has_value());
    if (!pool) return;
    see(name + ".pool.reserved_mib", pool->reserved_bytes / mebibyte);
    see(name + ".pool.used_mib", pool->used_bytes / mebibyte);
    see(name + ".pool.keeps_all", pool->keeps_all);
}

// Record the allocator's figures and free blocks, and whether a request is granted at this point (it is dropped again).
inline void say_memory(Observer& see, const std::string& name) {
    say(see, name, allocator_figures());
    say(see, name, free_blocks());
    if (setting() == driver_pool) say_pool(see, name);
}
inline void ask(Observer& see, const std::string& name, std::int64_t mebibytes) {
    say(see, name, attempt([&] { take(mebibytes); }));
}

// For judges. A request that failed for a reason other than memory says nothing about memory.
inline bool refused(const Evidence& evidence, const std::string& name) {
    if (!evidence.flag(name + ".threw")) return false;
    if (evidence.text(name + ".type") != "c10::OutOfMemoryError")
        throw Undecided("a request failed for a reason other than memory: " + evidence.text(name + ".type"));
    return true;
}
// Where the driver lacks what expandable segments need, LibTorch ignores the setting.
inline void require_expandable(const Evidence& evidence, const std::string& name) {
    if (!evidence.flag(name + ".expandable")) throw Undecided("the allocator has made no expandable segment");
}
// The driver decides how its pool places memory; the simulator does not model that.
inline void require_real_driver(const Evidence& evidence) {
    if (evidence.device != Device::real)
        throw Undecided("the driver's own pool decides this, and no real driver was used");
}

// "512 MiB free in 8 pieces up to 64 MiB"
inline std::string free_in_words(const Evidence& evidence, const std::string& name) {
    return std::to_string(evidence.integer(name + ".free_mib")) + " MiB free in " +
           std::to_string(evidence.integer(name + ".free_blocks")) + " pieces up to " +
           std::to_string(evidence.integer(name + ".largest_free_mib")) + " MiB";
}

// Judges the remedies of fragmentation, once a request was refused: the same one after emptying the cache, and after
// dropping the tensors between the gaps.
inline void judge_remedies(const Evidence& evidence, Judgement& say, std::int64_t mebibytes, const std::string& emptied,
                           const std::string& dropped) {
    const auto request = std::to_string(mebibytes) + " MiB is ";
    if (refused(evidence, emptied)) say.refuted("002-12", request + "refused before and after emptying the cache");
    else say.reproduced("002-12", request + "refused, but granted after emptying the cache");
    if (refused(evidence, dropped)) say.refuted("002-07", request + "refused even after the neighbours are dropped");
    else say.reproduced("002-07", request + "refused, but granted after the neighbours are dropped");
}

// Judges claim 002-14 with the driver's pool in place of PyTorch's: NAME.before and NAME.after hold the figures around
// the request NAME.
inline void judge_driver_pool(const Evidence& evidence, Judgement& say, const std::string& name) {
    require_real_driver(evidence);
    if (refused(evidence, name)) {
        say.refuted("002-14", "the driver's pool refuses the request, too");
        return;
    }
    const auto before = evidence.integer(name + ".before.reserved_mib");
    const auto after = evidence.integer(name + ".after.reserved_mib");
    if (after > before)
        say.inconclusive("002-14", "the driver's pool grew from " + std::to_string(before) + " to " +
                                       std::to_string(after) + " MiB, so its gaps were not needed");
    else say.reproduced("002-14", "the driver's pool fills its gaps within " + std::to_string(after) + " MiB");
}

}  // namespace tocuda::fragmentation
