// tocuda, Apache-2.0.
// Compares the allocator's peak for a batch, half of it, and two halves accumulated: a smaller batch needs less memory,
// and two accumulated halves need as much as one half.
#include <ATen/ATen.h>
#include <ATen/DeviceAccelerator.h>

#include "libtorch/allocator.hpp"
#include "worker/registered.hpp"

namespace tocuda::capacity::batch_size {
namespace {

constexpr std::int64_t row = std::int64_t{1} << 18;  // floats: one mebibyte
constexpr std::int64_t batch = 32;

// One forward and backward pass; the gradient is added to the weight's existing one.
void step(const at::Tensor& weight, std::int64_t rows) {
    const auto input = at::zeros({rows, row}, at::device(at::kCUDA));
    (input * weight).tanh().sum().backward();
}

std::int64_t peak_mib(const std::function<void()>& work) {
    auto* allocator = at::getDeviceAllocator(at::kCUDA);
    allocator->resetPeakStats(0);
    work();
    return allocator->getDeviceStats(0).allocated_bytes[0].peak / mebibyte;
}

void observe(Observer& see) {
    const auto weight = at::ones({row}, at::device(at::kCUDA)).requires_grad_();
    step(weight, 1);  // allocates the weight's gradient before anything is counted
    see("whole.peak_mib", peak_mib([&] { step(weight, batch); }));
    see("half.peak_mib", peak_mib([&] { step(weight, batch / 2); }));
    see("accumulated.peak_mib", peak_mib([&] {
            step(weight, batch / 2);
            step(weight, batch / 2);
        }));
}

void judge(const Evidence& evidence, Judgement& say) {
    const auto whole = evidence.integer("whole.peak_mib");
    const auto half = evidence.integer("half.peak_mib");
    const auto accumulated = evidence.integer("accumulated.peak_mib");
    const auto words = "peak MiB: " + std::to_string(whole) + " for 32 rows, " + std::to_string(half) + " for 16, " +
                       std::to_string(accumulated) + " for 16 accumulated twice";
    if (whole <= 0 || half <= 0 || accumulated <= 0) throw tocuda::Undecided("the allocator counted no peak");
    const bool smaller = half * 10 < whole * 7;
    const bool as_small = accumulated * 10 < whole * 7;
    say("004-15", smaller ? reproduced : refuted, words);
    say("004-16", as_small ? reproduced : refuted, words);
}

const Registered batch_size{{
    .summary = "compare the peak memory of a training step with a batch, half of it, and two halves accumulated",
    .observed = "the allocator's peak over forward and backward passes with 32 rows, with 16, and with 16 twice",
    .decisive = "each smaller peak must stay below 70 % of the whole batch's peak",
    .claims = {{"004-15", "smaller batches need less memory"}, {"004-16", "gradient accumulation needs less memory"}},
    .variants = {{.name = "default", .expected = {{"004-15", reproduced}, {"004-16", reproduced}}}},
    .needs = {.gpus = 1, .free_gib = 0.5},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::capacity::batch_size
