// tocuda, Apache-2.0.
// The three causes that the document names, tried on one GPU: every dtype moves, one layout does not, and fragmented
// free memory refuses a tensor that would fit its total. Two of the three are real.
#include <ATen/ATen.h>

#include "libtorch/allocator.hpp"
#include "libtorch/attempt.hpp"
#include "libtorch/known_differences.hpp"
#include "libtorch/many_moves.hpp"
#include "libtorch/specimens.hpp"
#include "worker/registered.hpp"

namespace tocuda::unmoved::three_causes {
namespace {

at::Tensor taken(std::int64_t mebibytes) {
    return at::empty({mebibytes * mebibyte}, at::dtype(at::kByte).device(at::kCUDA));
}

// Drops every second piece of one segment, so that half of it is free in pieces of 16 MiB.
void observe_pieces(Observer& see) {
    tocuda::cap(see, 160);
    taken(128);
    std::vector<at::Tensor> pieces;
    for (int i = 0; i < 8; ++i) pieces.push_back(taken(16));
    for (std::size_t i = 0; i < pieces.size(); i += 2) pieces[i].reset();
    say(see, "pieces", tocuda::allocator_figures());
    const auto source = at::empty({48 * mebibyte}, at::kByte);
    say(see, "pieces.move", tocuda::attempt([&] { source.to(at::kCUDA); }));
}

void observe(Observer& see) {
    {
        tocuda::ManyMoves moves;
        for (const auto type : tocuda::every_scalar_type())
            moves.move(tocuda::patterned(type, {4, 6}), tocuda::text(type), tocuda::Way::blocking);
        moves.say(see, "dtypes");
    }
    const auto opaque = at::zeros({4, 6}).to_mkldnn();
    say(see, "layout", tocuda::attempt([&] { opaque.to(at::Device(at::kCUDA, 0)); }));
    tocuda::empty_cache();
    observe_pieces(see);
}

void judge(const Evidence& evidence, Judgement& say) {
    tocuda::require_cap(evidence);
    tocuda::ManyMoves::require_no_fault(evidence, "dtypes");
    const auto tried = evidence.integer("dtypes.tried");
    const auto moved = evidence.integer("dtypes.moved");
    const bool by_dtype = moved < tried || !evidence.list("dtypes.changed").empty();
    const bool by_layout = evidence.flag("layout.threw");
    const bool by_pieces = evidence.flag("pieces.move.threw");
    if (by_layout && evidence.text("layout.type") != "c10::NotImplementedError") return;
    if (by_pieces && (evidence.text("pieces.move.type") != "c10::OutOfMemoryError" ||
                      evidence.integer("pieces.inactive_split_mib") != 64))
        return;
    if (tried < 1) return;
    const auto words = std::to_string(moved) + " of " + std::to_string(tried) + " dtypes move, mkldnn " +
                       (by_layout ? "does not" : "does") + "; 48 MiB of 64 in pieces is " +
                       (by_pieces ? "refused" : "granted");
    const int causes = int{by_dtype} + int{by_layout} + int{by_pieces};
    say("002-01", causes == 3 ? reproduced : causes == 0 ? refuted : partial, words);
}

const Registered three_causes{{
    .summary = "try three causes of a failing move: dtype, fragmentation, layout",
    .observed = "a move of every dtype, of an mkldnn tensor, and of 48 MiB while 64 MiB is free in pieces",
    .decisive = "which of the three fail, each with its own exception; some but not all is partly true",
    .claims = {{"002-01", "dtype, layout, fragmentation stop moves"}},
    .variants = {{.name = "default", .expected = {{"002-01", partial}}}},
    .needs = {.gpus = 1},
    .differs = {tocuda::number_of_dtypes("dtypes.tried")},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::unmoved::three_causes
