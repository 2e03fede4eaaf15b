// tocuda, Apache-2.0.
// A move needs a GPU of a generation that LibTorch was built for, but no toolkit: with no toolkit on PATH, every CUDA
// library in the process comes with LibTorch or with the driver. (A build for ROCm calls AMD's GPUs 'cuda', too; the
// document speaks of CUDA, and so does this.)
#include <ATen/ATen.h>
#include <torch/cuda.h>

#include <algorithm>
#include <cstdio>

#include "libtorch/attempt.hpp"
#include "libtorch/cuda_runtime.hpp"
#include "libtorch/entry_points.hpp"
#include "libtorch/known_differences.hpp"
#include "worker/registered.hpp"

namespace tocuda::environment::what_is_needed {
namespace {

constexpr int no_device = 100;

void observe_toolkit(Observer& see) {
    const char* path = std::getenv("PATH");
    see("toolkit.on_path", path && *path != '\0');
    see("toolkit.named", std::getenv("CUDA_HOME") || std::getenv("CUDA_PATH"));
    tocuda::Values elsewhere;
    const auto libraries = tocuda::cuda_libraries();
    for (const auto& [file, place] : libraries)
        if (place == "elsewhere") elsewhere.emplace_back(file);
    see("libraries", static_cast<std::int64_t>(libraries.size()));
    see("libraries.elsewhere", elsewhere);
}

void observe(Observer& see) {
    tocuda::Values architectures;
    for (const auto& architecture : tocuda::built_architectures()) architectures.emplace_back(architecture);
    see("architectures", architectures);
    tocuda::observe_entry_points(see);
    if (!torch::cuda::is_available()) return;
    see("compute_capability", tocuda::compute_capability(0).value_or(""));
    const auto source = at::arange(1000, at::kInt);
    const auto moved = source.to(at::kCUDA);
    see("moved.device", tocuda::text(moved.device()));
    see.computed_by_gpu("moved.equal", at::equal(moved.to(at::kCPU), source));
    observe_toolkit(see);
}

// The number after the last underscore of "sm_86", "sm_90a" or "compute_120".
int generation_of(const std::string& architecture) {
    int number = 0;
    if (std::sscanf(architecture.c_str() + architecture.rfind('_') + 1, "%d", &number) != 1)
        throw tocuda::Undecided("an architecture has no number");
    return number;
}

// Code for 8.6 runs on 8.9: the major version must match and the minor version must not be older. The driver compiles
// PTX (compute_120) for anything newer.
bool is_covered(const Evidence& evidence) {
    int major = 0;
    int minor = 0;
    if (std::sscanf(evidence.text("compute_capability").c_str(), "%d.%d", &major, &minor) != 2)
        throw tocuda::Undecided("the compute capability is unknown");
    const int generation = 10 * major + minor;
    const auto& architectures = evidence.list("architectures");
    return std::any_of(architectures.begin(), architectures.end(), [&](const tocuda::Value& value) {
        const auto* name = std::get_if<std::string>(&value.held);
        if (!name || name->find('_') == name->npos) throw tocuda::Undecided("an architecture is not text");
        const int built_for = generation_of(*name);
        return built_for <= generation && (name->starts_with("compute_") || built_for / 10 == major);
    });
}

void judge_gpu(const Evidence& evidence, Judgement& say) {
    if (!evidence.text("moved.device").starts_with("cuda") || !evidence.flag("moved.equal")) return;
    const auto words = "a move works; compute capability " + evidence.text("compute_capability") + " is ";
    if (is_covered(evidence)) say.reproduced("004-02", words + "one of this build");
    else say.inconclusive("004-02", words + "none of this build");
    if (evidence.flag("toolkit.on_path") || evidence.flag("toolkit.named"))
        throw tocuda::Undecided("a toolkit may be on PATH or in CUDA_HOME or CUDA_PATH");
    // Where LibTorch itself is linked to a toolkit's libraries, nothing shows whether it could do without.
    const auto& elsewhere = evidence.list("libraries.elsewhere");
    if (!elsewhere.empty())
        throw tocuda::Undecided("CUDA libraries not from LibTorch or the driver: " + std::to_string(elsewhere.size()));
    if (evidence.integer("libraries") > 0)
        say.refuted("004-03", "a move works with " + std::to_string(evidence.integer("libraries")) +
                                  " CUDA libraries, none from a toolkit");
}

void judge(const Evidence& evidence, Judgement& say) {
    if (evidence.flag("is_available")) judge_gpu(evidence, say);
    else if (tocuda::threw_code(evidence, "to(cuda)", no_device))
        say.reproduced("004-02", "without a GPU to(cuda) throws error 100");
    else if (!evidence.flag("to(cuda).threw")) say.refuted("004-02", "without a GPU to(cuda) does not throw");
}

const Registered what_is_needed{{
    .summary = "move a tensor with a GPU but no toolkit, and with neither",
    .observed = "the GPU's generation, those that LibTorch was built for, a move with no toolkit on any path, and the "
                "libraries mapped",
    .decisive = "the move must succeed without a library from a toolkit; without a GPU every way must throw error 100",
    .claims = {{"004-02", "a compatible NVIDIA GPU is needed"}, {"004-03", "a CUDA toolkit must be installed"}},
    .variants = {{.name = "with_gpu",
                  .environment = {{"PATH", ""}, {"CUDA_HOME", std::nullopt}, {"CUDA_PATH", std::nullopt}},
                  .needs = tocuda::Needs{.gpus = 1},
                  .expected = {{"004-02", reproduced}, {"004-03", refuted}}},
                 {.name = "no_gpu", .fakes = {"driver 13000 init 100"}, .expected = {{"004-02", reproduced}}}},
    .differs = {tocuda::hint_of_asynchrony("to(cuda)", {"no_gpu"}),
                tocuda::hint_of_asynchrony("cuda()", {"no_gpu"}),
                {"architectures",
                 {{"2.11", ""}, {"2.15", "sm_75"}},
                 "the GPU generations that LibTorch names where there is no GPU",
                 {"no_gpu"}}},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::environment::what_is_needed
