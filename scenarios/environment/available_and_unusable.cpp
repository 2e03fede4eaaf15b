// tocuda, Apache-2.0.
// is_available() only counts GPUs: it is true if the GPU is full, and if LibTorch has no kernel for it. In the second
// case the move still succeeds, because a copy needs no kernel; the first operation fails.
#include <ATen/ATen.h>
#include <torch/cuda.h>

#include "libtorch/allocator.hpp"
#include "libtorch/attempt.hpp"
#include "libtorch/cuda_runtime.hpp"
#include "worker/registered.hpp"

namespace tocuda::environment::available_and_unusable {
namespace {

constexpr int invalid_image = 200;
constexpr int no_kernel_image = 209;
constexpr int invalid_ptx = 218;
constexpr int unsupported_ptx = 222;

bool found_no_kernel(const Evidence& evidence, const std::string& name) {
    return tocuda::threw_code(evidence, name, no_kernel_image) || tocuda::threw_code(evidence, name, invalid_image) ||
           tocuda::threw_code(evidence, name, invalid_ptx) || tocuda::threw_code(evidence, name, unsupported_ptx);
}

void observe_full(Observer& see) {
    tocuda::cap(see, 64);
    const auto full = at::empty({64 * mebibyte}, at::dtype(at::kByte).device(at::kCUDA));
    see("is_available", torch::cuda::is_available());
    const auto source = at::arange(100, at::kFloat);
    auto guarded = source;
    say(see, "guarded.move", tocuda::attempt([&] {
            if (torch::cuda::is_available()) guarded = source.to(at::kCUDA);
        }));
    see("guarded.device", tocuda::text(guarded.device()));
}

void observe_no_kernel(Observer& see) {
    see("is_available", torch::cuda::is_available());
    see("compute_capability", tocuda::compute_capability(0).value_or(""));
    const auto source = at::arange(100, at::kFloat);
    at::Tensor moved;
    say(see, "guarded.move", tocuda::attempt([&] { moved = source.to(at::kCUDA); }));
    if (!moved.defined()) return;
    see("guarded.device", tocuda::text(moved.device()));
    see.computed_by_gpu("guarded.equal", at::equal(moved.to(at::kCPU), source));
    say(see, "operation", tocuda::attempt([&] { (moved + moved).to(at::kCPU); }));
}

void judge_full(const Evidence& evidence, Judgement& say) {
    tocuda::require_cap(evidence);
    if (!evidence.flag("is_available")) throw tocuda::Undecided("is_available() was false although the GPU was in use");
    if (!evidence.flag("guarded.move.threw")) {
        for (const std::string claim : {"000-03", "004-10"})
            say.reproduced(claim, "is_available() is true, and the move works on " + evidence.text("guarded.device"));
        return;
    }
    if (evidence.text("guarded.move.type") != "c10::OutOfMemoryError") return;
    const std::string words = "is_available() is true of a GPU without room: a move throws OutOfMemoryError";
    say.partial("000-03", words);
    say.partial("004-10", words);
}

void judge_no_kernel(const Evidence& evidence, Judgement& say) {
    if (!evidence.flag("is_available")) throw tocuda::Undecided("is_available() was false, so the case was not tested");
    const auto error = [&](const std::string& name) { return std::to_string(evidence.integer(name + ".code")); };
    if (evidence.flag("guarded.move.threw")) {
        if (!found_no_kernel(evidence, "guarded.move"))
            throw tocuda::Undecided("the move failed for another reason: " + evidence.text("guarded.move.type"));
        for (const std::string claim : {"004-04", "004-04b"})
            say.reproduced(claim,
                           "without a kernel for this GPU the move itself throws error " + error("guarded.move"));
        return;
    }
    const bool arrived = evidence.text("guarded.device").starts_with("cuda") && evidence.flag("guarded.equal");
    if (!arrived) return;
    if (!evidence.flag("operation.threw")) {
        if (evidence.device != tocuda::Device::real) throw tocuda::Undecided("a simulated GPU needs no kernel");
        for (const std::string claim : {"004-04", "004-04b"})
            say.refuted(claim, "with nothing but PTX of this LibTorch a move and an addition work");
        throw tocuda::Undecided("the addition found a kernel: this LibTorch brings PTX for this GPU");
    }
    if (!found_no_kernel(evidence, "operation")) return;
    const auto throws = "an addition throws error " + error("operation");
    const auto words = "true of a GPU that cannot compute: a move works, " + throws;
    say.partial("000-03", words);
    say.partial("004-10", words);
    say.refuted("004-04", "without a kernel for this GPU a move works; " + throws);
    say.reproduced("004-04b", "without a kernel for this GPU " + throws);
}

void judge(const Evidence& evidence, Judgement& say) {
    if (evidence.has("cap")) judge_full(evidence, say);
    else judge_no_kernel(evidence, say);
}

void observe(Observer& see) {
    if (see.variant() == "full") observe_full(see);
    else observe_no_kernel(see);
}

const Registered available_and_unusable{{
    .summary = "rely on is_available() while the GPU is full, and while LibTorch has no kernel for it",
    .observed = "the result of is_available(), whether the move that it guards throws, and whether an operation "
                "afterwards does",
    .decisive = "true followed by an OutOfMemoryError, or by error 209, 200, 218 or 222 (no kernel), makes the check "
                "insufficient",
    .claims = {{"000-03", "is_available() identifies what is wrong"},
               {"004-04", "a move needs code for this GPU"},
               {"004-04b", "computing needs code for this GPU"},
               {"004-10", "is_available() means a suitable GPU"}},
    .variants =
        {{.name = "full", .expected = {{"000-03", partial}, {"004-10", partial}}},
         // With this variable the driver ignores every kernel compiled for this GPU, as if there were none.
         {.name = "no_kernel_image",
          .environment = {{"CUDA_FORCE_PTX_JIT", "1"}},
          .expected = {{"000-03", partial}, {"004-04", refuted}, {"004-04b", reproduced}, {"004-10", partial}}}},
    .needs = {.gpus = 1},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::environment::available_and_unusable
