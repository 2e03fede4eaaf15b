// tocuda, Apache-2.0.
// Every dtype that this LibTorch has, moved in three ways: what crosses is the tensor's own bytes, no kernel is needed, and nothing stays
// behind in silence. "Supported on the GPU" is a question for operations, not for a move.
#include <ATen/ATen.h>

#include "libtorch/crossing.hpp"
#include "libtorch/known_differences.hpp"
#include "libtorch/specimens.hpp"
#include "libtorch/many_moves.hpp"
#include "libtorch/text.hpp"
#include "worker/registered.hpp"

namespace tocuda::dtype::every_type {
namespace {

constexpr auto refuted = tocuda::Verdict::refuted;

// The dtypes whose move took anything but one copy of a dtype's size for each element.
tocuda::Values not_one_copy() {
    tocuda::Values names;
    for (const auto type : tocuda::every_scalar_type()) {
        const auto source = tocuda::patterned(type, {4, 6});
        const tocuda::CrossingMark mark;
        const auto there = source.to(at::kCUDA);
        const auto seen = mark.read();
        const auto bytes = static_cast<std::int64_t>(source.nbytes());
        if (!seen || seen->to_device_calls != 1 || seen->to_device_bytes != bytes || seen->kernels != 0)
            names.emplace_back(tocuda::text(type) + (seen ? ": " + std::to_string(seen->to_device_bytes) + " of " + std::to_string(bytes) : ""));
    }
    return names;
}

void observe(Observer& see) {
    const auto types = tocuda::every_scalar_type();
    see("types", static_cast<std::int64_t>(types.size()));
    at::empty({1}, at::device(at::kCUDA));  // what initialises does so before anything is counted
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
    if (silent) return say.reproduced("001-13", "a dtype stayed on the CPU without an error");
    if (types < 1 || evidence.integer("blocking.tried") != types || !intact) return;
    if (!evidence.flag("recorded")) throw tocuda::Undecided("no recorder was in the process");
    const auto figures = std::to_string(moved) + " of " + std::to_string(tried) + " moves of all " + std::to_string(types) + " dtypes";
    if (moved == tried && evidence.list("not_one_copy").empty())
        say.refuted("001-13", figures + " arrived on the GPU, equal bit for bit after the way back: one copy each, no kernel, none left behind");
    else if (moved < tried) say.partial("001-13", figures + " arrived; the others threw: loud, not silent");
}

const Registered every_type{{
    .summary = "move every dtype that LibTorch has: blocking, not blocking, from pinned memory",
    .observed = "each dtype moved in three ways: where it arrives, its bytes after the way back, and what crossed the bus",
    .decisive = "one that stays on the CPU without an error reproduces; all of them there, unchanged, by one copy and no kernel each, refute",
    .claims = {{"001-13", "rare or custom dtypes may stay on the CPU without a word"}},
    .variants = {{.name = "default", .stand_ins = {"recorder"}, .expected = {{"001-13", refuted}}}},
    .needs = {.gpus = 1},
    .differs = {tocuda::number_of_dtypes("types")},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::dtype::every_type
