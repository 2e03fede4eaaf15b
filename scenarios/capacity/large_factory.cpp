// tocuda, Apache-2.0.
// The documents' third example: request 37 GiB on the GPU, make a small tensor if that is refused, and always delete
// the small one at the end. Where the large one is refused this works. If it fits, or if there is no GPU, there is
// nothing to delete; in Python that is a NameError. Nothing is "moved" in any case.
#include <ATen/ATen.h>
#include <torch/cuda.h>

#include "libtorch/allocator.hpp"
#include "libtorch/attempt.hpp"
#include "libtorch/crossing.hpp"
#include "worker/registered.hpp"

namespace tocuda::capacity::large_factory {
namespace {

// Makes a tensor as the example does, and records where it is and what crossed the bus.
template <class Make>
tocuda::Attempt observe_making(Observer& see, const std::string& name, at::Tensor& made, Make make) {
    const tocuda::CrossingMark mark;
    auto tried = tocuda::attempt([&] { made = make(); });
    say(see, name + ".crossing", mark.read());
    say(see, name, tried);
    see(name + ".device", made.defined() ? tocuda::text(made.device()) : "");
    see(name + ".bytes", made.defined() ? static_cast<std::int64_t>(made.nbytes()) : std::int64_t{0});
    return tried;
}

at::Tensor random_on_the_gpu(at::IntArrayRef sizes) { return at::rand(sizes, at::device(at::kCUDA)); }

void observe(Observer& see) {
    if (see.variant() != "no_driver") at::empty({1}, at::device(at::kCUDA));  // initialises CUDA before anything counts
    if (see.variant() == "refused") tocuda::cap(see, 1024);
    const bool available = torch::cuda::is_available();
    see("is_available", available);
    at::Tensor large;
    at::Tensor small;  // what is deleted at the end
    if (available && observe_making(see, "large", large, [] { return random_on_the_gpu({10000, 10000, 100}); }).threw)
        observe_making(see, "small", small, [] { return random_on_the_gpu({100, 100}); });
    see("something_to_delete", small.defined());
}

void judge_move(const Evidence& evidence, Judgement& say, const std::string& name) {
    if (!evidence.flag(name + ".crossing.recorded") || evidence.flag(name + ".threw")) return;
    const auto calls = evidence.integer(name + ".crossing.to_device_calls");
    const auto bytes = evidence.integer(name + ".crossing.to_device_bytes");
    const auto kernels = evidence.integer(name + ".crossing.kernels");
    const bool moved = bytes >= evidence.integer(name + ".bytes");
    if (!moved && (calls != 0 || kernels <= 0)) return;
    const auto words = (moved ? "made on the CPU and moved: " : "made on the GPU: ") + std::to_string(bytes) +
                       " bytes copied, kernels launched: " + std::to_string(kernels);
    say("000-12", moved ? reproduced : refuted, words);
    say("000-12b", moved ? refuted : reproduced, words);
}

void judge_fallback(const Evidence& evidence, Judgement& say) {
    if (!tocuda::threw_out_of_memory(evidence, "large"))
        throw tocuda::Undecided("37 GiB is refused for a reason other than memory: " + evidence.text("large.type"));
    if (evidence.flag("small.threw"))
        throw tocuda::Undecided("the small tensor is refused, too: " + tocuda::error_name(evidence, "small"));
    if (evidence.flag("something_to_delete"))
        say.reproduced("000-13", "37 GiB is refused, so there is a fallback to delete");
    judge_move(evidence, say, "small");
}

void judge(const Evidence& evidence, Judgement& say) {
    const bool deletable = evidence.flag("something_to_delete");
    if (!evidence.flag("is_available")) {
        if (deletable) say.reproduced("000-13", "without CUDA there is a fallback, and deleting it works");
        else say.refuted("000-13", "without CUDA there is no fallback, so deleting it fails");
        return;
    }
    if (evidence.has("cap")) tocuda::require_cap(evidence);
    if (evidence.flag("large.threw")) return judge_fallback(evidence, say);
    judge_move(evidence, say, "large");
    const auto& device = evidence.text("large.device");
    if (!deletable && device.starts_with("cuda"))
        say.refuted("000-13", "37 GiB fits on " + device + ", so there is no fallback to delete");
}

const Registered large_factory{{
    .summary = "request a 37 GiB tensor on the GPU, fall back to a small one, and delete the small one",
    .observed =
        "whether 37 GiB is granted, what crosses the bus meanwhile, and whether there is a small tensor to delete",
    .decisive =
        "a fallback that was never made cannot be deleted; no copy and at least one kernel show that nothing was moved",
    .claims = {{"000-12", "device='cuda' moves a tensor to the GPU"},
               {"000-12b", "device='cuda' makes it on the GPU"},
               {"000-13", "the 37 GiB example runs to its end"}},
    .variants = {{.name = "fits",
                  .environment = {{"TOCUDA_COMPUTE", "0"}},  // the host may have less memory than the GPU
                  .fakes = {"recorder"},
                  .simulate = "1x48GiB",
                  .needs = tocuda::Needs{.gpus = 1, .free_gib = 38},
                  .expected = {{"000-12", refuted}, {"000-12b", reproduced}, {"000-13", refuted}}},
                 {.name = "refused",
                  .fakes = {"recorder"},
                  .needs = tocuda::Needs{.gpus = 1},
                  .expected = {{"000-12", refuted}, {"000-12b", reproduced}, {"000-13", reproduced}}},
                 {.name = "no_driver", .fakes = {"driver absent"}, .expected = {{"000-13", refuted}}}},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::capacity::large_factory
