// tocuda, Apache-2.0.
// Exhausts memory that LibTorch's GPU allocator does not manage. A refused pinned buffer is an AcceleratorError with
// the runtime's code 2, not an OutOfMemoryError, and names neither size nor device. A direct request to the runtime
// fails the same way if another program has filled the GPU.
#include <ATen/ATen.h>

#include "libtorch/attempt.hpp"
#include "libtorch/known_differences.hpp"
#include "worker/registered.hpp"

namespace tocuda::capacity::less_explicit {
namespace {

constexpr int memory_allocation = 2;
constexpr std::int64_t more_than_any_machine = std::int64_t{1} << 50;  // beyond the address space: refused at once

void observe(Observer& see) {
    at::empty({1}, at::device(at::kCUDA));
    const auto bytes = see.variant() == "runtime_refuses" ? std::int64_t{1} << 20 : more_than_any_machine;
    say(see, "pinned", tocuda::attempt([&] { at::empty({bytes}, at::TensorOptions(at::kByte).pinned_memory(true)); }));
    say(see, "gpu",
        tocuda::attempt([] { at::empty({more_than_any_machine}, at::dtype(at::kByte).device(at::kCUDA)); }));
}

void judge(const Evidence& evidence, Judgement& say) {
    if (!evidence.flag("gpu.threw") || evidence.text("gpu.type") != "c10::OutOfMemoryError") return;
    if (!evidence.flag("pinned.threw")) throw tocuda::Undecided("the pinned buffer was granted");
    const auto& type = evidence.text("pinned.type");
    const auto words = "a refused pinned buffer throws " + tocuda::error_name(evidence, "pinned");
    if (type == "c10::OutOfMemoryError") say.refuted("001-11", words + ", too");
    else if (type == "c10::AcceleratorError" && evidence.integer("pinned.code") == memory_allocation)
        say.reproduced("001-11", words + ", no OutOfMemoryError");
}

const Registered less_explicit{{
    .summary = "exhaust memory that LibTorch's GPU allocator does not manage",
    .observed = "the exceptions of a pinned buffer and of a GPU tensor that are both too large",
    .decisive = "the GPU tensor must throw an OutOfMemoryError, the pinned buffer an AcceleratorError with the "
                "runtime's code 2",
    .claims = {{"001-11", "exhaustion may give vaguer errors"}},
    .variants = {{.name = "pinned", .expected = {{"001-11", reproduced}}},
                 {.name = "runtime_refuses",
                  .simulate = "1x1GiB",
                  .faults = {"cudaHostAlloc 1 2"},
                  .expected = {{"001-11", reproduced}}}},
    .needs = {.gpus = 1},
    .differs = {tocuda::hint_of_asynchrony("pinned")},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::capacity::less_explicit
