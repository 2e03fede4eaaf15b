// tocuda, Apache-2.0.
// The document's own example: a double is moved inside a guard, then converted and "moved" again. The guard never
// catches anything, the conversion runs on the GPU, and the second move does nothing.
#include <ATen/ATen.h>
#include <torch/cuda.h>

#include "libtorch/attempt.hpp"
#include "libtorch/crossing.hpp"
#include "worker/registered.hpp"

namespace tocuda::dtype::float_after_double {
namespace {

void observe(Observer& see) {
    auto doubles = at::arange(1, 26, at::kDouble).div(3).reshape({5, 5});
    const auto source = doubles;
    see("is_available", torch::cuda::is_available());
    const auto guarded = tocuda::attempt([&] { doubles = doubles.cuda(); });
    say(see, "guarded", guarded);
    see("guarded.device", tocuda::text(doubles.device()));
    see("guarded.dtype", tocuda::text(doubles.scalar_type()));
    if (!guarded.threw) see.computed_by_gpu("guarded.equal", at::equal(doubles.to(at::kCPU), source));
    at::Tensor floats;
    const tocuda::CrossingMark mark;
    say(see, "converted", tocuda::attempt([&] { floats = doubles.to(at::kFloat); }));
    say(see, "converted.crossing", mark.read());
    if (!floats.defined()) return;
    see("converted.device", tocuda::text(floats.device()));
    at::Tensor again;
    say(see, "again", tocuda::attempt([&] { again = floats.cuda(); }));
    see("again.same_tensor", again.defined() && again.is_same(floats));
}

void judge(const Evidence& evidence, Judgement& say) {
    if (!evidence.flag("is_available")) return;
    if (evidence.flag("guarded.threw")) {
        tocuda::require_control(evidence, "again", "moving the same values as float32");
        return say.reproduced(
            "000-E2", "moving the double throws " + tocuda::error_name(evidence, "guarded") + "; as float32 it moves");
    }
    const auto& device = evidence.text("guarded.device");
    if (device == "cpu") return say.reproduced("000-E2", "the double stayed on cpu; nothing was thrown");
    const bool arrived =
        device.starts_with("cuda") && evidence.text("guarded.dtype") == "Double" && evidence.flag("guarded.equal");
    if (arrived && evidence.flag("converted.threw"))
        throw tocuda::Undecided("converting it there throws " + tocuda::error_name(evidence, "converted"));
    if (!arrived || evidence.flag("again.threw")) return;
    if (!evidence.flag("converted.crossing.recorded")) throw tocuda::Undecided("the recorder was not loaded");
    const bool there = evidence.text("converted.device") == device &&
                       evidence.integer("converted.crossing.to_device_bytes") == 0 &&
                       evidence.integer("converted.crossing.kernels") == 1;
    if (there && evidence.flag("again.same_tensor"))
        say.refuted("000-E2", "the double is on " + device + " unchanged; converting it there copies 0 bytes");
}

const Registered float_after_double{{
    .summary = "move a double in a guard, then convert it to float and move it again",
    .observed = "the guarded move of a double, the bus traffic of converting it afterwards, and whether the second "
                "move makes another tensor",
    .decisive = "the double must arrive unchanged, the conversion must copy nothing, and the second move must return "
                "the same tensor",
    .claims = {{"000-E2", "a double's move may fail"}},
    .variants = {{.name = "default", .fakes = {"recorder"}, .expected = {{"000-E2", refuted}}}},
    .needs = {.gpus = 1},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::dtype::float_after_double
