// tocuda, Apache-2.0.
// With two GPUs, 'cuda' is the current one (0), never the emptier one and never the CPU; an index or a guard chooses
// the other.
#include <ATen/ATen.h>
#include <c10/core/DeviceGuard.h>
#include <torch/cuda.h>

#include "libtorch/allocator.hpp"
#include "libtorch/attempt.hpp"
#include "worker/registered.hpp"

namespace tocuda::selection::second_gpu {
namespace {

void observe(Observer& see) {
    see("device_count", static_cast<std::int64_t>(torch::cuda::device_count()));
    const auto source = at::arange(1000, at::kInt);
    // The document's example: the second GPU if there is one.
    const auto chosen = torch::cuda::device_count() > 1 ? at::Device(at::kCUDA, 1) : at::Device(at::kCUDA, 0);
    const auto moved = source.to(chosen);
    see("chosen.device", tocuda::text(moved.device()));
    see("chosen.storage", tocuda::text(moved.storage().device()));
    see.computed_by_gpu("chosen.equal", at::equal(moved.to(at::kCPU), source));
    see("default.device", tocuda::text(source.to(at::kCUDA).device()));
    {
        const c10::DeviceGuard second(at::Device(at::kCUDA, 1));
        see("guarded.device", tocuda::text(source.to(at::kCUDA).device()));
    }
    // GPU 0 is full, GPU 1 is not.
    tocuda::cap(see, 64);
    auto full = at::empty({48 << 20}, at::dtype(at::kByte).device(at::kCUDA, 0));
    const auto large = at::empty({32 << 20}, at::kByte);
    auto landed = large;
    say(see, "full.default", tocuda::attempt([&] { landed = large.to(at::kCUDA); }));
    see("full.assigned", tocuda::text(landed.device()));
    say(see, "full.second", tocuda::attempt([&] { landed = large.to(at::Device(at::kCUDA, 1)); }));
}

void judge(const Evidence& evidence, Judgement& say) {
    if (evidence.integer("device_count") < 2) return;
    const auto& chosen = evidence.text("chosen.device");
    const bool arrived =
        chosen == "cuda:1" && evidence.text("chosen.storage") == "cuda:1" && evidence.flag("chosen.equal");
    say("001-E2", arrived ? reproduced : refuted, "with cuda:1 chosen the tensor is on " + chosen);
    const auto& device = evidence.text("default.device");
    if (device == "cpu") say.reproduced("001-07", "without an index the tensor is on cpu");
    else if (device == "cuda:0" && evidence.text("guarded.device") == "cuda:1")
        say.refuted("001-07", "without an index a tensor goes to " + device + ", or to cuda:1 under a guard");
    if (device.starts_with("cuda"))
        say.refuted("001-17", "without an index a tensor arrives on " + device + " of " +
                                  std::to_string(evidence.integer("device_count")) + " GPUs");
    else say.reproduced("001-17", "without an index the tensor is on " + device);
    tocuda::require_cap(evidence);
    const bool naive = evidence.flag("full.default.threw") &&
                       evidence.text("full.default.type") == "c10::OutOfMemoryError" &&
                       !evidence.flag("full.second.threw");
    if (naive && device == "cuda:0")
        say.reproduced("001-06", "'cuda' is " + device + ", full: OutOfMemoryError; cuda:1 takes the tensor");
    else if (!evidence.flag("full.default.threw"))
        say.refuted("001-06", "cuda:0 was full, and 'cuda' was " + evidence.text("full.assigned"));
}

const Registered second_gpu{{
    .summary = "choose among two GPUs: by index, by default, by guard, and while the default one is full",
    .observed = "where tensors end up by index, by default, under a guard, and by default while the first GPU is full",
    .decisive = "device and storage of the tensor; an OutOfMemoryError by default while the second GPU can hold the "
                "same tensor",
    .claims = {{"001-06", "'cuda' does not pick the best GPU"},
               {"001-07", "without an index the CPU may be used"},
               {"001-17", "several GPUs need an explicit index"},
               {"001-E2", "cuda:1 is used if there are two GPUs"}},
    .variants =
        {{.name = "two_gpus",
          .expected = {{"001-06", reproduced}, {"001-07", refuted}, {"001-17", refuted}, {"001-E2", reproduced}}}},
    .needs = {.gpus = 2},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::selection::second_gpu
