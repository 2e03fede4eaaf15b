// tocuda, Apache-2.0.
// Moving a quantized view with gaps to the GPU does not throw but leaves it on the CPU: LibTorch creates the target
// "like the source", device included. Made contiguous first, the view moves.
#include <ATen/ATen.h>

#include "libtorch/attempt.hpp"
#include "libtorch/specimens.hpp"
#include "worker/registered.hpp"

namespace tocuda::layout::quantized_view {
namespace {

at::Tensor observe_move(Observer& see, const std::string& name, const at::Tensor& source) {
    auto moved = source;
    say(see, name, tocuda::attempt([&] { moved = source.to(at::Device(at::kCUDA, 0)); }));
    see(name + ".device", tocuda::text(moved.device()));
    see(name + ".other_tensor", !moved.is_same(source));
    return moved;
}

void observe(Observer& see) {
    const auto whole = tocuda::patterned(at::kQInt8, {4, 6});
    const auto gapped = whole.slice(0, 0, 4, 2).slice(1, 1, 6, 2);
    observe_move(see, "whole", whole);
    observe_move(see, "gapped", gapped);
    const auto cured = observe_move(see, "contiguous", gapped.contiguous());
    see.computed_by_gpu("contiguous.equal", tocuda::bytes_of(cured.to(at::kCPU)) == tocuda::bytes_of(gapped));
    // The same view of a dtype that is not quantized.
    observe_move(see, "plain", tocuda::patterned(at::kChar, {4, 6}).slice(0, 0, 4, 2).slice(1, 1, 6, 2));
}

void judge(const Evidence& evidence, Judgement& say) {
    for (const std::string name : {"whole", "contiguous", "plain"})
        if (evidence.flag(name + ".threw") || evidence.text(name + ".device") != "cuda:0") return;
    if (!evidence.flag("contiguous.equal")) return;
    const bool threw = evidence.flag("gapped.threw");
    const auto& device = evidence.text("gapped.device");
    for (const std::string claim : {"X-quant", "001-13"}) {
        if (threw) say.refuted(claim, "moving a QInt8 view with gaps throws " + tocuda::error_name(evidence, "gapped"));
        else if (device == "cpu")
            say.reproduced(claim, "a QInt8 view with gaps stayed on cpu, no error; made contiguous it moves");
        else if (device == "cuda:0") say.refuted(claim, "a QInt8 view with gaps arrived on " + device);
    }
}

const Registered quantized_view{{
    .summary = "move a quantized tensor, and a view of it with gaps",
    .observed = "the device after moving a quantized tensor, a view of it with gaps, that view made contiguous, and a "
                "plain view",
    .decisive = "if only the view with gaps ends on the CPU, without an exception, the claims are true",
    .claims = {{"X-quant", "a quantized view with gaps does not move"},
               {"001-13", "rare dtypes may silently stay on the CPU"}},
    .variants = {{.name = "default", .expected = {{"X-quant", reproduced}, {"001-13", reproduced}}}},
    .needs = {.gpus = 1},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::layout::quantized_view
