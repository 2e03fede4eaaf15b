// tocuda, Apache-2.0.
// Puts other CUDA libraries first on the search path, as in an environment mixed from several installations. The
// runtime that came with LibTorch wins over another one; the driver's library does not, and then every move throws. A
// stub of the driver has an error code of its own.
#include "libtorch/attempt.hpp"
#include "libtorch/cuda_runtime.hpp"
#include "libtorch/entry_points.hpp"
#include "libtorch/known_differences.hpp"
#include "worker/registered.hpp"

namespace tocuda::environment::conflicting_libraries {
namespace {

constexpr int stub_library = 34;
constexpr int insufficient_driver = 35;

void observe(Observer& see) {
    tocuda::observe_entry_points(see);
    const auto needed = tocuda::cuda_libraries_needed_by("libc10_cuda.so");
    see("libc10_cuda.needs", tocuda::Values(needed.begin(), needed.end()));
    see("runtime.place", tocuda::place_of("libcudart.so"));
    see("driver.place", tocuda::place_of("libcuda.so"));
    see("runtime.version", tocuda::runtime_version().value_or(0));
    see("runtime.expected_version", tocuda::built_runtime_version());
}

void judge_runtime(const Evidence& evidence, Judgement& say) {
    const auto& place = evidence.text("runtime.place");
    const auto version = evidence.integer("runtime.version");
    const auto expected = evidence.integer("runtime.expected_version");
    const auto words = "built with CUDA " + std::to_string(expected) + ", LibTorch used ";
    constexpr int major = 1000;
    if (expected == 0 || version == 0) return;
    if (place == "with LibTorch" && version / major == expected / major)
        say.partial("001-16",
                    "it must be " + std::to_string(version) + ", but LibTorch brings its own and ignores the path's");
    else if (version / major != expected / major || place == "stand-in")
        say("001-16", version / major != expected / major ? reproduced : refuted,
            words + "the " + std::to_string(version) + " found first on the path");
}

// Whether LibTorch loads one runtime alone, by its major version.
void judge_coupling(const Evidence& evidence, Judgement& say) {
    constexpr int major = 1000;
    const auto built = evidence.integer("runtime.expected_version") / major;
    const auto& needed = evidence.list("libc10_cuda.needs");
    if (needed.empty() || built == 0) return;  // another build of LibTorch, linked in another way
    const auto file = "libcudart.so." + std::to_string(built);
    for (const auto& value : needed)
        if (const auto* name = std::get_if<std::string>(&value.held); name && *name == file)
            return say.reproduced("001-03b", "LibTorch does not load without " + file + ", the runtime of its build");
    say.refuted("001-03b", "LibTorch loads without " + file + ", the runtime of its build");
}

// The search path has another runtime before LibTorch's.
void judge_other_runtime(const Evidence& evidence, Judgement& say) {
    const auto& place = evidence.text("runtime.place");
    if (place == "with LibTorch") say.refuted("001-15b", "the other libcudart is not loaded; LibTorch's own is");
    else if (place == "stand-in" && tocuda::every_way_threw(evidence))
        say.reproduced("001-15b", "the other libcudart is loaded, and every way throws");
}

void judge(const Evidence& evidence, Judgement& say) {
    const bool stub = evidence.stand_in == std::vector<std::string>{"driver 13000 init 34"};
    if (!tocuda::every_way_threw(evidence)) {
        say.refuted("001-15", "despite the other libraries " + tocuda::ways_in_words(evidence));
    } else if (evidence.text("driver.place") == "stand-in") {
        if (tocuda::threw_code(evidence, "to(cuda)", stub ? stub_library : insufficient_driver))
            say.reproduced("001-15", std::string(stub ? "a stub" : "another library") +
                                         " in libcuda's place: to(cuda) throws " +
                                         tocuda::error_name(evidence, "to(cuda)"));
    }
    judge_runtime(evidence, say);
    if (stub) return;
    judge_other_runtime(evidence, say);
    judge_coupling(evidence, say);
}

const Registered conflicting_libraries{{
    .summary = "move a tensor with another libcudart and another libcuda first on the search path",
    .observed =
        "every way to the GPU, from where the process mapped libcudart and libcuda, and which libcudart the loader "
        "insists on",
    .decisive = "error code 35 (34 for a stub) of moves that throw; where the runtime was found, and its version "
                "against LibTorch's",
    .claims = {{"001-03b", "the CUDA runtime must be the build's"},
               {"001-15", "a wrong build or libcuda breaks moves"},
               {"001-15b", "another CUDA runtime breaks moves"},
               {"001-16", "the installed CUDA runtime must match"}},
    // The loader replaces $ORIGIN with the program's own folder.
    .variants =
        {{.name = "search_path",
          .environment = {{"LD_LIBRARY_PATH", "$ORIGIN/simulator/simulated"}, {"TOCUDA_SIMULATION", std::nullopt}},
          .expected = {{"001-03b", reproduced}, {"001-15", reproduced}, {"001-15b", refuted}, {"001-16", partial}}},
         {.name = "stub_driver", .fakes = {"driver 13000 init 34"}, .expected = {{"001-15", reproduced}}}},
    .differs =
        {tocuda::hint_of_asynchrony("to(cuda)"),
         tocuda::hint_of_asynchrony("cuda()"),
         {"runtime.version", {{"2.11", "13000"}, {"2.15", "13020"}}, "the CUDA runtime that ships with LibTorch", {}}},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::environment::conflicting_libraries
