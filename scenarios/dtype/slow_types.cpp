// tocuda, Apache-2.0.
// Times one product in float32, double and bfloat16. A GPU without units for a dtype computes it all the same, slowly.
// Needs a real GPU.
#include <ATen/ATen.h>

#include <array>
#include <cmath>
#include <cstdio>

#include "libtorch/attempt.hpp"
#include "libtorch/cuda_runtime.hpp"
#include "libtorch/shortest_time.hpp"
#include "worker/registered.hpp"

namespace tocuda::dtype::slow_types {
namespace {

constexpr std::array types{at::kFloat, at::kDouble, at::kBFloat16};

void time_product(Observer& see, at::ScalarType type, const at::Tensor& numbers) {
    const auto source = numbers.to(type);
    const auto name = tocuda::text(type);
    at::Tensor product;
    see.computed_by_gpu(name + ".seconds",
                        tocuda::shortest_seconds_there([&] { product = at::matmul(source, source); }));
    see.computed_by_gpu(name + ".sum", product.to(at::kDouble).sum().item<double>());
}

void observe(Observer& see) {
    see("compute_capability", tocuda::compute_capability(0).value_or(""));
    constexpr std::int64_t side = 2048;
    const auto ones = at::ones({side, side}).to(at::kCUDA);
    see("sum", static_cast<double>(side) * side * side);
    for (const auto type : types) time_product(see, type, ones);
}

// Returns the dtype that this generation has no full units for; empty if it has them for both.
std::string lacking(const std::string& capability) {
    int major = 0;
    int minor = 0;
    if (std::sscanf(capability.c_str(), "%d.%d", &major, &minor) != 2)
        throw tocuda::Undecided("the compute capability is unknown");
    if (major < 8) return "BFloat16";
    return minor == 0 && major <= 10 ? "" : "Double";  // 8.0, 9.0 and 10.0 alone have many units for double
}

void judge(const Evidence& evidence, Judgement& say) {
    const auto type = lacking(evidence.text("compute_capability"));
    const auto gpu = "compute capability " + evidence.text("compute_capability");
    if (type.empty()) throw tocuda::Undecided(gpu + " has units for double and bfloat16");
    const auto seconds = [&](const std::string& of) {
        if (evidence.number(of + ".sum") != evidence.number("sum"))
            throw tocuda::Undecided("the product in " + of + " is wrong");
        return evidence.number(of + ".seconds");
    };
    const auto single = seconds("Float");
    const auto other = seconds(type);
    if (single <= 0 || other <= 0) return;
    // A double has twice the bytes; less than four times as long may be these, or chance.
    constexpr double slow = 4;
    const auto microseconds = [](double value) { return std::to_string(std::llround(value * 1e6)) + " us"; };
    const bool is_slow = type == "Double" ? other >= slow * single : other > single;
    say("002-02b", is_slow ? reproduced : refuted,
        gpu + ": a product in " + type + " takes " + microseconds(other) + ", in Float " + microseconds(single));
}

const Registered slow_types{{
    .summary = "time one product in float32, double and bfloat16",
    .observed = "the GPU's generation, and the shortest of five times of a 2048x2048 product in each dtype",
    .decisive = "whether the dtype that this generation lacks is slower than float32: bfloat16 below 8.0, else "
                "double, except on 8.0, 9.0 and 10.0",
    .claims = {{"002-02b", "dtypes that a GPU lacks are slow"}},
    .variants = {{.name = "default", .expected = {{"002-02b", reproduced}}}},
    .needs = {.gpus = 1, .arithmetic = true},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::dtype::slow_types
