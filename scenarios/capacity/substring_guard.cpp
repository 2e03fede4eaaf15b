// tocuda, Apache-2.0.
// Requests 381 MiB guarded by a search for "out of memory" in the message. On an idle GPU the guard never runs; under a
// cap it works; without a driver, and if the CPU's memory runs out, the error is a different one.
#include <ATen/ATen.h>
#include <torch/cuda.h>

#include "libtorch/allocator.hpp"
#include "libtorch/attempt.hpp"
#include "libtorch/entry_points.hpp"
#include "worker/registered.hpp"

namespace tocuda::capacity::substring_guard {
namespace {

constexpr std::int64_t more_than_any_machine = std::int64_t{1} << 50;

// Records which branch of the example runs.
void example(Observer& see, const std::string& name, const std::function<void()>& work) {
    const auto tried = tocuda::attempt(work);
    say(see, name, tried);
    see(name + ".branch", !tried.threw                                               ? "none"
                          : tried.message.find("out of memory") != std::string::npos ? "out of memory"
                                                                                     : "another error");
}

void on_the_gpu() { at::empty({10000, 10000}, at::device(at::Device(at::kCUDA, 0))); }

void observe(Observer& see) {
    see("is_available", torch::cuda::is_available());
    example(see, "gpu", on_the_gpu);
    example(see, "cpu", [] { at::empty({more_than_any_machine}, at::kByte); });
    if (!torch::cuda::is_available()) return;
    tocuda::empty_cache();
    tocuda::cap(see, 256);
    example(see, "capped", on_the_gpu);
}

void judge(const Evidence& evidence, Judgement& say) {
    const auto& gpu = evidence.text("gpu.branch");
    const auto& cpu = evidence.text("cpu.branch");
    if (!tocuda::threw_host_is_full(evidence, "cpu"))
        throw tocuda::Undecided("1 PiB on the CPU gives no error of its allocator");
    if (!evidence.flag("is_available")) {
        if (gpu == "another error" && cpu == "another error" &&
            tocuda::threw(evidence, "gpu", "c10::Error", "Found no NVIDIA driver"))
            say.partial("004-E3",
                        "the handler misses \"" + tocuda::opening(evidence.text("gpu.message")) + "\" and a full CPU");
        else if (gpu == "none") say.refuted("004-E3", "without a driver 381 MiB is granted");
        else throw tocuda::Undecided("no GPU is available, for another reason than a missing driver");
        return;
    }
    tocuda::require_cap(evidence);
    if (evidence.flag("capped.threw") && !tocuda::threw_out_of_memory(evidence, "capped"))
        throw tocuda::Undecided("under the cap another error: " + tocuda::error_name(evidence, "capped"));
    const auto& capped = evidence.text("capped.branch");
    const auto words = "381 MiB under a cap of 256 MiB: the branch taken is \"" + capped + "\"";
    say("004-E3b", capped == "out of memory" ? reproduced : refuted, words);
    if (capped != "out of memory") say.refuted("004-E3", words);
    else if (gpu == "out of memory" && cpu == "out of memory")
        say.reproduced("004-E3", "the handler recognises a full GPU and a full CPU");
    else if (gpu == "none" && cpu == "another error")
        say.partial("004-E3", "the handler recognises a full GPU, not a full CPU; 381 MiB fits when idle");
}

const Registered substring_guard{{
    .summary = "request 381 MiB on the GPU, guarded by \"out of memory\" in the message",
    .observed = "which branch the guard takes for 381 MiB on the GPU, for the same under a cap of 256 MiB, and for too "
                "much host memory",
    .decisive = "types and texts of the errors: the guard must catch the capped request; missing the host's error is "
                "partly true",
    .claims = {{"004-E3", "the handler recognises memory errors"},
               {"004-E3b", "the handler catches a full GPU's error"}},
    .variants = {{.name = "with_gpu",
                  .needs = tocuda::Needs{.gpus = 1, .free_gib = 0.5},
                  .expected = {{"004-E3", partial}, {"004-E3b", reproduced}}},
                 {.name = "no_driver", .fakes = {"driver absent"}, .expected = {{"004-E3", partial}}}},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::capacity::substring_guard
