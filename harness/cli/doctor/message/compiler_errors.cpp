// tocuda, Apache-2.0.
// What compiles kernels while a program runs: torch.compile with Triton and ptxas, NVRTC, XLA. What links programs.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"
#include "doctor/message/origin.hpp"
#include "doctor/message/wheels.hpp"

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
        fmt::format("a block wants {} bytes of shared memory, and this GPU's multiprocessors offer {}: the GPU's own "
                    "memory has nothing to do with it",
                    *wanted, *limit));
}

// "Command '['.../ptxas', '--gpu-name=sm_120', ...]' returned non-zero exit status 255."
void read_gpu_of_ptxas(std::string_view text, std::size_t at, Explanation& told) {
    constexpr std::int64_t blackwell = 100;
    const auto message = text_near(text, at, 300, 1500);
    if (const auto needed = number_after(message, "requires .target sm_")) {
        told.error = "GPU too old for this kernel";
        told.meaning =
            "Triton wrote a kernel with instructions that this GPU does not have, most often those of bfloat16.";
        told.arithmetic.push_back(fmt::format("it needs compute capability {}.{}", *needed / 10, *needed % 10));
        told.remedies = {"dtype=torch.float16   (instead of torch.bfloat16; Trainer: fp16=True, bf16=False)",
                         without_compile};
        return;
    }
    auto gpu = number_after(message, "--gpu-name=sm_");
    if (!gpu) gpu = number_after(message, "Value 'sm_");
    if (!gpu) return;
    told.arithmetic.push_back(fmt::format("it was to assemble for sm_{}", *gpu));
    if (*gpu >= blackwell || contains(message, "is not defined for option")) return;
    told.meaning =
        "ptxas, the assembler that Triton brings, failed on a kernel: it is older than the GPU, or the kernel is more "
        "than it can do.";
    told.certain = false;
}

bool is_of_ptxas(std::string_view text, std::size_t at) {
    return !text.substr(at).starts_with("ptxas'") || contains(line_around(text, at), "non-zero exit status");
}

// "ptxas does not support CC 8.9", "You are using ptxas 10.1.243"
void read_ptxas_of_xla(std::string_view text, std::size_t, Explanation& told) {
    if (const auto gpu = between(text, "ptxas does not support CC ", "\n"); gpu && gpu->size() < 6)
        told.arithmetic.push_back(fmt::format("the GPU is of compute capability {}, which that ptxas lacks", *gpu));
    if (const auto version = between(text, "You are using ptxas ", ","); version && version->size() < 12)
        told.arithmetic.push_back(fmt::format("the ptxas that was found is of {}", *version));
    if (origin_of(text).runs("JAX"))
        told.remedies.emplace_back(
            "python3 -m venv fresh && fresh/bin/pip install 'jax[cuda12]'   (a JAX that brings its own)");
}

struct Linked {
    std::string_view prefix, library;
};
constexpr auto libraries = std::to_array<Linked>({{"cublasLt", "cublasLt"},
                                                  {"cublas", "cublas"},
                                                  {"cudnn", "cudnn"},
                                                  {"cufft", "cufft"},
                                                  {"curand", "curand"},
                                                  {"cusolver", "cusolver"},
                                                  {"cusparse", "cusparse"},
                                                  {"nvrtc", "nvrtc"},
                                                  {"nccl", "nccl"},
                                                  {"nvml", "nvidia-ml"},
                                                  {"cuda", "cudart"},
                                                  {"__cuda", "cudart"}});

// The name after "undefined reference to `" and its like.
std::string_view symbol_at(std::string_view text, std::size_t at) {
    const auto line = text.substr(at, 200);
    const auto begin = line.find_first_of("`'\"", 0);
    const auto colon = line.find("symbol");
    const auto first = line.starts_with("undefined ref") ? begin : colon == line.npos ? colon : line.find(' ', colon);
    if (first == std::string_view::npos) return {};
    const auto name = line.substr(first + 1);
    return name.substr(0, name.find_first_of("'\"@( \r\n"));
}

bool needs_device_link(std::string_view symbol) {
    return symbol.starts_with("__cudaRegisterLinkedBinary") || symbol.starts_with("__fatbinwrap");
}

// The library that has the function, or nothing if it is none of CUDA's.
std::string_view library_of(std::string_view symbol) {
    if (needs_device_link(symbol)) return "cudadevrt";
    for (const auto& one : libraries)
        if (symbol.starts_with(one.prefix)) return one.library;
    const bool driver = symbol.size() > 4 && symbol.starts_with("cu") && symbol[2] >= 'A' && symbol[2] <= 'Z';
    return driver ? "cuda" : "";
}

bool is_linked_with_cuda(std::string_view text, std::size_t at) { return !library_of(symbol_at(text, at)).empty(); }

// "/usr/lib/libcublas.so: undefined reference to `cublasLtGetStatusString@libcublasLt.so.11'"
bool tell_of_other_version(std::string_view text, std::size_t at, Explanation& told) {
    const auto line = line_around(text, at);
    const auto library = between(text.substr(at, 120), "@", "'");
    if (!library || !library->starts_with("lib")) return false;
    const auto user = line.substr(0, std::min(line.find(": undefined reference"), line.size()));
    const auto path = user.substr(user.find_last_of(' ') + 1);  // npos + 1 is 0
    const auto folder = path.starts_with('/') ? path.substr(0, path.rfind('/')) : "FOLDER";
    told.meaning = fmt::format(
        "The linker took a {} of another version than the library that needs it: several toolkits, or parts of one.",
        *library);
    told.remedies = {{fmt::format("ldconfig -p | grep {0}; find / -name '{0}*' 2>/dev/null", *library), Scope::look},
                     fmt::format("LD_LIBRARY_PATH={0} make   (the linker looks there for what a library needs; or "
                                 "-Wl,-rpath-link,{0})",
                                 folder)};
    return true;
}

void read_linker(std::string_view text, std::size_t at, Explanation& told) {
    if (tell_of_other_version(text, at, told)) return;
    const auto symbol = symbol_at(text, at);
    const auto library = library_of(symbol);
    if (needs_device_link(symbol)) {
        told.meaning =
            "Objects were compiled as parts of one program for the GPU (nvcc -dc, -rdc=true), and the step that "
            "links these parts was left out.";
        told.remedies = {
            "nvcc -arch=sm_XY A.o B.o -o PROGRAM   (nvcc as the linker does both steps; XY as in -dc)",
            "nvcc -arch=sm_XY -dlink A.o B.o -o device.o && g++ A.o B.o device.o -L/usr/local/cuda/lib64 -lcudadevrt "
            "-lcudart   (with another linker)",
            "set_target_properties(TARGET PROPERTIES CUDA_SEPARABLE_COMPILATION ON CUDA_RESOLVE_DEVICE_SYMBOLS ON)   "
            "(CMake, also for a static library)"};
        if (contains_any(text, {"cpp_extension", "CUDAExtension", "setup.py"}))
            told.remedies.insert(told.remedies.begin(),
                                 {"CUDAExtension(..., dlink=True, dlink_libraries=['cudadevrt'], "
                                  "extra_compile_args={'cxx': [], 'nvcc': ['-rdc=true']})   (PyTorch's builder; needs "
                                  "ninja)"});
        return;
    }
    told.arithmetic.push_back(fmt::format("{} is in lib{}", symbol, library));
    told.remedies = {
        fmt::format("g++ main.o ... -L/usr/local/cuda/lib64{} -l{}   (after the objects, or link with nvcc{})",
                    library == "cuda" ? "/stubs" : "", library, library == "cudart" ? ", which adds it" : ""),
        fmt::format("find_package(CUDAToolkit); target_link_libraries(TARGET PRIVATE {})   (CMake)",
                    library == "cuda"                         ? "CUDA::cuda_driver"
                    : library == "nvidia-ml"                  ? "CUDA::nvml"
                    : library == "cudnn" || library == "nccl" ? std::string(library)
                                                              : fmt::format("CUDA::{}", library)),
        {fmt::format("ls /usr/local/cuda/lib64/lib{0}*; ldconfig -p | grep lib{0}", library), Scope::look}};
}

constexpr auto prompt_of_vs = "open the \"x64 Native Tools Command Prompt for VS\" and start it there   (cl)";

const Remedy build_tools{
    "winget install Microsoft.VisualStudio.2022.BuildTools --override \"--wait --passive --add "
    "Microsoft.VisualStudio.Workload.VCTools --includeRecommended\"   (Microsoft's compiler, some GB; undo: Apps, "
    "uninstall)",
    Scope::machine};

// Each PyTorch fits one minor version of Triton.
Remedy triton_of_windows(const Origin& origin, std::optional<std::pair<int, int>> torch) {
    constexpr auto ends = std::to_array<std::pair<std::pair<int, int>, std::string_view>>(
        {{{2, 10}, "3.7"}, {{2, 9}, "3.6"}, {{2, 8}, "3.5"}, {{2, 7}, "3.4"}, {{2, 6}, "3.3"}});
    const auto* const end = std::ranges::find_if(ends, [&](const auto& one) { return torch && *torch >= one.first; });
    const auto pip = origin.own_python.empty() ? "pip" : origin.own_python + " -m pip";
    if (end == ends.end())
        return {fmt::format("{} install --upgrade \"triton-windows<VERSION\"   (3.3 for PyTorch 2.6, 3.4 for 2.7, 3.5 "
                            "for 2.8, 3.6 for 2.9: brings a compiler of C; undo: the version that was there)",
                            pip),
                Scope::environment};
    return {fmt::format("{} install --upgrade \"triton-windows<{}\"   (the one for PyTorch {}.{}, with a compiler of C "
                        "in it; undo: the version that was there)",
                        pip, end->second, torch->first, torch->second),
            Scope::environment};
}

// From 3.2 on triton-windows has a compiler of C in its wheels, and none of C++.
void read_compiler_of_windows(std::string_view text, std::size_t at, Explanation& told) {
    const auto origin = origin_of(text);
    if (!origin.windows) return;
    const auto torch = torch_named_in(text);
    const bool none = torch && *torch < std::pair{2, 6};
    if (none)
        told.arithmetic.push_back(fmt::format(
            "PyTorch {}.{} goes with Triton 3.1 or older, whose wheels for Windows bring no compiler: those for "
            "PyTorch 2.6 and newer do",
            torch->first, torch->second));
    const bool of_cpp = contains_any(text_near(text, at, 0, 60), {"cl is not found", "Cxx", "Cpp", "'c++'", "'g++'"});
    if (!none && !of_cpp) told.remedies.push_back(triton_of_windows(origin, torch));
    told.remedies.push_back(build_tools);
    told.remedies.emplace_back(prompt_of_vs);
    told.remedies.emplace_back(without_compile);
}

bool is_of_shared_memory(std::string_view text, std::size_t at) {
    const auto around = text_near(text, at, 500, 500);
    return !contains_any(around, {"AMD ", "ROCm", "rocm", "gfx9", "amdgpu"}) &&
           (!text.substr(at).starts_with("No valid") || contains(around, "out of resource"));
}

}  // namespace

Functions compiler_functions() {
    return {.readings = {{"read_shared_memory", read_shared_memory},
                         {"read_gpu_of_ptxas", read_gpu_of_ptxas},
                         {"read_compiler_of_windows", read_compiler_of_windows},
                         {"read_linker", read_linker},
                         {"read_ptxas_of_xla", read_ptxas_of_xla}},
            .conditions = {{"is_of_shared_memory", is_of_shared_memory},
                           {"is_of_ptxas", is_of_ptxas},
                           {"is_linked_with_cuda", is_linked_with_cuda}}};
}

}  // namespace tocuda::doctor
