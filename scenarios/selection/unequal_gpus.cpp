// tocuda, Apache-2.0.
// Up to eight GPUs of unequal memory: each takes a tensor by its index, tensors pass from one to the next, and 'cuda'
// stays the first one even if it is the smallest, or limited to less, and the request only fits another.
#include <ATen/ATen.h>
#include <torch/cuda.h>

#include <algorithm>

#include "libtorch/allocator.hpp"
#include "libtorch/attempt.hpp"
#include "libtorch/cuda_runtime.hpp"
#include "worker/registered.hpp"

namespace tocuda::selection::unequal_gpus {
namespace {

at::Device gpu(std::int64_t index) { return {at::kCUDA, static_cast<c10::DeviceIndex>(index)}; }

constexpr std::int64_t capped_mib = 512;

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

void ask(Observer& see, const std::string& name, std::int64_t mebibytes, at::Device device) {
    at::Tensor made;
    say(see, name,
        tocuda::attempt([&] { made = at::empty({mebibytes * mebibyte}, at::dtype(at::kByte).device(device)); }));
    see(name + ".device", made.defined() ? tocuda::text(made.device()) : "");
}

void observe(Observer& see) {
    const auto count = static_cast<std::int64_t>(torch::cuda::device_count());
    see("device_count", count);
    std::vector<std::int64_t> totals;
    for (int index = 0; index < count; ++index) totals.push_back(tocuda::total_bytes(index).value_or(0) / mebibyte);
    see("total_mib", tocuda::Values(totals.begin(), totals.end()));
    say(see, "each", tocuda::attempt([&] { observe_round(see, count); }));
    const bool capped = see.variant() == "capped";
    if (capped) tocuda::cap(see, capped_mib);
    else see("cap", "");
    const auto largest = std::max_element(totals.begin() + (capped ? 1 : 0), totals.end()) - totals.begin();
    const auto request = capped ? 2 * capped_mib : (totals[0] + totals[static_cast<std::size_t>(largest)]) / 2;
    see("largest", largest);
    see("request_mib", request);
    ask(see, "default", request, at::kCUDA);
    ask(see, "by_index", request, gpu(largest));
}

void judge_each(const Evidence& evidence, Judgement& say, const std::string& gpus) {
    if (evidence.flag("each.threw"))
        return say.inconclusive("001-07", "a GPU could not be used: " + tocuda::error_name(evidence, "each"));
    if (!evidence.flag("each.in_place"))
        say.reproduced("001-07", "on " + gpus + " a tensor is not on the GPU that it was sent to");
    else if (evidence.flag("each.intact"))
        say.refuted("001-07", "on " + gpus + " every tensor is on the GPU that it was sent to");
}

void judge(const Evidence& evidence, Judgement& say) {
    const auto count = evidence.integer("device_count");
    if (count < 2) throw tocuda::Undecided("there is only one GPU");
    const auto gpus = std::to_string(count) + " GPUs";
    judge_each(evidence, say, gpus);
    tocuda::require_cap(evidence);
    if (evidence.integer("largest") == 0) throw tocuda::Undecided("the first GPU is the largest");
    const bool capped = evidence.has("cap.mib");
    const auto request = std::to_string(evidence.integer("request_mib")) + " MiB";
    const auto& device = evidence.text("default.device");
    if (!evidence.flag("default.threw")) {
        if (device == "cpu") say.reproduced("001-09", request + " for 'cuda' ended on cpu; nothing was thrown");
        else if (device != "cuda:0") say.refuted("001-06", request + " for 'cuda' went to " + device);
        return;
    }
    if (!tocuda::threw_out_of_memory(evidence, "default")) return;
    if (evidence.flag("by_index.threw")) throw tocuda::Undecided("the other GPU does not grant it either");
    const auto words = request + ": 'cuda'" + (capped ? ", capped," : "") +
                       " throws OutOfMemoryError, cuda:" + std::to_string(evidence.integer("largest")) + " of " + gpus +
                       " grants it";
    say.reproduced("001-06", words);
    say.refuted("001-09", words);
}

const Registered unequal_gpus{{
    .summary = "use GPUs of unequal memory, each by its index, and the first by default",
    .observed = "a tensor sent to each GPU and passed on, and a request that the first cannot grant, because it is "
                "smaller or capped",
    .decisive = "device, storage and bytes of each; an OutOfMemoryError of the first while another grants the request",
    .claims = {{"001-06", "'cuda' does not pick the best GPU"},
               {"001-07", "without an index the CPU may be used"},
               {"001-09", "too little GPU memory fails silently"}},
    .variants = {{.name = "eight",
                  .simulate = "1x1GiB,6x2GiB,1x4GiB",
                  .expected = {{"001-06", reproduced}, {"001-07", refuted}, {"001-09", refuted}}},
                 {.name = "capped",
                  .simulate = "2x2GiB",
                  .expected = {{"001-06", reproduced}, {"001-07", refuted}, {"001-09", refuted}}}},
    .needs = {.gpus = 2},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::selection::unequal_gpus
