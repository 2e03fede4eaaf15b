// tocuda, Apache-2.0.
// Shows fragmentation in twenty lines: one gibibyte is cut into sixteen pieces and every other piece is dropped. Half
// of it is free but 128 MiB is refused. Emptying the cache does not help; dropping the neighbours does, and so do two
// of the allocator's settings.
#include <ATen/ATen.h>

#include <vector>

#include "settings.hpp"

namespace tocuda::fragmentation::interleaved {
namespace {

constexpr int pieces = 16;

void observe(Observer& see) {
    see("setting", setting());
    // Expandable segments grow in steps of 20 MiB, so a gibibyte needs 1040 MiB.
    const bool expandable = see.variant() == "expandable_segments";
    tocuda::cap(see, expandable ? 1045 : 1025);
    take(1024);
    std::vector<at::Tensor> held;
    for (int piece = 0; piece < pieces; ++piece) held.push_back(take(64));
    say_memory(see, "filled");
    for (int piece = 0; piece < pieces; piece += 2) held[static_cast<std::size_t>(piece)].reset();
    say_memory(see, "first.before");
    ask(see, "first", 128);
    say_memory(see, "first.after");
    tocuda::empty_cache();
    say_memory(see, "emptied");
    ask(see, "second", 128);
    held.clear();
    ask(see, "third", 128);
    say_memory(see, "end");
}

void judge_default(const Evidence& evidence, Judgement& say) {
    const auto figures = free_in_words(evidence, "first.before");
    if (!refused(evidence, "first")) {
        say.refuted("002-06", figures + "; 128 MiB granted");
        return;
    }
    // Otherwise this is not fragmentation: too little is free, or a piece would have been large enough.
    if (evidence.integer("first.before.free_mib") < 128 || evidence.integer("first.before.largest_free_mib") >= 128)
        return;
    say.reproduced("002-06", figures + "; 128 MiB refused");
    judge_remedies(evidence, say, 128, "second", "third");
}

void judge_remedy(const Evidence& evidence, Judgement& say) {
    if (evidence.text("setting") == expandable_segments) require_expandable(evidence, "first.before");
    const auto free = evidence.integer("first.before.reserved_mib") - evidence.integer("first.before.allocated_mib");
    const auto under = "under " + evidence.text("setting") + ": ";
    if (refused(evidence, "first")) return say.refuted("002-14", under + "128 MiB is refused, too");
    say.reproduced("002-14", under + std::to_string(free) + " MiB stays pooled and 128 MiB is granted");
}

void judge(const Evidence& evidence, Judgement& say) {
    const auto& setting = evidence.text("setting");
    if (setting == driver_pool) {
        judge_driver_pool(evidence, say, "first");
        return;
    }
    tocuda::require_cap(evidence);
    if (setting.empty() || setting == garbage_collection) judge_default(evidence, say);
    else judge_remedy(evidence, say);
}

const tocuda::Expectations shown{{"002-06", reproduced}, {"002-07", reproduced}, {"002-12", refuted}};

const Registered interleaved{{
    .summary = "cut a gibibyte into sixteen pieces, drop every other one, and request 128 MiB",
    .observed = "the free blocks with every other of sixteen pieces dropped, and whether 128 MiB is granted before and "
                "after each remedy",
    .decisive = "a refusal (OutOfMemoryError) while 512 MiB is free in pieces of 64; a remedy works if the next "
                "request is granted",
    .claims = {{"002-06", "fails although enough is free"},
               {"002-07", "reuse and explicit freeing help"},
               {"002-12", "empty_cache() mitigates fragmentation"},
               {"002-14", "advanced techniques reduce gaps"}},
    .variants = {by_default(shown), under("garbage_collection", garbage_collection, shown),
                 under("max_split_size", max_split_size, {{"002-14", reproduced}}),
                 under("expandable_segments", expandable_segments, {{"002-14", reproduced}}),
                 under("driver_pool", driver_pool, {{"002-14", reproduced}})},
    .needs = {.gpus = 1, .free_gib = 1.1},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::fragmentation::interleaved
