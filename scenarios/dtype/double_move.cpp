// tocuda, Apache-2.0.
// Moves a double tensor to the GPU: it arrives unchanged, not converted, not refused, and not silently left on the CPU.
#include <ATen/ATen.h>

#include "libtorch/attempt.hpp"
#include "libtorch/text.hpp"
#include "worker/registered.hpp"

namespace tocuda::dtype::double_move {
namespace {

constexpr auto refuted = tocuda::Verdict::refuted;

void observe(Observer& see) {
    const auto source = at::arange(1, 26, at::kDouble).div(3).reshape({5, 5});
    auto moved = source;
    const auto tried = tocuda::attempt([&] { moved = source.to(at::kCUDA); });
    say(see, "move", tried);
    see("device", tocuda::text(moved.device()));
    see("dtype", tocuda::text(moved.scalar_type()));
    if (!tried.threw) see.computed_by_gpu("round trip equal", at::equal(moved.to(at::kCPU), source));
    say(see, "float.move", tocuda::attempt([&] { source.to(at::kFloat).to(at::kCUDA); }));
}

void judge(const Evidence& evidence, Judgement& say) {
    if (evidence.flag("move.threw")) {
        tocuda::require_control(evidence, "float.move", "moving float32");
        say.reproduced("000-04", "moving a double threw " + evidence.text("move.type"));
        say.refuted("000-05", "the failure is not silent: moving a double threw " + evidence.text("move.type"));
        return;
    }
    const auto& device = evidence.text("device");
    if (device == "cpu") say.reproduced("000-05", "the move did not throw and the tensor is on the CPU");
    const bool intact = evidence.text("dtype") == "Double" && evidence.flag("round trip equal");
    if (!intact || !device.starts_with("cuda")) return;
    const auto because = "the double arrived on " + device + " as Double, equal bit for bit after the round trip";
    say.refuted("000-04", because);
    say.refuted("000-05", because);
}

const Registered double_move{{
    .summary = "move a 5x5 double tensor to the GPU",
    .observed = "whether moving a double throws, its device and dtype afterwards, its bytes after a round trip, and "
                "the same as float32",
    .decisive = "arriving on the GPU as Double, equal bit for bit, refutes; an exception counts only if float32 moves",
    .claims = {{"000-04", "an older GPU refuses a double tensor with an exception"},
               {"000-05", "on an older GPU a double tensor silently stays on the CPU"}},
    .variants = {{.name = "default", .expected = {{"000-04", refuted}, {"000-05", refuted}}},
                 {.name = "older_gpu", .simulate = "1xT4", .expected = {{"000-04", refuted}, {"000-05", refuted}}}},
    .needs = {.gpus = 1},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::dtype::double_move
