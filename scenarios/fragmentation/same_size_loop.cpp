// tocuda, Apache-2.0.
// The documents' own loop: 4 MiB made and dropped a hundred times. It leaves nothing split under any setting and mostly
// reuses one segment.
#include <ATen/ATen.h>

#include "settings.hpp"

namespace tocuda::fragmentation::same_size_loop {
namespace {

constexpr int turns = 100;

void observe(Observer& see) {
    see("setting", setting());
    // Room for one segment of the loop and the large tensor, and no more.
    tocuda::cap(see, 421);
    for (int turn = 0; turn < turns; ++turn) take(4);
    say_memory(see, "loop");
    ask(see, "large", 400);
    say_memory(see, "after");
}

void judge(const Evidence& evidence, Judgement& say) {
    tocuda::require_cap(evidence);
    const auto split = evidence.integer("loop.inactive_split_mib");
    const auto because = std::to_string(turns) + " times 4 MiB reserve " +
                         std::to_string(evidence.integer("loop.reserved_mib")) + " MiB, " + std::to_string(split) +
                         " MiB split; 400 ";
    const bool large_refused = refused(evidence, "large");
    if (large_refused && split > 0) say.reproduced("002-E2", because + "is refused (limit 421 MiB)");
    if (!large_refused && split == 0) say.refuted("002-E2", because + "is granted (limit 421 MiB)");
}

const Registered same_size_loop{{
    .summary = "allocate and drop 4 MiB a hundred times, then request 400 MiB",
    .observed = "the allocator's figures after allocating 4 MiB a hundred times, and whether 400 MiB is granted",
    .decisive = "nothing split and the request granted (unused segments may be returned for it) make it false; split "
                "blocks and a "
                "refusal make it true",
    .claims = {{"002-E2", "a loop of allocations fragments memory"}},
    .variants = {by_default({{"002-E2", refuted}}),
                 under("garbage_collection", garbage_collection, {{"002-E2", refuted}}),
                 under("max_split_size", max_split_size, {{"002-E2", refuted}}),
                 under("expandable_segments", expandable_segments, {{"002-E2", refuted}})},
    .needs = {.gpus = 1, .free_gib = 0.5},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::fragmentation::same_size_loop
