// tocuda, Apache-2.0.
// Keeps one in five of the documents' 4 MiB tensors, as training keeps some: 160 MiB is free, but not even 20 MiB in
// one piece. No setting of PyTorch's allocator helps; dropping the kept tensors does.
#include <ATen/ATen.h>

#include <vector>

#include "libtorch/known_differences.hpp"
#include "settings.hpp"

namespace tocuda::fragmentation::document_size {
namespace {

constexpr int tensors = 50;
constexpr int one_in = 5;

void observe(Observer& see) {
    see("setting", setting());
    tocuda::cap(see, 201);
    for (int turn = 0; turn < tensors; ++turn) take(4);
    say_memory(see, "loop");
    ask(see, "loop.large", 180);
    tocuda::empty_cache();
    std::vector<at::Tensor> held;
    for (int turn = 0; turn < tensors; ++turn) held.push_back(take(4));
    for (int turn = 0; turn < tensors; ++turn)
        if (turn % one_in != 0) held[static_cast<std::size_t>(turn)].reset();
    say_memory(see, "kept.before");
    ask(see, "kept.16", 16);
    ask(see, "kept.20", 20);
    ask(see, "kept", 32);
    say_memory(see, "kept.after");
    tocuda::empty_cache();
    say_memory(see, "emptied");
    ask(see, "emptied", 32);
    held.clear();
    ask(see, "dropped", 32);
}

void judge_native(const Evidence& evidence, Judgement& say) {
    tocuda::require_cap(evidence);
    if (evidence.text("setting") == expandable_segments) require_expandable(evidence, "kept.before");
    const auto figures = free_in_words(evidence, "kept.before");
    const bool loop_gaps = refused(evidence, "loop.large");
    const bool kept_gaps = refused(evidence, "kept");
    if (kept_gaps &&
        (evidence.integer("kept.before.free_mib") < 32 || evidence.integer("kept.before.largest_free_mib") >= 32))
        return;
    say("002-05", loop_gaps || kept_gaps ? reproduced : refuted,
        "all 50 dropped: 180 MiB " + std::string(loop_gaps ? "refused" : "granted") + "; one in 5 kept: 32 MiB " +
            (kept_gaps ? "refused" : "granted"));
    if (!kept_gaps) {
        say.refuted("002-06", figures + "; 32 MiB granted");
        return;
    }
    say.reproduced("002-06", figures + "; 32 MiB refused");
    say("002-13", loop_gaps ? refuted : reproduced,
        std::string("the loop: 180 MiB ") + (loop_gaps ? "refused" : "granted") + "; one in 5 kept: 32 MiB refused");
    judge_remedies(evidence, say, 32, "emptied", "dropped");
}

void judge(const Evidence& evidence, Judgement& say) {
    if (evidence.text("setting") == driver_pool) judge_driver_pool(evidence, say, "kept");
    else judge_native(evidence, say);
}

const tocuda::Expectations gaps{{"002-05", reproduced},
                                {"002-06", reproduced},
                                {"002-07", reproduced},
                                {"002-12", refuted},
                                {"002-13", reproduced}};

const Registered document_size{{
    .summary = "allocate 4 MiB fifty times: made and dropped, then with one in five kept",
    .observed = "the free blocks with one in five of fifty 4 MiB tensors kept, and whether 32 MiB is then granted",
    .decisive = "a refusal (OutOfMemoryError) while enough is free, but no single piece is large enough",
    .claims = {{"002-05", "frequent allocation can leave gaps"},
               {"002-06", "fails although enough is free"},
               {"002-07", "reuse and explicit freeing help"},
               {"002-12", "empty_cache() mitigates fragmentation"},
               {"002-13", "gaps take more than the example's loop"},
               {"002-14", "advanced techniques reduce gaps"}},
    .variants = {by_default(gaps), under("garbage_collection", garbage_collection, gaps),
                 under("max_split_size", max_split_size, gaps), under("expandable_segments", expandable_segments, gaps),
                 under("driver_pool", driver_pool, {{"002-14", reproduced}})},
    .needs = {.gpus = 1, .free_gib = 0.3},
    .differs = {tocuda::advice_of_expandable_segments("kept.20"), tocuda::advice_of_expandable_segments("kept"),
                tocuda::advice_of_expandable_segments("emptied")},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::fragmentation::document_size
