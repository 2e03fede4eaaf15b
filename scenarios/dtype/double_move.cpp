// tocuda, Apache-2.0.
// Moves a double tensor to the GPU: it arrives unchanged, not converted, not refused, and not silently left on the CPU.
// The claims are of older GPUs, so what a newer one takes does not decide them.
#include <ATen/ATen.h>

#include <algorithm>
#include <cstdio>

#include "libtorch/attempt.hpp"
#include "libtorch/cuda_runtime.hpp"
#include "worker/registered.hpp"

namespace tocuda::dtype::double_move {
namespace {

constexpr int oldest_new_major = 8;  // as the variant of an older GPU needs

void observe(Observer& see) {
    see("compute_capability", tocuda::compute_capability(0).value_or(""));
    const auto source = at::arange(1, 26, at::kDouble).div(3).reshape({5, 5});
    auto moved = source;
    const auto tried = tocuda::attempt([&] { moved = source.to(at::kCUDA); });
    say(see, "move", tried);
    see("device", tocuda::text(moved.device()));
    see("dtype", tocuda::text(moved.scalar_type()));
    if (!tried.threw) see.computed_by_gpu("round trip equal", at::equal(moved.to(at::kCPU), source));
    say(see, "float.move", tocuda::attempt([&] { source.to(at::kFloat).to(at::kCUDA); }));
}

void require_older_gpu(const Evidence& evidence) {
    if (!evidence.has("compute_capability")) {  // recorded before it was asked for; a simulation says what it was of
        if (std::ranges::find(evidence.stand_in, "runtime 1xT4") != evidence.stand_in.end()) return;
        throw tocuda::Undecided("it arrived, but the GPU's compute capability was not recorded");
    }
    const auto& capability = evidence.text("compute_capability");
    int major = 0;
    if (std::sscanf(capability.c_str(), "%d.", &major) != 1)
        throw tocuda::Undecided("it arrived, but the GPU's compute capability is not known");
    if (major >= oldest_new_major)
        throw tocuda::Undecided("it arrived, but a GPU of compute capability " + capability + " is no older one");
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
    require_older_gpu(evidence);
    const auto because = "arrived on " + device + " as Double, equal bit for bit";
    say.refuted("000-04", because);
    say.refuted("000-05", because);
}

const Registered double_move{{
    .summary = "move a 5x5 double tensor to the GPU",
    .observed = "the compute capability, whether moving a double throws, its device and dtype afterwards, its bytes "
                "after a round trip, and "
                "the same as float32",
    .decisive =
        "arriving on a GPU of compute capability below 8.0 as Double, equal bit for bit, makes it false; a newer "
        "one says nothing of it; an exception counts only if float32 moves",
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
