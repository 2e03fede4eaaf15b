// tocuda, Apache-2.0.
// Moves a double tensor to the GPU: it arrives unchanged, not converted, not refused, and not silently left on the CPU.
#include <ATen/ATen.h>

#include "libtorch/attempt.hpp"
#include "worker/registered.hpp"

namespace tocuda::dtype::double_move {
namespace {

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
        const auto words = "moving a double throws " + tocuda::error_name(evidence, "move") + "; float32 moves";
        say.reproduced("000-04", words);
        say.refuted("000-05", words);
        return;
    }
    const auto& device = evidence.text("device");
    if (device == "cpu") say.reproduced("000-05", "the double stayed on cpu; nothing was thrown");
    const bool intact = evidence.text("dtype") == "Double" && evidence.flag("round trip equal");
    if (!intact || !device.starts_with("cuda")) return;
    const auto because = "arrived on " + device + " as Double, equal bit for bit";
    say.refuted("000-04", because);
    say.refuted("000-05", because);
}

const Registered double_move{{
    .summary = "move a 5x5 double tensor to the GPU",
    .observed = "whether moving a double throws, its device and dtype afterwards, its bytes after a round trip, and "
                "the same as float32",
    .decisive =
        "arriving on the GPU as Double, equal bit for bit, makes it false; an exception counts only if float32 moves",
    .claims = {{"000-04", "an older GPU refuses doubles"}, {"000-05", "an older GPU leaves doubles on the CPU"}},
    .variants = {{.name = "default", .expected = {{"000-04", refuted}, {"000-05", refuted}}},
                 {.name = "older_gpu",
                  .simulate = "1xT4",
                  .needs = tocuda::Needs{.gpus = 1, .compute_capability = "below 8.0"},
                  .expected = {{"000-04", refuted}, {"000-05", refuted}}}},
    .needs = {.gpus = 1},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::dtype::double_move
