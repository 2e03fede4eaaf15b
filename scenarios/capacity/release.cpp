// tocuda, Apache-2.0.
// Drops tensors and empties the cache. Dropping returns memory to LibTorch's cache, not to the system; emptying the
// cache returns segments that are entirely free. A live neighbour keeps its segment, and only dropped tensors are
// freed.
#include <ATen/ATen.h>
#include <ATen/DeviceAccelerator.h>

#include "libtorch/allocator.hpp"
#include "libtorch/attempt.hpp"
#include "worker/registered.hpp"

namespace tocuda::capacity::release {
namespace {

at::Tensor take(std::int64_t mebibytes) {
    return at::empty({mebibytes * mebibyte}, at::dtype(at::kByte).device(at::kCUDA));
}

void figures(Observer& see, const std::string& when) { say(see, when, tocuda::allocator_figures()); }

void observe(Observer& see) {
    say(see, "uninitialised", tocuda::attempt([] { tocuda::empty_cache(); }));
    auto large = take(128);  // stays allocated
    auto small = take(4);    // uses part of a 20 MiB segment
    auto neighbour = take(4);
    auto alone = take(32);
    figures(see, "held");
    alone.reset();
    figures(see, "dropped");
    tocuda::empty_cache();
    figures(see, "emptied");
    small.reset();
    tocuda::empty_cache();
    figures(see, "neighbour_lives");
    neighbour.reset();
    tocuda::empty_cache();
    figures(see, "segment_free");
}

void judge(const Evidence& evidence, Judgement& say) {
    const auto reserved = [&](const std::string& when) { return evidence.integer(when + ".reserved_mib"); };
    const bool kept_in_the_cache = reserved("dropped") == reserved("held");
    const bool returned = reserved("emptied") == reserved("dropped") - 32;
    const bool neighbour_keeps = reserved("neighbour_lives") == reserved("emptied");
    const bool whole_segment = reserved("segment_free") < reserved("neighbour_lives");
    const auto freed = [&](const std::string& before, const std::string& after) {
        return std::to_string(reserved(before) - reserved(after));
    };
    const auto words = "MiB freed: " + freed("held", "dropped") + " by del, " + freed("dropped", "emptied") +
                       " by empty_cache(), " + freed("emptied", "neighbour_lives") + " beside a live tensor";
    if (!returned) say.refuted("000-11", words);
    else if (!neighbour_keeps) say.reproduced("000-11", words);
    else if (kept_in_the_cache && whole_segment) say.partial("000-11", words);
}

const Registered release{{
    .summary = "drop tensors and empty the cache, alone and beside live tensors",
    .observed = "the allocator's reserved memory with tensors held, dropped, after emptying the cache, and beside a "
                "live neighbour",
    .decisive =
        "partly true if dropping keeps memory in the cache, emptying returns whole free segments, and a neighbour "
        "keeps its own",
    .claims = {{"000-11", "del and empty_cache() free the memory"}},
    .variants = {{.name = "default", .expected = {{"000-11", partial}}}},
    .needs = {.gpus = 1, .free_gib = 0.25},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::capacity::release
