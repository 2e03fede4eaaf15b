// tocuda, Apache-2.0.
// Shows fragmentation in twenty lines: one gibibyte is cut into sixteen pieces and every other piece is dropped. Half
// of it is free but 128 MiB is refused. Emptying the cache does not help; dropping the neighbours does, and so do two
// of the allocator's settings.
#include <ATen/ATen.h>

#include <vector>

#include "settings.hpp"

namespace settings = tocuda::fragmentation;

namespace tocuda::fragmentation::interleaved {
namespace {

constexpr auto partial = tocuda::Verdict::partial;
constexpr auto refuted = tocuda::Verdict::refuted;
constexpr auto reproduced = tocuda::Verdict::reproduced;
constexpr int pieces = 16;

void observe(Observer& see) {
    see("setting", settings::setting());
    // Expandable segments grow in steps of 20 MiB, so a gibibyte needs 1040 MiB.
    const bool expandable = see.variant() == "expandable_segments";
    see("cap", tocuda::cap_memory((expandable ? 1045 : 1025) * mebibyte));
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
    const auto figures = settings::free_in_words(evidence, "first.before");
    if (!refused(evidence, "first")) {
        say.refuted("002-06", figures + ", and 128 MiB is granted");
        say.reproduced("002-13", "these twenty lines do not show it: 128 MiB is granted");
        return;
    }
    // Otherwise this is not fragmentation: too little is free, or a piece would have been large enough.
    if (evidence.integer("first.before.free_mib") < 128 || evidence.integer("first.before.largest_free_mib") >= 128)
        return;
    say.reproduced("002-06", figures + ", and 128 MiB is refused");
    say.refuted("002-13", "twenty lines show it: " + figures + ", and 128 MiB is refused");
    const auto kept = std::to_string(evidence.integer("emptied.reserved_mib")) + " MiB stays reserved";
    if (refused(evidence, "second"))
        say.refuted("002-12",
                    "128 MiB is refused again after emptying the cache: " + kept + " because no whole segment is free");
    else say.reproduced("002-12", "128 MiB is granted after emptying the cache");
    if (refused(evidence, "third")) say.refuted("002-07", "128 MiB is refused even after the neighbours are dropped");
    else say.reproduced("002-07", "128 MiB is granted after the neighbours are dropped, which joins the pieces");
}

void judge_remedy(const Evidence& evidence, Judgement& say) {
    const auto free = evidence.integer("first.before.reserved_mib") - evidence.integer("first.before.allocated_mib");
    if (refused(evidence, "first")) say.reproduced("002-14", "128 MiB is refused with this setting as without it");
    else if (free > 0)
        say.partial("002-14",
                    "no custom allocator is needed: PyTorch's is already a pool (" + std::to_string(free) +
                        " MiB of dropped memory stays in it), and with this setting it grants 128 MiB at once");
    else say.refuted("002-14", "128 MiB is granted, and no dropped memory had stayed in a pool");
}

void judge(const Evidence& evidence, Judgement& say) {
    const auto& setting = evidence.text("setting");
    if (setting == settings::driver_pool) {
        settings::judge_driver_pool(evidence, say, "first");
        return;
    }
    settings::require_cap(evidence);
    if (setting.empty() || setting == settings::garbage_collection) judge_default(evidence, say);
    else judge_remedy(evidence, say);
}

const tocuda::Expectations shown{
    {"002-06", reproduced}, {"002-07", reproduced}, {"002-12", refuted}, {"002-13", refuted}};

const Registered interleaved{{
    .summary = "cut a gibibyte into sixteen pieces, drop every other one, and request 128 MiB",
    .observed = "the free blocks with every other of sixteen pieces dropped, and whether 128 MiB is granted before and "
                "after each remedy",
    .decisive = "a refusal (OutOfMemoryError) while 512 MiB is free in pieces of 64; a remedy works if the next "
                "request is granted",
    .claims = {{"002-06", "a large tensor fails although enough memory is free in total"},
               {"002-07", "reusing and explicitly freeing tensors mitigates fragmentation"},
               {"002-12", "empty_cache() mitigates fragmentation"},
               {"002-13", "real fragmentation is hard to show in a short example"},
               {"002-14", "fragmentation needs custom allocators or pooling"}},
    .variants = {settings::by_default(shown), under("garbage_collection", settings::garbage_collection, shown),
                 under("max_split_size", settings::max_split_size, {{"002-14", partial}}),
                 under("expandable_segments", settings::expandable_segments, {{"002-14", partial}}),
                 under("driver_pool", settings::driver_pool, {{"002-14", partial}})},
    .needs = {.gpus = 1, .free_gib = 1.1},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::fragmentation::interleaved
