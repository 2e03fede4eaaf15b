// tocuda, Apache-2.0.
// No NVIDIA driver at all: every explicit way to the GPU throws an error that says so; only is_available() stays
// silent.
#include <ATen/ATen.h>
#include <torch/cuda.h>

#include "libtorch/attempt.hpp"
#include "libtorch/entry_points.hpp"
#include "libtorch/known_differences.hpp"
#include "worker/registered.hpp"

namespace tocuda::environment::no_driver {
namespace {

constexpr int insufficient_driver = 35;
constexpr auto no_driver_words = "Found no NVIDIA driver on your system";

void observe(Observer& see) {
    tocuda::observe_entry_points(see);
    // The documents' guard: choose by is_available(), then move.
    const auto chosen = torch::cuda::is_available() ? at::Device(at::kCUDA) : at::Device(at::kCPU);
    see("guarded.device", tocuda::text(at::randn({10, 10}).to(chosen).device()));
    see("device_count", static_cast<std::int64_t>(torch::cuda::device_count()));
}

void judge_ways_in(const Evidence& evidence, Judgement& say) {
    if (!tocuda::every_way_threw(evidence)) {
        const auto words = "without a driver " + tocuda::ways_in_words(evidence);
        say.refuted("000-02", words);
        say.reproduced("001-01", words);
        say.reproduced("004-07", words);
        return;
    }
    if (!tocuda::threw_code(evidence, "to(cuda)", insufficient_driver) ||
        !tocuda::threw(evidence, "to(cuda:0)", "c10::Error", no_driver_words) ||
        !tocuda::threw(evidence, "empty(cuda)", "c10::Error", no_driver_words))
        throw tocuda::Undecided("a move failed for a reason other than a missing driver");
    const auto words = tocuda::ways_in_words(evidence);
    say.reproduced("000-02", words);
    say.refuted("001-01", words);
    say.refuted("004-07", words);
}

void judge(const Evidence& evidence, Judgement& say) {
    judge_ways_in(evidence, say);
    const bool quiet = !evidence.flag("is_available") && evidence.integer("is_available.warnings") == 0;
    if (quiet && tocuda::every_way_threw(evidence))
        say.partial("004-01", "is_available() is false without a warning; to(cuda) throws " +
                                  tocuda::error_name(evidence, "to(cuda)"));
    const auto& device = evidence.text("guarded.device");
    const bool guarded = device == "cpu" && !evidence.flag("is_available.threw");
    say("001-E1", guarded ? reproduced : refuted,
        "without a driver the tensor is on " + device + "; is_available() " +
            (evidence.flag("is_available.threw") ? "throws" : "does not throw"));
    const auto count = evidence.integer("device_count");
    say("004-E1", guarded && count == 0 ? reproduced : refuted,
        "device_count() is " + std::to_string(count) + ", and the tensor is on " + device);
}

const Registered no_driver{{
    .summary = "move a tensor on a machine without an NVIDIA driver",
    .observed = "is_available() and its warnings, each way to the GPU, and a guarded move, with no driver to load",
    .decisive = "error code 35 and LibTorch's \"Found no NVIDIA driver\"; a way that does not throw would be the "
                "silent fallback",
    .claims = {{"000-02", "without library or driver nothing works"},
               {"001-01", "a failed move is often silent"},
               {"004-01", "a mismatch shows no glaring error"},
               {"004-07", "whatever is missing, the CPU is used"},
               {"001-E1", "without CUDA the CPU is chosen"},
               {"004-E1", "is_available() detects missing hardware"}},
    .variants = {{.name = "no_driver",
                  .fakes = {"driver absent"},
                  .expected = {{"000-02", reproduced},
                               {"001-01", refuted},
                               {"004-01", partial},
                               {"004-07", refuted},
                               {"001-E1", reproduced},
                               {"004-E1", reproduced}}}},
    .differs = tocuda::hints_of_asynchrony_without_a_gpu(),
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::environment::no_driver
