// tocuda, Apache-2.0.
// Times a product of two matrices left on the CPU against the same one on the GPU. Needs a real GPU.
#include <ATen/ATen.h>

#include <cmath>

#include "libtorch/attempt.hpp"
#include "libtorch/shortest_time.hpp"
#include "worker/registered.hpp"

namespace tocuda::transfer::matmul_time {
namespace {

void observe(Observer& see) {
    const auto source = at::randn({2048, 2048});
    const auto there = source.to(at::kCUDA);
    at::Tensor product;
    see.computed_by_gpu("gpu.seconds", tocuda::shortest_seconds_there([&] { product = at::matmul(there, there); }));
    see("cpu.seconds", tocuda::shortest_seconds([&] { at::matmul(source, source); }));
    see("gpu.device", tocuda::text(product.device()));
    const auto expected = at::matmul(source, source);
    see.computed_by_gpu("relative_error",
                        (at::norm(product.to(at::kCPU) - expected) / at::norm(expected)).item<double>());
}

void judge(const Evidence& evidence, Judgement& say) {
    constexpr double agreed = 1e-2;  // above the error of reduced precision, below that of a product never computed
    const auto gpu = evidence.number("gpu.seconds");
    const auto cpu = evidence.number("cpu.seconds");
    if (gpu <= 0 || cpu <= 0 || !evidence.text("gpu.device").starts_with("cuda") ||
        evidence.number("relative_error") > agreed)
        return;
    const auto microseconds = [](double seconds) { return std::to_string(std::llround(seconds * 1e6)) + " us"; };
    const auto words =
        "a 2048x2048 product takes " + microseconds(cpu) + " on the CPU, " + microseconds(gpu) + " on the GPU";
    // Less than twice as long is nothing to choose a device by, and may be chance.
    constexpr double much = 2;
    say("003-06", cpu >= much * gpu ? reproduced : gpu >= much * cpu ? refuted : partial, words);
}

const Registered matmul_time{{
    .summary = "time a product of two 2048x2048 matrices on the CPU and on the GPU",
    .observed = "the shortest of five times of one product on the CPU and on the GPU, and how far the results differ",
    .decisive = "whether the CPU takes at least twice as long, or the GPU does, provided that both results agree",
    .claims = {{"003-06", "tensors on the CPU make it slow"}},
    .variants = {{.name = "default", .expected = {{"003-06", reproduced}}}},
    .needs = {.gpus = 1, .arithmetic = true},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::transfer::matmul_time
