// tocuda, Apache-2.0.
// Runs a LibTorch without CUDA, as in a CPU-only build or when a linker drops libraries whose symbols are unused: the
// file libtorch_cuda exists but is not in the process. is_available() is false without a warning; every move throws an
// error that names what is missing: the library without an index, the operator with an index or in a factory.
#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <torch/cuda.h>

#include "libtorch/attempt.hpp"
#include "libtorch/cuda_runtime.hpp"
#include "libtorch/entry_points.hpp"
#include "worker/registered.hpp"

namespace tocuda::environment::cpu_build {
namespace {

constexpr auto not_linked = "PyTorch is not linked with support for cuda devices";
constexpr auto no_operator = "arguments from the 'CUDA' backend";
constexpr auto no_library = "Cannot initialize CUDA without ATen_cuda library";

void observe(Observer& see) {
    see("libtorch_cpu.mapped", tocuda::is_mapped("libtorch_cpu.so"));
    see("libtorch_cuda.mapped", tocuda::is_mapped("libtorch_cuda.so"));
    tocuda::observe_entry_points(see);
    say(see, "init", tocuda::attempt([] { at::globalContext().lazyInitDevice(at::kCUDA); }));
    say(see, "pinned", tocuda::attempt([] { at::empty({4}, at::TensorOptions(at::kByte).pinned_memory(true)); }));
    const auto chosen = torch::cuda::is_available() ? at::Device(at::kCUDA) : at::Device(at::kCPU);
    see("guarded.device", tocuda::text(at::ones({4}).to(chosen).device()));
}

// Each way to the GPU has its own error; a different one would mean that something else is missing.
bool all_say_what_is_missing(const Evidence& evidence) {
    return tocuda::threw(evidence, "to(cuda)", "c10::Error", not_linked) &&
           tocuda::threw(evidence, "cuda()", "c10::Error", not_linked) &&
           tocuda::threw(evidence, "to(cuda:0)", "c10::NotImplementedError", no_operator) &&
           tocuda::threw(evidence, "empty(cuda)", "c10::NotImplementedError", no_operator) &&
           tocuda::threw(evidence, "init", "c10::Error", no_library);
}

void judge(const Evidence& evidence, Judgement& say) {
    if (!evidence.flag("libtorch_cpu.mapped") || evidence.flag("libtorch_cuda.mapped"))
        throw tocuda::Undecided("libtorch_cuda is in the process");
    if (!tocuda::every_way_threw(evidence)) {
        const auto words = "without libtorch_cuda " + tocuda::ways_in_words(evidence);
        for (const std::string claim : {"000-02", "001-15", "004-06"}) say.refuted(claim, words);
        if (evidence.text("assigned.device") == "cpu")
            for (const std::string claim : {"001-01", "004-07"}) say.reproduced(claim, words);
        return;
    }
    if (!all_say_what_is_missing(evidence)) throw tocuda::Undecided("a way to the GPU failed for another reason");
    const std::string words = "without libtorch_cuda every way throws c10::Error or NotImplementedError";
    say.refuted("001-01", words);
    say.refuted("004-07", words);
    if (evidence.flag("is_available") || evidence.integer("is_available.warnings") != 0) return;
    for (const std::string claim : {"000-02", "001-15", "004-06"}) say.reproduced(claim, words);
}

const Registered cpu_build{{
    .summary = "move a tensor with a LibTorch whose CUDA library was dropped by the linker",
    .observed = "whether libtorch_cuda is in the process, the result of is_available(), and the exception of each way "
                "to the GPU",
    .decisive =
        "with the library out of the process every way must throw its own error for that; none may end on the CPU",
    .claims = {{"000-02", "without library or driver nothing works"},
               {"001-01", "a failed move is often silent"},
               {"001-15", "a wrong build or libcuda breaks moves"},
               {"004-06", "PyTorch must be built with CUDA"},
               {"004-07", "whatever is missing, the CPU is used"}},
    .variants = {{.name = "linked_without_cuda",
                  .expected = {{"000-02", reproduced},
                               {"001-01", refuted},
                               {"001-15", reproduced},
                               {"004-06", reproduced},
                               {"004-07", refuted}},
                  .program = "tocuda-torch-without-cuda"}},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::environment::cpu_build
