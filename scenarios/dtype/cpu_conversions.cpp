// tocuda, Apache-2.0.
// Shows what dtypes do before any GPU is involved: a move without a dtype never converts, and float32 halves the bytes
// of a double and loses digits.
#include <ATen/ATen.h>

#include "libtorch/attempt.hpp"
#include "libtorch/text.hpp"
#include "worker/registered.hpp"

namespace tocuda::dtype::cpu_conversions {
namespace {

void observe_conversion(Observer& see) {
    const auto doubles = at::arange(1, 26, at::kDouble).div(3).reshape({5, 5});
    const auto floats = doubles.to(at::kFloat);
    see("double.bytes", static_cast<std::int64_t>(doubles.nbytes()));
    see("float.bytes", static_cast<std::int64_t>(floats.nbytes()));
    see("float.loses_digits", !at::equal(floats.to(at::kDouble), doubles));
    see("promoted.dtype", tocuda::text(at::add(floats, doubles).scalar_type()));
    see("copied_into_float.equal", at::equal(at::empty_like(floats).copy_(doubles), floats));
    see("to(cpu).dtype", tocuda::text(doubles.to(at::kCPU).scalar_type()));
    see("to(cpu).same_tensor", doubles.to(at::kCPU).is_same(doubles));
}

void observe(Observer& see) {
    observe_conversion(see);
    see("default.device", tocuda::text(at::empty({2}).device()));
}

void judge(const Evidence& evidence, Judgement& say) {
    const auto& kept = evidence.text("to(cpu).dtype");
    const auto& promoted = evidence.text("promoted.dtype");
    const bool converts = evidence.flag("copied_into_float.equal");
    say("001-14", kept == "Double" && promoted == "Double" && converts ? reproduced : refuted,
        "a double stays " + kept + " in .to(cpu); with a float: " + promoted + "; copy_ " +
            (converts ? "converts" : "is wrong"));
    const bool on_cpu = evidence.text("default.device") == "cpu";
    say("003-02", on_cpu ? reproduced : refuted,
        "a tensor made without a device is on " + evidence.text("default.device"));
}

const Registered cpu_conversions{{
    .summary = "convert and copy a double on the CPU, where no GPU can be the cause",
    .observed =
        "the dtype of a double that is copied, added to a float, and copied into one; what float32 saves and loses; "
        "and the default device of a tensor",
    .decisive = "the dtype after a move that names none, and the device of a tensor made without one",
    .claims = {{"001-14", "PyTorch handles dtype conversions"}, {"003-02", "the default device is the CPU"}},
    .variants = {{.name = "cpu", .expected = {{"001-14", reproduced}, {"003-02", reproduced}}}},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::dtype::cpu_conversions
