// tocuda, Apache-2.0.
// Checks whether an error points at the move that caused it. Running out of memory does: allocation is synchronous, and
// the exception's frames contain the move. A fault in a kernel does not: the launch returns, and the next call that
// waits throws, here an unrelated copy back.
#include <ATen/ATen.h>
#include <c10/util/Exception.h>

#include "libtorch/allocator.hpp"
#include "libtorch/attempt.hpp"
#include "worker/registered.hpp"

namespace tocuda::capacity::where_it_points {
namespace {

// Records whether the exception's frames contain the move and the allocation.
void observe_frames(Observer& see) {
    tocuda::cap(see, 64);
    const auto source = at::empty({128 * mebibyte}, at::kByte);
    std::string frames;
    try {
        source.to(at::kCUDA);
    } catch (const c10::OutOfMemoryError& error) {
        frames = error.what();
    }
    see("move.out_of_memory", !frames.empty());
    see("move.frames", frames.find("frame #") != std::string::npos);
    see("move.frames.to_copy", frames.find("_to_copy") != std::string::npos);
    see("move.frames.empty_strided", frames.find("empty_strided") != std::string::npos);
}

void observe(Observer& see) {
    observe_frames(see);
    const auto small = at::arange(8, at::kFloat).to(at::kCUDA);
    const auto innocent = at::arange(8, at::kFloat).to(at::kCUDA);
    // On a real GPU the index is out of range, which only the kernel detects; the simulator injects a fault at the next
    // wait.
    const auto index = at::full({1}, 1000, at::kLong).to(at::kCUDA);
    at::Tensor wrong;
    say(see, "faulty_operation", tocuda::attempt([&] { wrong = at::index_select(small, 0, index); }));
    say(see, "innocent_copy", tocuda::attempt([&] { innocent.to(at::kCPU); }));
}

void judge(const Evidence& evidence, Judgement& say) {
    tocuda::require_cap(evidence);
    if (!evidence.flag("move.out_of_memory")) throw tocuda::Undecided("the move did not run out of memory");
    if (!evidence.flag("move.frames")) throw tocuda::Undecided("this LibTorch records no frames");
    const bool exact = evidence.flag("move.frames.to_copy") && evidence.flag("move.frames.empty_strided");
    constexpr int assertion = 710;
    const bool misplaced =
        !evidence.flag("faulty_operation.threw") && tocuda::threw_code(evidence, "innocent_copy", assertion);
    const bool in_place = tocuda::threw_code(evidence, "faulty_operation", assertion) ||
                          tocuda::threw(evidence, "faulty_operation", "c10::IndexError");
    if (evidence.flag("faulty_operation.threw") && !in_place)
        throw tocuda::Undecided("the operation at fault fails for another reason: " +
                                tocuda::error_name(evidence, "faulty_operation"));
    if (exact && misplaced)
        say.partial("001-12", "out of memory points at the move, a kernel's error 710 at the next copy");
    else if (!exact && misplaced)
        say.reproduced("001-12", "out of memory does not name the move; error 710 appears at the next copy");
    else if (exact && in_place)
        say.refuted("001-12", "out of memory and a kernel's error both appear in the call at fault");
}

const Registered where_it_points{{
    .summary = "find where an out-of-memory error and a kernel's fault are thrown",
    .observed = "the frames of an out-of-memory exception, and which of two calls throws after a fault in a kernel",
    .decisive =
        "the frames must contain the move; partly true if the next, unrelated copy throws the fault, identified by "
        "its code",
    .claims = {{"001-12", "the error may not point at the move"}},
    .variants = {{.name = "kernel_fault", .expected = {{"001-12", partial}}},
                 // The fourth wait is the copy back, after three moves to the GPU.
                 {.name = "simulated_fault",
                  .simulate = "1x1GiB",
                  .faults = {"cudaStreamSynchronize 4 710 sticky"},
                  .expected = {{"001-12", partial}}}},
    .needs = {.gpus = 1},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::capacity::where_it_points
