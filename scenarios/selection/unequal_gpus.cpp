// tocuda, Apache-2.0.
// Up to eight GPUs of unequal memory: each takes a tensor by its index, tensors pass from one to the next, and 'cuda'
// stays the first one even if it is the smallest and the request only fits another.
#include <ATen/ATen.h>
#include <ATen/DeviceAccelerator.h>
#include <torch/cuda.h>

#include <algorithm>

#include "libtorch/allocator.hpp"
#include "libtorch/attempt.hpp"
#include "libtorch/text.hpp"
#include "worker/registered.hpp"

namespace tocuda::selection::unequal_gpus {
namespace {

at::Device gpu(std::int64_t index) { return {at::kCUDA, static_cast<c10::DeviceIndex>(index)}; }

std::int64_t total_mib(std::int64_t index) {
    return static_cast<std::int64_t>(
               at::getDeviceAllocator(at::kCUDA)->getMemoryInfo(static_cast<c10::DeviceIndex>(index)).second) /
           mebibyte;
}

// Moves from the host to each GPU and from each to the next, and records the reported devices and what came back.
void observe_round(Observer& see, std::int64_t count) {
    const auto source = at::arange(1000, at::kInt);
    bool in_place = true;
    bool intact = true;
    auto passed = source;
    for (std::int64_t index = 0; index < count; ++index) {
        const auto moved = source.to(gpu(index));
        passed = passed.to(gpu(index));
        in_place = in_place && moved.device() == gpu(index) && moved.storage().device() == gpu(index) &&
                   passed.device() == gpu(index);
        intact = intact && at::equal(moved.to(at::kCPU), source) && at::equal(passed.to(at::kCPU), source);
    }
    see("each.in_place", in_place);
    see.computed_by_gpu("each.intact", intact);
}

void observe(Observer& see) {
    const auto count = static_cast<std::int64_t>(torch::cuda::device_count());
    see("device_count", count);
    std::vector<std::int64_t> totals;
    for (std::int64_t index = 0; index < count; ++index) totals.push_back(total_mib(index));
    see("total_mib", tocuda::Values(totals.begin(), totals.end()));
    observe_round(see, count);
    const auto largest = std::max_element(totals.begin(), totals.end()) - totals.begin();
    const auto request = (totals[0] + totals[static_cast<std::size_t>(largest)]) / 2;
    see("largest", largest);
    see("request_mib", request);
    const auto large = at::empty({request * mebibyte}, at::kByte);
    auto landed = large;
    say(see, "default", tocuda::attempt([&] { landed = at::empty_like(large, at::device(at::kCUDA)); }));
    see("default.device", tocuda::text(landed.device()));
    say(see, "by_index", tocuda::attempt([&] { at::empty_like(large, at::device(gpu(largest))); }));
}

void judge(const Evidence& evidence, Judgement& say) {
    const auto count = evidence.integer("device_count");
    if (count < 2) throw tocuda::Undecided("there is only one GPU");
    const auto number = std::to_string(count) + " GPUs";
    if (evidence.flag("each.in_place") && evidence.flag("each.intact"))
        say.refuted("001-07", "on " + number + " every tensor is on the GPU that it was sent to");
    else if (!evidence.flag("each.in_place"))
        say.reproduced("001-07", "on " + number + " a tensor is not on the GPU that it was sent to");
    if (evidence.integer("largest") == 0) throw tocuda::Undecided("the first GPU is the largest");
    const auto request = std::to_string(evidence.integer("request_mib")) + " MiB";
    const auto& device = evidence.text("default.device");
    if (!evidence.flag("default.threw")) {
        if (device == "cpu") say.reproduced("001-09", request + " for 'cuda' ended on cpu; nothing was thrown");
        else if (device != "cuda:0") say.refuted("001-06", request + " for 'cuda' went to " + device);
        return;
    }
    if (evidence.text("default.type") != "c10::OutOfMemoryError" || evidence.flag("by_index.threw")) return;
    const auto words = request +
                       ": 'cuda' throws OutOfMemoryError, cuda:" + std::to_string(evidence.integer("largest")) +
                       " of " + number + " grants it";
    say.reproduced("001-06", words);
    say.refuted("001-09", words);
}

const Registered unequal_gpus{{
    .summary = "use eight GPUs of unequal memory, each by its index, and the first by default",
    .observed = "a tensor sent to each of eight GPUs and passed on, and a request that only the largest can grant",
    .decisive =
        "device, storage and bytes of each; an OutOfMemoryError of the first while the largest grants the request",
    .claims = {{"001-06", "'cuda' does not pick the best GPU"},
               {"001-07", "without an index the CPU may be used"},
               {"001-09", "too little GPU memory fails silently"}},
    .variants = {{.name = "eight",
                  .simulate = "1x1GiB,6x2GiB,1x4GiB",
                  .expected = {{"001-06", reproduced}, {"001-07", refuted}, {"001-09", refuted}}}},
    .needs = {.gpus = 2},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::selection::unequal_gpus
