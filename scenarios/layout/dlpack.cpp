// tocuda, Apache-2.0.
// Hands a tensor to another framework. DLPack passes the address, the strides and the device; nothing is copied, on the
// CPU or on the GPU, and a tensor that came back is an ordinary one that can move.
#include <ATen/ATen.h>
#include <ATen/DLConvertor.h>

#include "libtorch/attempt.hpp"
#include "libtorch/crossing.hpp"
#include "worker/registered.hpp"

namespace tocuda::layout::dlpack {
namespace {

// Passes a tensor through DLPack and back, as another framework would. Returns the tensor that came back, undefined if
// the exchange threw.
at::Tensor observe_exchange(Observer& see, const std::string& name, const at::Tensor& source) {
    at::Tensor back;
    std::int64_t device_kind = 0;
    const auto exchanged = tocuda::attempt([&] {
        auto* handed_over = at::toDLPack(source);
        device_kind = static_cast<std::int64_t>(handed_over->dl_tensor.device.device_type);
        back = at::fromDLPack(handed_over);
    });
    say(see, name, exchanged);
    if (exchanged.threw) return back;
    see(name + ".device_kind", device_kind);
    see(name + ".device", tocuda::text(back.device()));
    see(name + ".same_address", back.const_data_ptr() == source.const_data_ptr());
    see(name + ".same_shape",
        back.sizes() == source.sizes() && back.strides() == source.strides() && back.dtype() == source.dtype());
    return back;
}

void observe(Observer& see) {
    const auto source = at::arange(0, 24, at::kFloat).reshape({4, 6}).t();
    const auto back = observe_exchange(see, "cpu", source);
    const bool moves = see.variant() == "moved";
    see("moves", moves);
    if (!moves || !back.defined()) return;
    say(see, "own.move", tocuda::attempt([] { at::ones({4, 6}).to(at::kCUDA); }));
    auto moved = back;
    say(see, "move", tocuda::attempt([&] { moved = back.to(at::kCUDA); }));
    see.computed_by_gpu("move.equal", moved.is_cuda() && at::equal(moved.to(at::kCPU), source));
    const tocuda::CrossingMark mark;
    const auto kept = observe_exchange(see, "gpu", moved);
    say(see, "gpu.crossing", mark.read());
    if (kept.defined()) see.computed_by_gpu("gpu.equal", at::equal(kept.to(at::kCPU), source));
}

// Returns false if the exchange failed or copied; records the verdict if an exception decides it.
bool shared(const Evidence& evidence, Judgement& say, const std::string& name) {
    if (evidence.flag(name + ".threw")) {
        const auto& type = evidence.text(name + ".type");
        if (type == "c10::AcceleratorError" || type == "c10::OutOfMemoryError")
            throw tocuda::Undecided("the GPU itself failed: " + type);
        say.reproduced("002-11", "exchanging a " + name + " tensor throws " + tocuda::error_name(evidence, name));
        return false;
    }
    return evidence.flag(name + ".same_address") && evidence.flag(name + ".same_shape");
}

void judge(const Evidence& evidence, Judgement& say) {
    constexpr std::int64_t dlpack_cpu = 1;
    constexpr std::int64_t dlpack_cuda = 2;
    const bool moves = evidence.flag("moves");
    if (!shared(evidence, say, "cpu") || evidence.integer("cpu.device_kind") != dlpack_cpu) return;
    if (!moves) return say.refuted("002-11", "through DLPack and back: the same address, shape and strides");
    if (evidence.flag("move.threw")) tocuda::require_control(evidence, "own.move", "moving LibTorch's own tensor");
    if (evidence.flag("move.threw"))
        return say.reproduced("002-11", "moving what came back throws " + tocuda::error_name(evidence, "move"));
    if (!evidence.flag("move.equal") || !shared(evidence, say, "gpu") ||
        !evidence.text("gpu.device").starts_with("cuda"))
        return;
    if (!evidence.flag("gpu.crossing.recorded")) throw tocuda::Undecided("the recorder was not loaded");
    const auto crossed =
        evidence.integer("gpu.crossing.to_device_bytes") + evidence.integer("gpu.crossing.to_host_bytes");
    if (crossed == 0 && evidence.flag("gpu.equal") && evidence.integer("gpu.device_kind") == dlpack_cuda)
        say.refuted("002-11", "what came back moves; there DLPack keeps the address and copies 0 bytes");
}

const Registered dlpack{{
    .summary = "hand a transposed tensor to another framework by DLPack and back, on the CPU and on the GPU",
    .observed =
        "the address, strides and device of a tensor before and after DLPack, and what crosses the bus meanwhile",
    .decisive =
        "the same address and no byte crossed make it false; an exception counts only if LibTorch's own tensor moves",
    .claims = {{"002-11", "another framework's layout is at fault"}},
    .variants = {{.name = "cpu", .expected = {{"002-11", refuted}}},
                 {.name = "moved",
                  .fakes = {"recorder"},
                  .needs = tocuda::Needs{.gpus = 1},
                  .expected = {{"002-11", refuted}}}},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::layout::dlpack
