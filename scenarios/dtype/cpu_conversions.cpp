// tocuda, Apache-2.0.
// Shows what dtypes do before any GPU is involved: bfloat16 computes on the CPU, a move without a dtype never converts,
// float32 halves the bytes of a double and loses digits, and an operation that a dtype lacks fails on the CPU too.
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
    see("to(cpu).dtype", tocuda::text(doubles.to(at::kCPU).scalar_type()));
    see("to(cpu).same_tensor", doubles.to(at::kCPU).is_same(doubles));
}

void observe(Observer& see) {
    const auto numbers = at::arange(0, 16, at::kFloat);
    const auto halves = numbers.to(at::kBFloat16);
    see("bfloat16.dtype", tocuda::text(halves.scalar_type()));
    see("bfloat16.round_trip_equal", at::equal(halves.to(at::kFloat), numbers));
    see("bfloat16.sum", (halves + halves).to(at::kFloat).sum().item<double>());
    observe_conversion(see);
    const auto tiny = numbers.to(at::kFloat8_e4m3fn);
    see("float8.copied", at::equal(tiny.clone().to(at::kFloat), tiny.to(at::kFloat)));
    say(see, "float8.add", tocuda::attempt([&] { at::add(tiny, tiny); }));
    see("default.device", tocuda::text(at::empty({2}).device()));
}

void judge(const Evidence& evidence, Judgement& say) {
    constexpr double twice_the_sum = 240;
    const bool computes = evidence.text("bfloat16.dtype") == "BFloat16" && evidence.flag("bfloat16.round_trip_equal") &&
                          evidence.number("bfloat16.sum") == twice_the_sum;
    if (evidence.flag("float8.copied") && evidence.flag("float8.add.threw") && computes &&
        evidence.text("float8.add.type") == "c10::NotImplementedError")
        say.partial("002-03", "on the CPU, too, float8 is copied and not added; bfloat16 is added");
    const bool kept = evidence.text("to(cpu).dtype") == "Double";
    say("001-14", kept ? partial : refuted,
        kept ? "a move keeps Double; a conversion happens only on request"
             : "a move changed Double to " + evidence.text("to(cpu).dtype"));
    const bool on_cpu = evidence.text("default.device") == "cpu";
    say("003-02", on_cpu ? reproduced : refuted,
        "a tensor made without a device is on " + evidence.text("default.device"));
}

const Registered cpu_conversions{{
    .summary = "convert, copy and add dtypes on the CPU, where no GPU can be the cause",
    .observed = "conversions, copies and additions of bfloat16, float8 and double on the CPU, and the default device "
                "of a tensor",
    .decisive = "exact values and dtypes; adding float8 must throw a NotImplementedError while copying it works",
    .claims = {{"002-03", "dtype support depends on the GPU"},
               {"001-14", "PyTorch converts dtypes by itself"},
               {"003-02", "the default device is the CPU"}},
    .variants = {{.name = "cpu", .expected = {{"002-03", partial}, {"001-14", partial}, {"003-02", reproduced}}}},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::dtype::cpu_conversions
