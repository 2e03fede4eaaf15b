// tocuda, Apache-2.0.
// The documents' third example: request 37 GiB on the GPU, make a small tensor if that is refused, and always delete
// the small one at the end. If the large one fits, or if there is no GPU, there is nothing to delete; in Python that is
// a NameError. Nothing is "moved" in any case.
#include <ATen/ATen.h>
#include <torch/cuda.h>

#include <optional>

#include "libtorch/allocator.hpp"
#include "libtorch/attempt.hpp"
#include "libtorch/crossing.hpp"
#include "libtorch/text.hpp"
#include "worker/registered.hpp"

namespace tocuda::capacity::large_factory {
namespace {

constexpr std::int64_t gibibyte = std::int64_t{1} << 30;

// Runs the example once. What it deletes at the end may never have been made.
void example(Observer& see, const std::string& name) {
    std::optional<at::Tensor> small;
    see(name + ".is_available", torch::cuda::is_available());
    if (torch::cuda::is_available()) {
        at::Tensor large;
        const tocuda::CrossingMark mark;
        const auto tried = tocuda::attempt([&] { large = at::rand({10000, 10000, 100}, at::device(at::kCUDA)); });
        say(see, name + ".crossing", mark.read());
        say(see, name + ".large", tried);
        see(name + ".large.device", large.defined() ? tocuda::text(large.device()) : "");
        see(name + ".large.bytes", large.defined() ? static_cast<std::int64_t>(large.nbytes()) : std::int64_t{0});
        if (tried.threw) small = at::empty({100, 100}, at::device(at::kCUDA));
        see(name + ".small.device", small ? tocuda::text(small->device()) : "");
    }
    see(name + ".something_to_delete", small.has_value());
}

void observe(Observer& see) {
    if (see.variant() == "fits") at::empty({1}, at::device(at::kCUDA));  // initialises CUDA before anything is counted
    example(see, "first");
    if (see.variant() != "fits") return;
    tocuda::empty_cache();
    see("cap", tocuda::cap_memory(20 * gibibyte));
    example(see, "capped");
}

void judge_move(const Evidence& evidence, Judgement& say) {
    if (!evidence.flag("first.crossing.recorded") || evidence.flag("first.large.threw")) return;
    const auto calls = evidence.integer("first.crossing.to_device_calls");
    const auto bytes = evidence.integer("first.crossing.to_device_bytes");
    const auto kernels = evidence.integer("first.crossing.kernels");
    const auto words = std::to_string(bytes) + " bytes copied, " + std::to_string(kernels) + " kernels launched";
    if (bytes >= evidence.integer("first.large.bytes")) say.reproduced("000-12", "made on the CPU and moved: " + words);
    else if (calls == 0 && kernels > 0) say.refuted("000-12", "made on the GPU: " + words);
}

void judge(const Evidence& evidence, Judgement& say) {
    const bool available = evidence.flag("first.is_available");
    const bool deletable = evidence.flag("first.something_to_delete");
    if (!available) {
        if (deletable) say.reproduced("000-E3", "without CUDA there is a fallback, and deleting it works");
        else say.refuted("000-E3", "without CUDA there is no fallback, so deleting it fails");
        return;
    }
    judge_move(evidence, say);
    if (evidence.flag("first.large.threw")) {
        if (evidence.text("first.large.type") == "c10::OutOfMemoryError" && deletable)
            say.reproduced("000-E3", "37 GiB is refused, and there is a fallback to delete");
        return;
    }
    if (deletable || !evidence.text("first.large.device").starts_with("cuda")) return;
    tocuda::require_cap(evidence);
    if (tocuda::threw_out_of_memory(evidence, "capped.large") && evidence.flag("capped.something_to_delete"))
        say.refuted("000-E3", "37 GiB fits on " + evidence.text("first.large.device") +
                                  ", so there is no fallback to delete; under 20 GiB there is");
}

const Registered large_factory{{
    .summary = "request a 37 GiB tensor on the GPU, fall back to a small one, and delete the small one",
    .observed =
        "whether 37 GiB is granted, what crosses the bus meanwhile, and whether there is a small tensor to delete",
    .decisive =
        "a fallback that was never made cannot be deleted; no copy and at least one kernel show that nothing was moved",
    .claims = {{"000-E3", "the 37 GiB example runs to its end"}, {"000-12", "device='cuda' moves a tensor to the GPU"}},
    .variants = {{.name = "fits",
                  .environment = {{"TOCUDA_COMPUTE", "0"}},  // the host may have less memory than the GPU
                  .fakes = {"recorder"},
                  .simulate = "1x48GiB",
                  .needs = tocuda::Needs{.gpus = 1, .free_gib = 38},
                  .expected = {{"000-E3", refuted}, {"000-12", refuted}}},
                 {.name = "no_driver", .fakes = {"driver absent"}, .expected = {{"000-E3", refuted}}}},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::capacity::large_factory
