// tocuda, Apache-2.0.
// Shows what non_blocking does behind work that keeps the stream busy: from pageable memory the copy still waits for
// that work to end; only from pinned memory does the call return earlier. The way back, .cpu(), always waits.
#include <ATen/ATen.h>
#include <ATen/cuda/Sleep.h>
#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include "libtorch/attempt.hpp"
#include "libtorch/crossing.hpp"
#include "libtorch/cuda_runtime.hpp"
#include "worker/registered.hpp"

namespace tocuda::transfer::pinned_source {
namespace {

constexpr std::int64_t bytes = std::int64_t{4} << 20;
constexpr std::int64_t cycles = 400'000'000;  // about 0.2 s at 2 GHz, far longer than any call that does not wait

// Records whether the work queued before the action had ended when the action returned.
template <class Action>
void behind_work(Observer& see, const std::string& name, Action action) {
    const c10::impl::VirtualGuardImpl cuda(at::kCUDA);
    const auto stream = cuda.getStream(at::Device(at::kCUDA, 0));
    stream.synchronize();
    at::cuda::sleep(cycles);
    c10::Event work_ended(at::kCUDA);
    work_ended.record(stream);
    see(name + ".busy_before", !work_ended.query());
    const tocuda::CrossingMark mark;
    const at::Tensor kept = action();
    const bool waited = work_ended.query();
    say(see, name, mark.read());
    see(name + ".waited", waited);
    see(name + ".device", tocuda::text(kept.device()));
    stream.synchronize();
}

void observe(Observer& see) {
    see("pageable_memory_access", tocuda::attribute(tocuda::Attribute::pageable_memory_access).value_or(0) != 0);
    const auto source = at::arange(0, bytes / 4, at::kInt);
    const auto pinned = source.pin_memory();
    see("source.pinned", source.is_pinned());
    see("pinned.pinned", pinned.is_pinned());
    const auto moved = source.to(at::kCUDA);
    // The way there and back, before any kernel is launched.
    const tocuda::CrossingMark mark;
    const auto back = moved.cpu();
    say(see, "back", mark.read());
    see.computed_by_gpu("back.equal", at::equal(back, source));
    behind_work(see, "pageable", [&] { return source.to(at::kCUDA, at::kInt, true); });
    behind_work(see, "pinned", [&] { return pinned.to(at::kCUDA, at::kInt, true); });
    behind_work(see, "pinned_blocking", [&] { return pinned.to(at::kCUDA); });
    behind_work(see, "cpu()", [&] { return moved.cpu(); });
}

void judge_overlap(const Evidence& evidence, Judgement& say) {
    if (evidence.flag("source.pinned") || !evidence.flag("pinned.pinned")) return;
    const bool crossed = evidence.integer("pageable.to_device_bytes") == bytes &&
                         evidence.integer("pageable.to_device_pinned_bytes") == 0 &&
                         evidence.integer("pinned.to_device_pinned_bytes") == bytes &&
                         evidence.text("pageable.device").starts_with("cuda");
    const bool busy = evidence.flag("pageable.busy_before") && evidence.flag("pinned.busy_before");
    if (!crossed || !busy) return;
    const bool without_waiting =
        !evidence.flag("pinned.waited") && evidence.integer("pinned.stream_synchronizations") == 0;
    // There the driver need not stage the copy, so nothing promises that it waits.
    if (!evidence.flag("pageable.waited") && evidence.flag("pageable_memory_access"))
        return say.partial("003-E3", "on this GPU, which reads pageable memory itself, the call returns early");
    if (!evidence.flag("pageable.waited"))
        return say.reproduced("003-E3", "from pageable memory the call returns while earlier work still runs");
    if (without_waiting)
        say.partial("003-E3", "the example's pageable tensor waits for earlier work; a pinned one does not");
    else if (evidence.flag("pinned.waited"))
        say.refuted("003-E3", "pageable or pinned, the call waits for earlier work");
}

void judge(const Evidence& evidence, Judgement& say) {
    if (!evidence.flag("back.recorded")) throw tocuda::Undecided("the recorder was not loaded");
    judge_overlap(evidence, say);
    const bool there = evidence.integer("pinned_blocking.to_device_bytes") == bytes &&
                       evidence.integer("pinned_blocking.stream_synchronizations") == 1;
    const auto back = evidence.integer("back.to_host_bytes");
    const bool back_again = back == bytes && evidence.integer("back.stream_synchronizations") == 1;
    if (there && back_again && evidence.flag("cpu().waited") && evidence.flag("back.equal"))
        say.reproduced("003-09",
                       "cuda() copies " + std::to_string(bytes) + " bytes and waits; cpu() brings them back equal");
    else if (back == 0) say.refuted("003-09", "cpu() copies 0 bytes");
}

const Registered pinned_source{{
    .summary = "copy from pageable and from pinned memory with non_blocking, behind work that keeps the GPU busy",
    .observed = "whether work queued before a copy had ended when the call returned, from pageable and pinned memory, "
                "and the recorder's counts",
    .decisive =
        "from which memory the call returns while the work still runs: from both, from pinned memory alone, or from "
        "neither",
    .claims = {{"003-09", ".cuda() and .cpu() copy explicitly"}, {"003-E3", "cuda(non_blocking=True) can overlap"}},
    .variants = {{.name = "default", .fakes = {"recorder"}, .expected = {{"003-09", reproduced}, {"003-E3", partial}}}},
    .needs = {.gpus = 1},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::transfer::pinned_source
