// tocuda, Apache-2.0.
// Exhausts memory that LibTorch's GPU allocator does not manage. A refused pinned buffer is an AcceleratorError with
// the runtime's code 1 or 2, not an OutOfMemoryError, and names neither size nor device. On a GPU that something else
// has filled, a library that needs memory of its own fails in its own words.
#include <ATen/ATen.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "libtorch/allocator.hpp"
#include "libtorch/attempt.hpp"
#include "libtorch/cuda_runtime.hpp"
#include "libtorch/known_differences.hpp"
#include "worker/registered.hpp"

namespace tocuda::capacity::less_explicit {
namespace {

constexpr int invalid_value = 1;  // what many drivers answer to a request for too much
constexpr int memory_allocation = 2;
constexpr std::int64_t more_than_any_machine = std::int64_t{1} << 50;  // beyond the address space: refused at once

void pin(std::int64_t bytes) { at::empty({bytes}, at::TensorOptions(at::kByte).pinned_memory(true)); }

void observe_pinned(Observer& see, std::int64_t bytes) {
    at::empty({1}, at::device(at::kCUDA));
    say(see, "pinned", tocuda::attempt([&] { pin(bytes); }));
    say(see, "small", tocuda::attempt([] { pin(std::int64_t{1} << 20); }));
    say(see, "gpu",
        tocuda::attempt([] { at::empty({more_than_any_machine}, at::dtype(at::kByte).device(at::kCUDA)); }));
}

// Takes what is free, but never more: a driver that moves memory to the host would grant that, too.
std::vector<std::unique_ptr<tocuda::ForeignMemory>> fill() {
    std::vector<std::unique_ptr<tocuda::ForeignMemory>> held;
    auto request = tocuda::gpu_memory().value_or(tocuda::GpuMemory{}).free_bytes;
    while (request >= 2 * mebibyte) {
        held.push_back(std::make_unique<tocuda::ForeignMemory>(0, request));
        const auto free = tocuda::gpu_memory().value_or(tocuda::GpuMemory{}).free_bytes;
        request = std::min(free, held.back()->held() ? free : request / 2);
    }
    return held;
}

void observe_filled(Observer& see) {
    const auto source = at::zeros({64, 64}).to(at::kCUDA);
    const bool integrated = tocuda::attribute(tocuda::Attribute::integrated).value_or(0) != 0;
    see("integrated", integrated);
    if (integrated) return;  // its memory is the host's
    const auto held = fill();
    see("free_mib", tocuda::gpu_memory().value_or(tocuda::GpuMemory{}).free_bytes / mebibyte);
    say(see, "product", tocuda::attempt([&] { at::matmul(source, source).to(at::kCPU); }));
}

void observe(Observer& see) {
    if (see.variant() == "filled_gpu") return observe_filled(see);
    observe_pinned(see, see.variant() == "runtime_refuses" ? std::int64_t{1} << 20 : more_than_any_machine);
}

void judge_filled(const Evidence& evidence, Judgement& say) {
    if (evidence.flag("integrated")) throw tocuda::Undecided("the GPU has no memory of its own to fill");
    if (!evidence.flag("product.threw")) throw tocuda::Undecided("a product still runs on the filled GPU");
    const auto error = tocuda::error_name(evidence, "product");
    // A simulated cuBLAS needs no memory for itself, so what fails is LibTorch's request for its workspace.
    if (tocuda::threw_out_of_memory(evidence, "product"))
        throw tocuda::Undecided("LibTorch's own allocator failed before cuBLAS did");
    const auto& message = evidence.text("product.message");
    if (message.find("CUBLAS_STATUS") == message.npos && !tocuda::threw_code(evidence, "product", memory_allocation))
        throw tocuda::Undecided("the product failed for a reason other than memory: " + error);
    say.reproduced("001-11", "on a full GPU a product throws " + error + ", no OutOfMemoryError");
}

void judge(const Evidence& evidence, Judgement& say) {
    if (evidence.has("integrated")) return judge_filled(evidence, say);
    if (!evidence.flag("gpu.threw") || evidence.text("gpu.type") != "c10::OutOfMemoryError") return;
    if (!evidence.flag("pinned.threw")) throw tocuda::Undecided("the pinned buffer was granted");
    const auto words = "a refused pinned buffer throws " + tocuda::error_name(evidence, "pinned");
    if (evidence.text("pinned.type") == "c10::OutOfMemoryError") return say.refuted("001-11", words + ", too");
    if (!tocuda::threw(evidence, "pinned", "c10::AcceleratorError")) return;
    const auto code = evidence.integer("pinned.code");
    // An invalid argument is about the size only if a small buffer is granted.
    if (code == memory_allocation || (code == invalid_value && !evidence.flag("small.threw")))
        say.reproduced("001-11", words + ", no OutOfMemoryError");
}

const Registered less_explicit{{
    .summary = "exhaust memory that LibTorch's GPU allocator does not manage",
    .observed = "the exceptions of a pinned buffer and a GPU tensor that are both too large, and of a product on a GPU "
                "filled by something else",
    .decisive = "the GPU tensor must throw an OutOfMemoryError; the pinned buffer an error with code 1 or 2, the "
                "product one of cuBLAS or code 2",
    .claims = {{"001-11", "exhaustion may give vaguer errors"}},
    .variants = {{.name = "pinned", .expected = {{"001-11", reproduced}}},
                 {.name = "runtime_refuses",
                  .simulate = "1x1GiB",
                  .faults = {"cudaHostAlloc 1 2"},
                  .expected = {{"001-11", reproduced}}},
                 {.name = "filled_gpu", .expected = {{"001-11", reproduced}}}},
    .needs = {.gpus = 1},
    .differs = {tocuda::hint_of_asynchrony("pinned")},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::capacity::less_explicit
