// tocuda, Apache-2.0.
// A smaller batch takes less memory at its peak, and accumulating two halves takes what one half does: the allocator's own peak says so.
#include <ATen/ATen.h>
#include <ATen/DeviceAccelerator.h>

#include "libtorch/allocator.hpp"
#include "worker/registered.hpp"

namespace tocuda::capacity::batch_size {
namespace {

constexpr std::int64_t row = std::int64_t{1} << 18;  // of floats: one mebibyte
constexpr std::int64_t batch = 32;
constexpr std::int64_t mebibyte = std::int64_t{1} << 20;

// Forward and backward through a weight for each column; the gradient is added to what the weight has.
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
    step(weight, 1);  // the weight's gradient is there before anything is counted
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
    const auto words = "peaks in MiB: a batch of 32 " + std::to_string(whole) + ", of 16 " + std::to_string(half) + ", two of 16 accumulated " + std::to_string(accumulated);
    if (whole <= 0 || half <= 0 || accumulated <= 0) throw tocuda::Undecided("no peak was counted");
    const bool smaller = half * 10 < whole * 7;
    const bool as_small = accumulated * 10 < whole * 7;
    if (smaller && as_small) say.reproduced("004-15", words);
    else if (smaller || as_small) say.partial("004-15", words);
    else say.refuted("004-15", words);
}

const Registered batch_size{{
    .summary = "compare the peak memory of a training step with a batch, half of it, and two halves accumulated",
    .observed = "the allocator's own peak over forward and backward with 32 rows, with 16, and with 16 twice",
    .decisive = "both smaller peaks have to stay below 70 % of the whole batch's",
    .claims = {{"004-15", "smaller batches and accumulation reduce the memory that is needed"}},
    .variants = {{.name = "default", .expected = {{"004-15", tocuda::Verdict::reproduced}}}},
    .needs = {.gpus = 1, .free_gib = 0.5},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::capacity::batch_size
