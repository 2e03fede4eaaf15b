// tocuda, Apache-2.0.
// What becomes of a double before any GPU is involved: a move that names no dtype keeps it, a sum with a float is a
// double, and copy_ converts it to what the target holds.
#include <ATen/ATen.h>

#include "libtorch/attempt.hpp"
#include "worker/registered.hpp"

namespace tocuda::dtype::cpu_conversions {
namespace {

void observe(Observer& see) {
    const auto doubles = at::arange(1, 26, at::kDouble).div(3).reshape({5, 5});
    const auto floats = doubles.to(at::kFloat);
    see("promoted.dtype", tocuda::text(at::add(floats, doubles).scalar_type()));
    see("copied_into_float.equal", at::equal(at::empty_like(floats).copy_(doubles), floats));
    see("to(cpu).dtype", tocuda::text(doubles.to(at::kCPU).scalar_type()));
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
        "the dtype of a double that is copied, and of its sum with a float; its values copied into a float; and "
        "the default device of a tensor",
    .decisive =
        "the dtypes of the copy and the sum, the values in the float, and the device of a tensor made without one",
    .claims = {{"001-14", "PyTorch handles dtype conversions"}, {"003-02", "the default device is the CPU"}},
    .variants = {{.name = "cpu", .expected = {{"001-14", reproduced}, {"003-02", reproduced}}}},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::dtype::cpu_conversions
