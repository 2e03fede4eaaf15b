// tocuda, Apache-2.0.
// No NVIDIA driver at all: every explicit way to the GPU throws an error that says so; only is_available() stays
// silent.
#include <ATen/ATen.h>
#include <torch/cuda.h>

#include "libtorch/attempt.hpp"
#include "libtorch/entry_points.hpp"
#include "libtorch/known_differences.hpp"
#include "libtorch/text.hpp"
#include "worker/registered.hpp"

namespace tocuda::environment::no_driver {
namespace {

constexpr auto reproduced = tocuda::Verdict::reproduced;
constexpr auto refuted = tocuda::Verdict::refuted;
constexpr auto partial = tocuda::Verdict::partial;
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
        say.refuted("000-02", "a way to the GPU did not throw: " + tocuda::ways_in_words(evidence));
        say.reproduced("001-01", "a move did not throw");
        say.reproduced("004-07", "a move did not throw");
        return;
    }
    if (!tocuda::threw_code(evidence, "to(cuda)", insufficient_driver) ||
        !tocuda::threw(evidence, "to(cuda:0)", "c10::Error", no_driver_words) ||
        !tocuda::threw(evidence, "empty(cuda)", "c10::Error", no_driver_words))
        throw tocuda::Undecided("a move failed for a reason other than a missing driver: " +
                                tocuda::ways_in_words(evidence));
    const auto words = tocuda::ways_in_words(evidence);
    say.reproduced("000-02", words);
    say.refuted("001-01", "every move throws, none fails silently: " + words);
    say.refuted("004-07", "nothing falls back to the CPU: " + words);
}

void judge(const Evidence& evidence, Judgement& say) {
    judge_ways_in(evidence, say);
    const bool quiet = !evidence.flag("is_available") && evidence.integer("is_available.warnings") == 0;
    if (quiet && tocuda::every_way_threw(evidence))
        say.partial("004-01", "is_available() is false without a warning, but an explicit move throws");
    const auto& device = evidence.text("guarded.device");
    const bool guarded = device == "cpu" && !evidence.flag("is_available.threw");
    const auto because = "is_available() is false and does not throw; the guarded tensor is on " + device;
    say("001-E1", guarded ? reproduced : refuted, because);
    const bool none = guarded && evidence.integer("device_count") == 0;
    say("004-E1", none ? reproduced : refuted,
        because + (none ? "; device_count() is 0" : "; the guard failed or device_count() is not 0"));
}

const Registered no_driver{{
    .summary = "move a tensor on a machine without an NVIDIA driver",
    .observed = "is_available() and its warnings, each way to the GPU, and a guarded move, with no driver to load",
    .decisive = "error code 35 and LibTorch's \"Found no NVIDIA driver\"; a way that does not throw would be the "
                "silent fallback",
    .claims = {{"000-02", "without a CUDA library, a driver or a GPU nothing works on the GPU"},
               {"001-01", "the move usually fails silently: the tensor just stays on the CPU"},
               {"004-01", "the cause is a mismatch of installation and driver, with no glaring error"},
               {"004-07", "with any prerequisite missing PyTorch falls back to the CPU"},
               {"001-E1", "choosing the device by is_available() makes the move safe"},
               {"004-E1", "printing the count and picking cuda:0 or the CPU works"}},
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
