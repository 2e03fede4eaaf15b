// tocuda, Apache-2.0.
// Compares the free-memory figure before a large move with what is then granted. The figure does not count what
// LibTorch keeps cached and ignores a limit set on LibTorch: right if nothing is cached, wrong in both directions
// otherwise. Only the attempt and its exception are always right.
#include <ATen/ATen.h>
#include <ATen/DeviceAccelerator.h>

#include "libtorch/allocator.hpp"
#include "libtorch/attempt.hpp"
#include "libtorch/cuda_runtime.hpp"
#include "worker/registered.hpp"

namespace tocuda::capacity::ask_before_moving {
namespace {

at::Tensor take(std::int64_t bytes) { return at::empty({bytes}, at::dtype(at::kByte).device(at::kCUDA)); }

std::int64_t free_bytes() {
    return static_cast<std::int64_t>(at::getDeviceAllocator(at::kCUDA)->getMemoryInfo(0).first);
}

// Records whether the free memory suffices for a request, and what the request then does.
void compare(Observer& see, const std::string& name, std::int64_t bytes) {
    see(name + ".check_says_yes", bytes <= free_bytes());
    at::Tensor taken;
    say(see, name, tocuda::attempt([&] { taken = take(bytes); }));
    if (taken.defined()) return;
    see(name + ".request_mib", bytes / mebibyte);
    see(name + ".free_afterwards_mib", free_bytes() / mebibyte);
}

void observe(Observer& see) {
    take(1);
    tocuda::empty_cache();
    const bool integrated = tocuda::attribute(tocuda::Attribute::integrated).value_or(0) != 0;
    see("integrated", integrated);
    if (integrated) return;  // half of its memory is half of the host's
    const auto free = free_bytes();
    compare(see, "half", free / 2);
    tocuda::empty_cache();
    compare(see, "more_than_there_is", free + 64 * mebibyte);
    take(free / 10 * 7);  // dropped at once, so cached
    compare(see, "cached", free / 10 * 6);
    tocuda::empty_cache();
    tocuda::cap(see, 64);
    compare(see, "limited", 128 * mebibyte);
}

bool right(const Evidence& evidence, const std::string& name) {
    const bool threw = evidence.flag(name + ".threw");
    const bool yes = evidence.flag(name + ".check_says_yes");
    if (threw && !tocuda::threw_out_of_memory(evidence, name))
        throw tocuda::Undecided("a request failed for a reason other than memory: " + evidence.text(name + ".type"));
    if (yes && threw && evidence.integer(name + ".free_afterwards_mib") < evidence.integer(name + ".request_mib"))
        throw tocuda::Undecided("other programs took memory meanwhile");
    return yes != threw;
}

void judge(const Evidence& evidence, Judgement& say) {
    if (evidence.flag("integrated")) throw tocuda::Undecided("the GPU's memory is the host's");
    tocuda::require_cap(evidence);
    // Some drivers move memory to the host or take back what the host has cached.
    if (!evidence.flag("more_than_there_is.threw"))
        throw tocuda::Undecided("the driver grants more than it says is free");
    const bool plain = right(evidence, "half") && right(evidence, "more_than_there_is");
    const bool cached = right(evidence, "cached");
    const bool limited = right(evidence, "limited");
    if (plain && cached && limited) say.reproduced("000-09", "the free-memory figure was right for all 4 requests");
    else if (plain)
        say.partial("000-09", std::string("the free-memory figure was wrong") +
                                  (cached ? "" : " for a cached request") + (cached || limited ? "" : " and") +
                                  (limited ? "" : " for a capped one"));
    else say.refuted("000-09", "the free-memory figure was wrong with nothing cached");
}

const Registered ask_before_moving{{
    .summary = "compare the free memory with what is then granted",
    .observed = "the driver's free-memory figure before each of four requests (half of it, too much, cached, capped), "
                "and whether each is granted",
    .decisive = "whether the figure predicts each request; right for the two plain requests but wrong for another is "
                "partly true",
    .claims = {{"000-09", "free memory tells if a move fits"}},
    .variants = {{.name = "default", .simulate = "1x1GiB", .expected = {{"000-09", partial}}}},
    .needs = {.gpus = 1, .free_gib = 0.5},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::capacity::ask_before_moving
