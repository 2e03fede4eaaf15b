// tocuda, Apache-2.0.
// Moves a tensor larger than the memory left. The move throws an exception of its own type; the source stays intact,
// the allocator stays usable, and the tensor never ends up on the CPU.
#include <ATen/ATen.h>

#include "libtorch/allocator.hpp"
#include "libtorch/attempt.hpp"
#include "libtorch/entry_points.hpp"
#include "worker/registered.hpp"

namespace tocuda::capacity::oversize {
namespace {

void observe(Observer& see) {
    tocuda::cap(see, 256);
    // The pages are never touched: the size counts, not the content.
    const auto source = at::zeros({512 * mebibyte}, at::kByte);
    auto moved = source;
    say(see, "move", tocuda::attempt([&] { moved = source.to(at::kCUDA); }));
    see("assigned.device", tocuda::text(moved.device()));
    see("source.device", tocuda::text(source.device()));
    say(see, "allocator", tocuda::allocator_figures());
    const auto small = at::arange(1000, at::kInt);
    at::Tensor after;
    const auto again = tocuda::attempt([&] { after = small.to(at::kCUDA); });
    say(see, "after", again);
    if (!again.threw) see.computed_by_gpu("after.equal", at::equal(after.to(at::kCPU), small));
}

void judge_silence(const Evidence& evidence, Judgement& say) {
    const auto& device = evidence.text("assigned.device");
    for (const std::string claim : {"000-08", "001-09", "004-09"}) {
        if (evidence.flag("move.threw"))
            say.refuted(claim, "512 MiB into 256 MiB throws " + tocuda::error_name(evidence, "move"));
        else if (device == "cpu") say.reproduced(claim, "512 MiB into 256 MiB stays on cpu; nothing is thrown");
    }
}

void judge(const Evidence& evidence, Judgement& say) {
    tocuda::require_cap(evidence);
    constexpr int memory_allocation = 2;
    const bool about_memory = !evidence.flag("move.threw") || tocuda::threw_out_of_memory(evidence, "move") ||
                              tocuda::threw_code(evidence, "move", memory_allocation);
    if (!about_memory)
        throw tocuda::Undecided("the move failed for a reason other than memory: " + evidence.text("move.type"));
    judge_silence(evidence, say);
    if (!evidence.flag("move.threw")) {
        for (const std::string claim : {"000-07", "001-10", "004-14"})
            say.refuted(claim, "512 MiB into 256 MiB did not throw");
        return;
    }
    const bool typed = evidence.text("move.type") == "c10::OutOfMemoryError";
    const auto& message = evidence.text("move.message");
    say("001-10", typed ? reproduced : refuted, "512 MiB into 256 MiB throws " + tocuda::error_name(evidence, "move"));
    say("004-14", message.find("out of memory") != std::string::npos ? reproduced : refuted,
        "512 MiB into 256 MiB throws \"" + tocuda::opening(message) + "\"");
    if (typed && evidence.integer("allocator.out_of_memory") == 1 && !evidence.flag("after.threw") &&
        evidence.flag("after.equal"))
        say.reproduced("000-07", "512 MiB into 256 MiB throws OutOfMemoryError; then a small tensor moves");
}

const Registered oversize{{
    .summary = "move 512 MiB where 256 MiB is available",
    .observed = "the exception of moving 512 MiB under a cap of 256 MiB, where the tensor then is, the allocator's "
                "count, and a small move afterwards",
    .decisive =
        "the exception's type before its text; no exception and a tensor on the CPU would be the silent fallback",
    .claims = {{"000-07", "too large a tensor: out of memory"},
               {"000-08", "too large a tensor stays on the CPU"},
               {"001-09", "too little GPU memory fails silently"},
               {"001-10", "too large a move: OutOfMemoryError"},
               {"004-09", "too little memory falls back to the CPU"},
               {"004-14", "the error says \"out of memory\""}},
    .variants = {{.name = "capped_256MiB",
                  .expected = {{"000-07", reproduced},
                               {"000-08", refuted},
                               {"001-09", refuted},
                               {"001-10", reproduced},
                               {"004-09", refuted},
                               {"004-14", reproduced}}}},
    .needs = {.gpus = 1},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::capacity::oversize
