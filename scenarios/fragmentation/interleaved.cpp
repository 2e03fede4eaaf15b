// tocuda, Apache-2.0.
// Fragmentation in twenty lines: one gibibyte is cut into sixteen, every other piece is dropped. Half of it is free and 128 MiB are refused;
// emptying the cache does not help, dropping the neighbours does, and so does one setting of the allocator.
#include <ATen/ATen.h>

#include <vector>

#include "libtorch/allocator.hpp"
#include "libtorch/attempt.hpp"
#include "worker/registered.hpp"

using tocuda::Evidence;
using tocuda::Judgement;
using tocuda::Observer;
using tocuda::Registered;
using tocuda::Variant;

namespace {

constexpr auto partial = tocuda::Verdict::partial;
constexpr auto refuted = tocuda::Verdict::refuted;
constexpr auto reproduced = tocuda::Verdict::reproduced;
constexpr std::int64_t mebibyte = std::int64_t{1} << 20;
constexpr int pieces = 16;

at::Tensor take(std::int64_t mebibytes) { return at::empty({mebibytes * mebibyte}, at::dtype(at::kByte).device(at::kCUDA)); }

void observe(Observer& see) {
    // Expandable segments grow in steps of 20 MiB, so that a gibibyte needs 1040.
    const bool expandable = see.variant() == "expandable_segments";
    see("cap", tocuda::cap_memory((expandable ? 1045 : 1025) * mebibyte));
    take(1024);
    std::vector<at::Tensor> held;
    for (int piece = 0; piece < pieces; ++piece) held.push_back(take(64));
    say(see, "filled", tocuda::allocator_figures());
    for (int piece = 0; piece < pieces; piece += 2) held[static_cast<std::size_t>(piece)].reset();
    say(see, "holes", tocuda::allocator_figures());
    at::Tensor large;
    say(see, "first", tocuda::attempt([&] { large = take(128); }));
    large.reset();
    tocuda::empty_cache();
    say(see, "emptied", tocuda::allocator_figures());
    say(see, "second", tocuda::attempt([&] { large = take(128); }));
    large.reset();
    held.clear();
    say(see, "third", tocuda::attempt([&] { large = take(128); }));
    say(see, "end", tocuda::allocator_figures());
}

void judge_default(const Evidence& evidence, Judgement& say) {
    const auto free = evidence.integer("holes.reserved_mib") - evidence.integer("holes.allocated_mib");
    const auto figures = std::to_string(free) + " MiB are reserved and free, " + std::to_string(evidence.integer("holes.inactive_split_mib")) + " of them split";
    if (!evidence.flag("first.threw")) {
        say.refuted("002-06", figures + ", and 128 MiB are granted");
        return;
    }
    if (evidence.text("first.type") != "c10::OutOfMemoryError" || free < 128) return;
    say.reproduced("002-06", figures + ", and 128 MiB are refused");
    say.refuted("002-13", "twenty lines show it: " + figures + ", and 128 MiB are refused");
    if (evidence.flag("second.threw")) say.refuted("002-12", "refused again after emptying the cache: " + std::to_string(evidence.integer("emptied.reserved_mib")) + " MiB stay reserved");
    else say.reproduced("002-12", "granted after emptying the cache");
    if (!evidence.flag("third.threw")) say.reproduced("002-07", "granted once the neighbours are dropped");
}

void judge_setting(const Evidence& evidence, Judgement& say) {
    if (evidence.flag("first.threw")) say.partial("002-14", "this setting does not help: 128 MiB are refused as without it");
    else say.partial("002-14", "no allocator of one's own is needed: with this setting of PyTorch's pooling allocator 128 MiB are granted at once");
}

void judge(const Evidence& evidence, Judgement& say) {
    if (const auto& cap = evidence.text("cap"); !cap.empty()) throw tocuda::Undecided("no cap on the memory: " + cap);
    const auto& setting = evidence.text("setting");
    if (setting.empty()) judge_default(evidence, say);
    else judge_setting(evidence, say);
}

void observe_with_setting(Observer& see) {
    const char* setting = std::getenv("PYTORCH_ALLOC_CONF");
    see("setting", setting ? setting : "");
    observe(see);
}

Variant under(const std::string& name, const std::string& setting) {
    return {.name = name, .environment = {{"PYTORCH_ALLOC_CONF", setting}}, .expected = {{"002-14", partial}}};
}

const Registered interleaved{{
    .summary = "cut a gibibyte into sixteen, drop every other piece, ask for 128 MiB",
    .claims = {{"002-06", "a large tensor fails although enough memory is free in total"},
               {"002-07", "reusing and explicitly freeing tensors mitigates fragmentation"},
               {"002-12", "empty_cache() mitigates fragmentation"},
               {"002-13", "real fragmentation is hard to show in a short example"},
               {"002-14", "fragmentation needs custom allocators or pooling"}},
    .variants = {{.name = "default",
                  .expected = {{"002-06", reproduced}, {"002-07", reproduced}, {"002-12", refuted}, {"002-13", refuted}}},
                 under("max_split_size", "max_split_size_mb:20"), under("garbage_collection", "garbage_collection_threshold:0.5"),
                 under("expandable_segments", "expandable_segments:True")},
    .needs = {.gpus = 1, .free_gib = 1.1},
    .observe = observe_with_setting,
    .judge = judge,
}};

}  // namespace
