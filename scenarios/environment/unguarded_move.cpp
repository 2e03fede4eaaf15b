// tocuda, Apache-2.0.
// The documents' first example: an unguarded .cuda() inside a catch, then a guarded one. With a GPU the first one
// works; without one it throws, but not what `catch (const std::runtime_error&)`, the example in C++, would catch.
#include <ATen/ATen.h>
#include <torch/cuda.h>

#include <stdexcept>

#include "libtorch/attempt.hpp"
#include "libtorch/known_differences.hpp"
#include "worker/registered.hpp"

namespace tocuda::environment::unguarded_move {
namespace {

std::string caught_by(const std::function<void()>& action) {
    try {
        try {
            action();
            return "nothing thrown";
        } catch (const std::runtime_error&) {
            return "std::runtime_error";
        }
    } catch (const c10::Error&) {
        return "c10::Error";
    }
}

void observe(Observer& see) {
    auto first = at::arange(25, at::kFloat).reshape({5, 5});
    say(see, "unguarded", tocuda::attempt([&] { first = first.cuda(); }));
    see("unguarded.device", tocuda::text(first.device()));
    see("unguarded.caught_by", caught_by([&] { at::arange(25, at::kFloat).to(at::Device(at::kCUDA, 0)); }));
    auto second = at::arange(25, at::kFloat);
    const bool available = torch::cuda::is_available();
    see("is_available", available);
    say(see, "guarded", tocuda::attempt([&] {
            if (available) second = second.cuda();
        }));
    see("guarded.device", tocuda::text(second.device()));
}

// True if there is no driver, or no CUDA in this LibTorch: the cases that the example is about.
bool cuda_is_missing(const Evidence& evidence) {
    constexpr int insufficient_driver = 35;
    return tocuda::threw_code(evidence, "unguarded", insufficient_driver) ||
           tocuda::threw(evidence, "unguarded", "c10::Error", "PyTorch is not linked with support for cuda devices") ||
           tocuda::threw(evidence, "unguarded", "c10::Error", "Cannot initialize CUDA without ATen_cuda library");
}

void judge(const Evidence& evidence, Judgement& say) {
    const bool available = evidence.flag("is_available");
    const bool threw = evidence.flag("unguarded.threw");
    const auto& first = evidence.text("unguarded.device");
    const auto& second = evidence.text("guarded.device");
    if (evidence.flag("guarded.threw")) {
        if (available)
            throw tocuda::Undecided("there is a GPU, but the guarded move throws " +
                                    tocuda::error_name(evidence, "guarded"));
        say.refuted("000-E1", "the guarded move was not skipped and throws " + tocuda::error_name(evidence, "guarded"));
    } else if (!available && !threw) {
        say.refuted("000-E1", "without CUDA the unguarded move does not throw; the tensor is on " + first);
    } else if (!available && cuda_is_missing(evidence) && first == "cpu" && second == "cpu") {
        const auto& held = evidence.text("unguarded.caught_by");
        const auto words = "unguarded: " + tocuda::error_name(evidence, "unguarded") + ", ";
        if (held == "std::runtime_error") say.reproduced("000-E1", words + "a std::runtime_error; guarded: skipped");
        else if (held == "c10::Error") say.partial("000-E1", words + "no std::runtime_error; guarded: skipped");
    }
}

const Registered unguarded_move{{
    .summary = "move a tensor inside a catch without a check, then after a check",
    .observed = "what an unguarded .cuda() throws, which catch handles it, and where the unguarded and the guarded "
                "tensor end up",
    .decisive = "whether it throws, the exception's type, and whether a catch of std::runtime_error would handle it",
    .claims = {{"000-E1", ".cuda() without a check: RuntimeError"}},
    .variants = {{.name = "no_driver", .fakes = {"driver absent"}, .expected = {{"000-E1", partial}}},
                 {.name = "linked_without_cuda",
                  .expected = {{"000-E1", partial}},
                  .program = "tocuda-torch-without-cuda"}},
    .differs = {tocuda::hint_of_asynchrony("unguarded", {"no_driver"})},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::environment::unguarded_move
