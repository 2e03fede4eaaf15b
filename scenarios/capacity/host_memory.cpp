// tocuda, Apache-2.0.
// Requests more host memory than any machine has. The error is a plain one: it is not an OutOfMemoryError, its text
// does not say "out of memory", and the GPU's allocator is not involved.
#include <ATen/ATen.h>

#include "libtorch/allocator.hpp"
#include "libtorch/attempt.hpp"
#include "worker/registered.hpp"

namespace tocuda::capacity::host_memory {
namespace {

constexpr std::int64_t more_than_there_is = std::int64_t{1} << 50;

void observe(Observer& see) {
    const bool beside_a_gpu = see.variant() == "gpu_free";
    see("beside_a_gpu", beside_a_gpu);
    at::Tensor there;
    if (beside_a_gpu) there = at::arange(0, 1000, at::kInt).to(at::kCUDA);
    // No device is named, as where the documents make tensors before moving them.
    say(see, "host", tocuda::attempt([&] { at::empty({more_than_there_is}, at::kByte); }));
    see("small.device", tocuda::text(at::empty({1000}).device()));
    if (!beside_a_gpu) return;
    // An operation on a GPU tensor whose result is on the CPU.
    say(see, "copy_back", tocuda::attempt([&] { there.expand({more_than_there_is, 1000}).to(at::kCPU); }));
    say(see, "gpu", tocuda::allocator_figures());
    say(see, "gpu.after", tocuda::attempt([&] { at::empty({1 << 20}, at::device(at::kCUDA)); }));
}

void judge_type(const Evidence& evidence, Judgement& say, const std::string& elsewhere) {
    const auto& type = evidence.text("host.type");
    const auto& message = evidence.text("host.message");
    const auto words = "1 PiB on the CPU throws " + tocuda::error_name(evidence, "host");
    if (type == "c10::OutOfMemoryError") return say.reproduced("003-05", words + elsewhere);
    if (tocuda::threw_host_is_full(evidence, "host") && message.find("out of memory") == std::string::npos &&
        evidence.text("small.device") == "cpu")
        say.partial("003-05", words + ", no OutOfMemoryError" + elsewhere);
}

void judge(const Evidence& evidence, Judgement& say) {
    const bool beside_a_gpu = evidence.flag("beside_a_gpu");
    if (!evidence.flag("host.threw")) return say.refuted("003-05", "1 PiB of host memory was granted");
    if (!beside_a_gpu) return judge_type(evidence, say, "");
    const bool gpu_free = evidence.integer("gpu.out_of_memory") == 0 && !evidence.flag("gpu.after.threw");
    const bool same =
        tocuda::threw_host_is_full(evidence, "copy_back") || tocuda::threw_out_of_memory(evidence, "copy_back");
    if (gpu_free && same) judge_type(evidence, say, "; the GPU has room");
}

const Registered host_memory{{
    .summary = "request more host memory than there is while the GPU is free",
    .observed = "the exception of a request for 2^50 bytes of host memory and, with a GPU, its allocator's count of "
                "failures and one more request to it",
    .decisive = "the exception's type, then its text: an OutOfMemoryError while the GPU still grants requests "
                "makes it true, another error is partly true",
    .claims = {{"003-05", "full host memory: OutOfMemoryError"}},
    .variants = {{.name = "cpu", .expected = {{"003-05", partial}}},
                 {.name = "gpu_free", .needs = tocuda::Needs{.gpus = 1}, .expected = {{"003-05", partial}}}},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::capacity::host_memory
