// tocuda, Apache-2.0.
// Moves to an index that no GPU has. It throws an error with its own type and code, not "CUDA is missing", and never
// falls back to the CPU.
#include <ATen/ATen.h>

#include "libtorch/attempt.hpp"
#include "libtorch/known_differences.hpp"
#include "worker/registered.hpp"

namespace tocuda::selection::out_of_range {
namespace {

constexpr int invalid_device = 101;
constexpr std::int64_t no_such_gpu = 63;  // LibTorch supports at most 64

void observe(Observer& see) {
    const auto source = at::arange(10, at::kFloat);
    auto moved = source;
    const auto nowhere = at::Device(at::kCUDA, no_such_gpu);
    say(see, "move", tocuda::attempt([&] { moved = source.to(nowhere); }));
    say(see, "factory", tocuda::attempt([&] { at::empty({2}, at::device(nowhere)); }));
    see("assigned.device", tocuda::text(moved.device()));
    say(see, "after", tocuda::attempt([&] { moved = source.to(at::Device(at::kCUDA, 0)); }));
}

void judge(const Evidence& evidence, Judgement& say) {
    if (!evidence.flag("move.threw")) {
        const auto words = "a move to cuda:63 ended on " + evidence.text("assigned.device");
        say.refuted("000-10", words);
        say.refuted("001-08", words);
        return;
    }
    const bool ordinal = evidence.text("move.type") == "c10::AcceleratorError" &&
                         evidence.integer("move.code") == invalid_device &&
                         tocuda::threw_code(evidence, "factory", invalid_device) && !evidence.flag("after.threw");
    if (!ordinal) return;
    const auto words = "cuda:0 works; cuda:63, which is none, throws " + tocuda::error_name(evidence, "move");
    say.partial("000-10", words);
    say.partial("001-08", words);
}

const Registered out_of_range{{
    .summary = "move a tensor to a GPU that does not exist",
    .observed = "the exceptions of a move and of a factory for GPU 63, and a move to GPU 0 afterwards",
    .decisive = "the move must throw an AcceleratorError with code 101 (invalid device) while GPU 0 works",
    .claims = {{"000-10", "a RuntimeError means CUDA is missing"},
               {"001-08", "the CPU or an unusable GPU may be tried"}},
    .variants = {{.name = "default", .expected = {{"000-10", partial}, {"001-08", partial}}}},
    .needs = {.gpus = 1},
    .differs = {tocuda::hint_of_asynchrony("move"), tocuda::hint_of_asynchrony("factory")},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::selection::out_of_range
