// tocuda, Apache-2.0.
// The one layout that only the CPU has: an opaque mkldnn tensor computes there, and moving it to the GPU throws at
// once, with a distinct exception type. Made dense, the same values move.
#include <ATen/ATen.h>

#include "libtorch/attempt.hpp"
#include "libtorch/text.hpp"
#include "worker/registered.hpp"

namespace tocuda::layout::mkldnn {
namespace {

void observe(Observer& see) {
    const auto source = at::arange(0, 24, at::kFloat).reshape({4, 6});
    const auto opaque = source.to_mkldnn();
    see("layout", tocuda::text(opaque.layout()));
    see("on_the_cpu.equal", at::equal(at::relu(opaque).to_dense(), source));
    auto moved = opaque;
    say(see, "to(cuda:0)", tocuda::attempt([&] { moved = opaque.to(at::Device(at::kCUDA, 0)); }));
    say(see, "to(cuda)", tocuda::attempt([&] { moved = opaque.to(at::kCUDA); }));
    see("assigned.device", tocuda::text(moved.device()));
    at::Tensor dense;
    const auto cured = tocuda::attempt([&] { dense = opaque.to_dense().to(at::Device(at::kCUDA, 0)); });
    say(see, "dense", cured);
    if (!cured.threw) see.computed_by_gpu("dense.equal", at::equal(dense.to(at::kCPU), source));
}

void judge(const Evidence& evidence, Judgement& say) {
    if (evidence.text("layout") != "Mkldnn" || !evidence.flag("on_the_cpu.equal")) return;
    if (!evidence.flag("to(cuda:0).threw") && !evidence.flag("to(cuda).threw")) {
        const auto& device = evidence.text("assigned.device");
        if (device.starts_with("cuda")) say.refuted("002-10", "the mkldnn tensor moved to " + device);
        return;
    }
    // If a dense tensor does not move either, the cause may not be the layout.
    if (evidence.flag("dense.threw") || !evidence.flag("dense.equal")) return;
    const bool typed = evidence.text("to(cuda:0).type") == "c10::NotImplementedError" &&
                       evidence.text("to(cuda).type") == "c10::NotImplementedError";
    if (typed) say.reproduced("002-10", "moving an mkldnn tensor throws NotImplementedError; made dense it moves");
}

const Registered mkldnn{{
    .summary = "move a tensor in the CPU's own mkldnn layout, then the same one made dense",
    .observed = "the exceptions of moving an mkldnn tensor, and the move of the same values made dense",
    .decisive = "moving mkldnn must throw a NotImplementedError while the dense tensor arrives equal",
    .claims = {{"002-10", "a CPU-optimised layout has issues"}},
    .variants = {{.name = "default", .expected = {{"002-10", reproduced}}}},
    .needs = {.gpus = 1},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::layout::mkldnn
