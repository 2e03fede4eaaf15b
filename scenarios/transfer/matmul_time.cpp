// tocuda, Apache-2.0.
// Times a product of two matrices left on the CPU against the same one on the GPU. Needs a real GPU.
#include <ATen/ATen.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "libtorch/text.hpp"
#include "worker/registered.hpp"

namespace tocuda::transfer::matmul_time {
namespace {

constexpr int repetitions = 5;

// Returns the shortest of several times, because other load on the machine only makes one longer.
template <class Action>
double shortest_seconds(Action action) {
    double shortest = 1e9;
    for (int repetition = 0; repetition < repetitions; ++repetition) {
        const auto begin = std::chrono::steady_clock::now();
        action();
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
        shortest = std::min(shortest, taken.count());
    }
    return shortest;
}

void observe(Observer& see) {
    const auto source = at::randn({2048, 2048});
    const auto there = source.to(at::kCUDA);
    const c10::impl::VirtualGuardImpl cuda(at::kCUDA);
    const auto stream = cuda.getStream(at::Device(at::kCUDA, 0));
    at::Tensor product;
    const auto on_the_gpu = [&] {
        product = at::matmul(there, there);
        stream.synchronize();
    };
    on_the_gpu();  // initialises CUDA before anything is timed
    see.computed_by_gpu("gpu.seconds", shortest_seconds(on_the_gpu));
    see("cpu.seconds", shortest_seconds([&] { at::matmul(source, source); }));
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
