// tocuda, Apache-2.0.
// What compiles kernels: torch.compile with Triton and ptxas, nvrtc, and extensions that are built with nvcc.
#include <fmt/core.h>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"

namespace tocuda::doctor {
namespace {

constexpr auto without_compile = "TORCH_COMPILE_DISABLE=1 python ...   (without torch.compile: slower, not wrong)";

// "out of resource: shared memory, Required: 327768, Hardware limit: 232448"
void read_shared_memory(std::string_view text, std::size_t at, Explanation& told) {
    const auto message = flattened(text_near(text, at, 300, 400), 700);
    const auto wanted = number_after(message, "Required:");
    const auto limit = number_after(message, "Hardware limit:");
    if (!wanted || !limit) return;
    told.figures.push_back({"requested", *wanted, "bytes"});
    told.figures.push_back({"limit", *limit, "bytes"});
    told.arithmetic.push_back(
        fmt::format("a block wants {} bytes of shared memory, and this GPU's multiprocessors "
                    "give it {}: the GPU's own memory has nothing to do with it",
                    *wanted, *limit));
}

// "The detected CUDA version (11.8) mismatches the version that was used to compile PyTorch (12.4)."
void read_mismatch(std::string_view text, std::size_t at, Explanation& told) {
    const auto message = flattened(text.substr(at), 300);
    const auto toolkit = between(message, "detected CUDA version (", ")");
    const auto torch = between(message, "to compile PyTorch (", ")");
    if (toolkit && torch) told.arithmetic.push_back(fmt::format("nvcc is of CUDA {}, PyTorch of {}", *toolkit, *torch));
}

bool is_of_a_gpu(std::string_view text, std::size_t at) {
    const auto around = text_near(text, at, 3000, 1000);
    return contains(around, "riton") || contains(around, "torch") || contains(around, "cuda") ||
           contains(around, "launcher") || contains(around, "/tmp/tmp");
}

}  // namespace

std::vector<KnownError> compiler_errors() {
    return {
        {.name = "kernel needs more shared memory",
         .needles = {"out of resource: shared memory", "out of resource: triton", "OutOfResources: out of resource",
                     "OutOfMemoryError: out of resource", "No valid triton configs"},
         .meaning =
             "A kernel of Triton needs more shared memory or registers than a multiprocessor of this GPU has, as "
             "one that was tuned for a larger GPU. It is not the GPU's memory that is full.",
         .remedies = {"num_stages=1, or a smaller BLOCK   (in a kernel of one's own)", without_compile,
                      "update PyTorch, or torch.compile(..., options={'max_autotune': False})"},
         .read = read_shared_memory,
         .applies =
             [](std::string_view text, std::size_t at) {
                 return !text.substr(at).starts_with("No valid") ||
                        contains(text_near(text, at, 0, 500), "out of resource");
             }},
        {.name = "Triton's assembler is too old",
         .needles = {"' is not defined for option 'gpu-name'", "PTXAS error: Internal Triton PTX codegen error",
                     "ptxas fatal   : Value 'sm_", "Triton only support CUDA",
                     "is not a recognized processor for this target"},
         .meaning = "ptxas, which Triton brings, does not know this GPU: it is older than the GPU.",
         .remedies =
             {"TRITON_PTXAS_PATH=/usr/local/cuda/bin/ptxas TRITON_PTXAS_BLACKWELL_PATH=/usr/local/cuda/bin/ptxas "
              "python ...   (that of a toolkit new enough)",
              without_compile, environment("pip install --upgrade triton   (changes this environment)")}},
        {.name = "GPU too old for Triton",
         .needles = {"too old to be supported by the triton GPU compiler",
                     "Triton only supports devices of CUDA Capability"},
         .meaning = "torch.compile makes kernels with Triton, which needs compute capability 7.0 or newer.",
         .remedies = {without_compile, "torch.compile(model, backend='eager')"}},
        {.name = "Triton is missing or does not fit",
         .needles = {"Cannot find a working triton installation", "No module named 'triton'",
                     "cannot import name 'triton_key' from 'triton.compiler", "has no attribute 'attrs_descriptor'",
                     "cannot import name 'AttrsDescriptor' from 'triton", "triton not found; required for"},
         .meaning = "Each version of PyTorch needs one version of Triton, and here is none or another one.",
         .remedies = {look("pip list | grep -iE 'torch|triton'; pip check"), without_compile,
                      environment(
                          "pip install triton   (the version that pip check names; changes this environment)")}},
        {.name = "headers of Python missing",
         .needles = {"Python.h: No such file or directory", "fatal error: 'Python.h' file not found"},
         .meaning = "Triton and extensions compile a small C program against Python, whose headers are not installed.",
         .remedies = {machine("sudo apt install python3-dev   (of the Python in use: python3.11-dev)"),
                      without_compile},
         .applies = is_of_a_gpu},
        {.name = "no C compiler for Triton",
         .needles = {"Failed to find C compiler. Please specify via CC", "Compiler: cl is not found", "clang not found",
                     "InvalidCxxCompiler"},
         .meaning = "Triton compiles a small C program for each kernel, and finds no compiler.",
         .remedies = {machine("sudo apt install gcc"), without_compile}},
        {.name = "Triton cannot run its kernel",
         .needles = {"Triton Error [CUDA]:"},
         .meaning = "CUDA refused a kernel of Triton; the words after it say why.",
         .remedies = {"CUDA_LAUNCH_BLOCKING=1 python ...", without_compile},
         .rank = Rank::symptom,
         .certain = false},
        {.name = "library that compiles at run time missing",
         .needles = {"failed to open libnvrtc-builtins", "nvrtc: error: failed to open"},
         .meaning = "nvrtc, which compiles kernels while the program runs, does not find its own second library.",
         .remedies = {"env -u LD_LIBRARY_PATH python ...",
                      "export LD_LIBRARY_PATH=$(python -c 'import nvidia.cuda_nvrtc as n; print(n.__path__[0])')/lib",
                      look("pip list | grep nvrtc")}},
        {.name = "invalid architecture for nvrtc",
         .needles = {"nvrtc: error: invalid value for --gpu-architecture"},
         .meaning = "nvrtc is older than the GPU: it cannot compile for it.",
         .remedies = {environment("{torch cu128}   (a build that knows the GPU, in a new environment)")}},
        {.name = "toolkit and PyTorch differ",
         .needles = {"mismatches the version that was used to compile", "detected CUDA version ("},
         .meaning = "An extension is built by the nvcc that is found, whose major version of CUDA is not PyTorch's.",
         .remedies = {"CUDA_HOME=/usr/local/cuda-12.8 pip install --no-build-isolation EXTENSION   (a toolkit of "
                      "PyTorch's version)",
                      look("nvcc --version; python -c 'import torch; print(torch.version.cuda)'")},
         .read = read_mismatch},
        {.name = "toolkit not found",
         .needles = {"CUDA_HOME environment variable is not set", "nvcc was not found", "CUDA_HOME does not exist",
                     "Failed to find nvcc", "unable to compile CUDA op(s)"},
         .meaning = "An extension is built from source and needs the CUDA toolkit with nvcc, which PyTorch does not "
                    "bring.",
         .remedies = {look("ls -d /usr/local/cuda*; command -v nvcc"),
                      "CUDA_HOME=/usr/local/cuda pip install --no-build-isolation EXTENSION",
                      "install a wheel of the extension that is built for this torch and CUDA instead"},
         .applies = [](std::string_view text,
                       std::size_t at) { return !contains(text_near(text, at, 2000, 2000), "rocm"); }},
        {.name = "compiler too new for nvcc",
         .needles = {"unsupported GNU version! gcc versions later than", "unsupported Microsoft Visual Studio version",
                     "unsupported clang version"},
         .meaning = "nvcc refuses a host compiler newer than those it knows.",
         .remedies = {"CC=gcc-12 CXX=g++-12 NVCC_PREPEND_FLAGS='-ccbin g++-12' pip install --no-build-isolation "
                      "EXTENSION",
                      machine("sudo apt install g++-12")}},
    };
}

}  // namespace tocuda::doctor
