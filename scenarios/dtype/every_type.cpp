// tocuda, Apache-2.0.
// Moves every dtype of this LibTorch in three ways: the tensor's own bytes cross, no kernel runs, and no tensor
// silently stays on the CPU. GPU support for a dtype matters for operations, not for a move.
#include <ATen/ATen.h>

#include "libtorch/attempt.hpp"
#include "libtorch/crossing.hpp"
#include "libtorch/known_differences.hpp"
#include "libtorch/many_moves.hpp"
#include "libtorch/specimens.hpp"
#include "worker/registered.hpp"

namespace tocuda::dtype::every_type {
namespace {

// Returns the dtypes whose move took anything but one copy of exactly the tensor's bytes.
tocuda::Values not_one_copy() {
    tocuda::Values names;
    for (const auto type : tocuda::every_scalar_type()) {
        const auto source = tocuda::patterned(type, {4, 6});
        const tocuda::CrossingMark mark;
        const auto there = source.to(at::kCUDA);
        const auto seen = mark.read();
        const auto bytes = static_cast<std::int64_t>(source.nbytes());
        if (!seen || seen->to_device_calls != 1 || seen->to_device_bytes != bytes || seen->kernels != 0)
            names.emplace_back(
                tocuda::text(type) +
                (seen ? ": " + std::to_string(seen->to_device_bytes) + " of " + std::to_string(bytes) : ""));
    }
    return names;
}

void observe(Observer& see) {
    const auto types = tocuda::every_scalar_type();
    see("types", static_cast<std::int64_t>(types.size()));
    at::empty({1}, at::device(at::kCUDA));  // initialises CUDA before anything is counted
    see("recorded", tocuda::CrossingMark().read().has_value());
    for (const auto way : {tocuda::Way::blocking, tocuda::Way::non_blocking, tocuda::Way::pinned}) {
        tocuda::ManyMoves moves;
        for (const auto type : types) moves.move(tocuda::patterned(type, {4, 6}), tocuda::text(type), way);
        moves.say(see, tocuda::word(way));
    }
    see("not_one_copy", not_one_copy());
}

void judge(const Evidence& evidence, Judgement& say) {
    const auto types = evidence.integer("types");
    std::int64_t tried = 0;
    std::int64_t moved = 0;
    bool silent = false;
    bool intact = true;
    for (const std::string way : {"blocking", "non_blocking", "pinned"}) {
        tocuda::ManyMoves::require_no_fault(evidence, way);
        tried += evidence.integer(way + ".tried");
        moved += evidence.integer(way + ".moved");
        silent = silent || !evidence.list(way + ".stayed").empty();
        intact = evidence.list(way + ".changed").empty() && intact;
    }
    if (silent) return say.reproduced("001-13", "a tensor without gaps stayed on the CPU; nothing was thrown");
    if (types < 1 || evidence.integer("blocking.tried") != types || !intact) return;
    if (!evidence.flag("recorded")) throw tocuda::Undecided("the recorder was not loaded");
    const auto figures =
        std::to_string(moved) + " of " + std::to_string(tried) + " moves of " + std::to_string(types) + " dtypes";
    if (moved == tried && evidence.list("not_one_copy").empty())
        say.refuted("001-13", figures + " arrived, equal bit for bit");
    else if (moved < tried) say.partial("001-13", figures + " arrived, the others threw");
}

const Registered every_type{{
    .summary = "move every dtype that LibTorch has: blocking, non-blocking, and from pinned memory",
    .observed =
        "for each dtype moved in three ways: where it arrives, its bytes after a round trip, and what crossed the bus",
    .decisive =
        "a tensor on the CPU without an error makes it true; all on the GPU, unchanged, by one copy and no kernel "
        "each, makes it false",
    .claims = {{"001-13", "rare dtypes may silently stay on the CPU"}},
    .variants = {{.name = "default", .fakes = {"recorder"}, .expected = {{"001-13", refuted}}}},
    .needs = {.gpus = 1},
    .differs = {tocuda::number_of_dtypes("types")},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::dtype::every_type
