// tocuda, Apache-2.0.
// The control: the same sizes and drops, once as separate segments and once cut out of one. Only the cut ones leave
// unusable gaps; whole segments return to the device without emptying the cache.
#include <ATen/ATen.h>

#include <vector>

#include "libtorch/known_differences.hpp"
#include "settings.hpp"

namespace tocuda::fragmentation::unsplit_control {
namespace {

constexpr int pieces = 64;

// Allocates 64 times 16 MiB, drops every other one, and requests 128 MiB, again after each remedy.
void fill_and_ask(Observer& see, const std::string& name) {
    std::vector<at::Tensor> held;
    for (int piece = 0; piece < pieces; ++piece) held.push_back(take(16));
    for (int piece = 0; piece < pieces; piece += 2) held[static_cast<std::size_t>(piece)].reset();
    say_memory(see, name + ".before");
    ask(see, name, 128);
    say_memory(see, name + ".after");
    tocuda::empty_cache();
    ask(see, name + ".emptied", 128);
    held.clear();
    ask(see, name + ".dropped", 128);
}

void observe(Observer& see) {
    see("setting", setting());
    const bool expandable = see.variant() == "expandable_segments";
    tocuda::cap(see, expandable ? 1045 : 1025);
    fill_and_ask(see, "whole");
    tocuda::empty_cache();
    take(1024);
    fill_and_ask(see, "cut");
}

bool fragmented(const Evidence& evidence, const std::string& name) {
    return refused(evidence, name) && evidence.integer(name + ".before.free_mib") >= 128 &&
           evidence.integer(name + ".before.largest_free_mib") < 128;
}

void judge_native(const Evidence& evidence, Judgement& say) {
    if (evidence.text("setting") == expandable_segments) require_expandable(evidence, "cut.before");
    const bool whole = fragmented(evidence, "whole");
    const bool cut = fragmented(evidence, "cut");
    if (refused(evidence, "whole") != whole || refused(evidence, "cut") != cut) return;
    const auto answer = [](bool gaps) { return std::string(gaps ? "refused" : "granted"); };
    say("002-05", whole || cut ? reproduced : refuted,
        "128 MiB after dropping whole segments: " + answer(whole) + "; parts of one: " + answer(cut));
    const std::string name = whole && !cut ? "whole" : "cut";
    say("002-06", whole || cut ? reproduced : refuted,
        free_in_words(evidence, name + ".before") + "; 128 MiB " + answer(whole || cut));
    if (whole || cut) judge_remedies(evidence, say, 128, name + ".emptied", name + ".dropped");
}

void judge_remedy(const Evidence& evidence, Judgement& say) {
    const auto under = "under " + evidence.text("setting") + ": ";
    if (refused(evidence, "whole") || refused(evidence, "cut"))
        say.refuted("002-14", under + "128 MiB is refused, too");
    else say.reproduced("002-14", under + "128 MiB is granted, whatever was dropped");
}

void judge(const Evidence& evidence, Judgement& say) {
    const auto& setting = evidence.text("setting");
    if (setting == driver_pool) {
        judge_driver_pool(evidence, say, "cut");
        return;
    }
    tocuda::require_cap(evidence);
    if (setting == max_split_size) judge_remedy(evidence, say);
    else judge_native(evidence, say);
}

const tocuda::Expectations gaps{
    {"002-05", reproduced}, {"002-06", reproduced}, {"002-07", reproduced}, {"002-12", refuted}};

const Registered unsplit_control{{
    .summary = "drop every other one of 64 tensors, as separate segments and cut out of one",
    .observed = "the free blocks with half of 64 tensors dropped, as separate segments and cut out of one, and whether "
                "128 MiB is granted",
    .decisive = "a refusal (OutOfMemoryError) with enough free memory, of whole segments or of pieces cut out of one",
    .claims = {{"002-05", "frequent allocation can leave gaps"},
               {"002-06", "fails although enough is free"},
               {"002-07", "reuse and explicit freeing help"},
               {"002-12", "empty_cache() mitigates fragmentation"},
               {"002-14", "advanced techniques reduce gaps"}},
    .variants = {by_default(gaps), under("garbage_collection", garbage_collection, gaps),
                 under("max_split_size", max_split_size, {{"002-14", reproduced}}),
                 under("expandable_segments", expandable_segments,
                       {{"002-06", reproduced}, {"002-07", reproduced}, {"002-12", refuted}}),
                 under("driver_pool", driver_pool, {{"002-14", reproduced}})},
    .needs = {.gpus = 1, .free_gib = 1.1},
    .differs = {tocuda::advice_of_expandable_segments("whole"), tocuda::advice_of_expandable_segments("whole.emptied"),
                tocuda::advice_of_expandable_segments("cut"), tocuda::advice_of_expandable_segments("cut.emptied")},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::fragmentation::unsplit_control
