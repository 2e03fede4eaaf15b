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

constexpr auto own_compiler =
    environment("pip install --upgrade triton-windows   (which brings a C compiler; undo: the version that was there)");

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

}  // namespace

std::vector<KnownError> compiler_errors() {
    return {
        {.name = "kernel needs more shared memory",
         .needles = {"out of resource: shared memory", "out of resource: triton", "OutOfResources: out of resource",
                     "OutOfMemoryError: out of resource", "No valid triton configs"},
         .meaning = "A Triton kernel needs more shared memory or registers than a multiprocessor of this GPU has, "
                    "as one that was tuned for a larger GPU. It is not the GPU's memory that is full.",
         .remedies = {"num_stages=1, or a smaller BLOCK   (in a kernel of one's own)", without_compile,
                      "update PyTorch, or torch.compile(..., options={'max_autotune': False})"},
         .read = read_shared_memory,
         .applies =
             [](std::string_view text, std::size_t at) {
                 const auto around = text_near(text, at, 500, 500);
                 return !contains_any(around, {"AMD ", "ROCm", "rocm", "gfx9", "amdgpu"}) &&
                        (!text.substr(at).starts_with("No valid") || contains(around, "out of resource"));
             }},
        {.name = "Triton's assembler is too old",
         .needles = {"' is not defined for option 'gpu-name'", "Internal Triton PTX codegen error", "ptxas'",
                     "`ptxas` failed with error code", "fatal   : Unsupported .version", "ptxas fatal   : Value 'sm_",
                     "Triton only support CUDA"},
         .meaning = "ptxas, the assembler that Triton brings, is older than the GPU and does not know it.",
         .remedies = {"TRITON_PTXAS_PATH=/usr/local/cuda/bin/ptxas "
                      "TRITON_PTXAS_BLACKWELL_PATH=/usr/local/cuda/bin/ptxas python ...   (the ptxas of a CUDA toolkit "
                      "that knows the GPU: 11.1 or newer for sm_86, 11.8 for sm_89 and sm_90, 12.8 for Blackwell, 13.0 "
                      "for GB10)",
                      "{torch cu128}   (a newer PyTorch brings a newer Triton; in a new environment)", without_compile},
         .read = read_gpu_of_ptxas,
         .applies =
             [](std::string_view text, std::size_t at) {
                 return is_of_ptxas(text, at) && !contains(line_around(text, at), "ptxas application");
             }},
        {.name = "Triton does not know this GPU",
         .needles = {"is not a recognized processor for this target"},
         .meaning = "The compiler inside Triton (LLVM) is older than the GPU and does not know it. It runs before "
                    "ptxas, so another ptxas does not help.",
         .remedies = {"{torch cu128}   (a newer PyTorch brings a newer Triton; in a new environment)",
                      environment("pip install --upgrade triton   (Windows: triton-windows; only where PyTorch's own "
                                  "version is not needed; undo: the version that was there)"),
                      "use another attention backend   (SageAttention and others bring Triton kernels, which "
                      "TORCH_COMPILE_DISABLE does not switch off)"},
         .in_line = {"'sm_"}},
        {.name = "kernel written for another GPU",
         .needles = {"not supported on .target 'sm_"},
         .meaning = "A source file uses an instruction that the GPU it is compiled for does not have, whatever the "
                    "toolkit: some of Hopper (sm_90a) are in no later GPU, those of sm_100a and sm_120a in no other.",
         .remedies = {"update the package   (to a version that has kernels for this GPU)",
                      "cmake -DCMAKE_CUDA_ARCHITECTURES=120a ...   (or TORCH_CUDA_ARCH_LIST=12.0a: for instructions "
                      "that only the target with an \"a\" has)",
                      "leave out the kernels of the other generation   (the package's build options name them)"}},
        {.name = "toolkit too old for FlashInfer",
         .needles = {"No supported CUDA architectures found for major versions", "x requires CUDA >= "},
         .meaning = "FlashInfer compiles its kernels while the program runs, by the CUDA toolkit of this machine, and "
                    "that is too old for the GPU: RTX 50 and GB10 (compute capability 12) need 12.9. Reinstalling "
                    "the package does not help.",
         .remedies = {look("nvcc --version; echo $CUDA_HOME"),
                      "CUDA_HOME=/usr/local/cuda-12.9 PATH=/usr/local/cuda-12.9/bin:$PATH PROGRAM ...   (a toolkit "
                      "of 12.9 or newer, of the CUDA major of PyTorch)",
                      "VLLM_USE_FLASHINFER_SAMPLER=0 vllm serve ...   (vLLM without FlashInfer's sampler; its "
                      "--attention-backend and moe_backend name others, too)"},
         .applies =
             [](std::string_view text, std::size_t at) {
                 return contains_any(text_near(text, at, 4000, 2000), {"flashinfer", "FLASHINFER", "FlashInfer"});
             }},
        {.name = "package without code for this GPU",
         .needles = {"No supported CUDA architectures found for major versions"},
         .meaning = "A package that compiles kernels found no target that this GPU and the CUDA toolkit have in "
                    "common: this version does not know the GPU, or the toolkit is older than it.",
         .remedies = {look("nvidia-smi --query-gpu=name,compute_cap --format=csv; nvcc --version"),
                      "update the package   (newer versions know newer GPUs)",
                      "CUDA_HOME=/usr/local/cuda-13.0 PROGRAM ...   (a toolkit that knows the GPU)"},
         .certain = false},
        {.name = "Triton's assembler is missing",
         .needles = {"No such file or directory: 'ptxas'", "Cannot find ptxas", "bin/ptxas: Permission denied",
                     "bin/ptxas'"},
         .meaning = "Triton does not find ptxas, the assembler that it brings, or may not execute it: a package that "
                    "was not installed whole, or a folder that is mounted noexec.",
         .remedies = {look("python -c 'import triton, os; print(os.path.dirname(triton.__file__))'   (then: "
                           "backends/nvidia/bin/ptxas there)"),
                      "TRITON_PTXAS_PATH=/usr/local/cuda/bin/ptxas python ...   (the toolkit's)",
                      "{torch}   (a new environment)"},
         .in_line = {"No such file", "Cannot find", "Permission denied"}},
        {.name = "GPU too old for Triton",
         .needles = {"too old to be supported by the triton GPU compiler",
                     "Triton only supports devices of CUDA Capability"},
         .meaning = "torch.compile makes kernels with Triton, which needs compute capability 7.0 or newer.",
         .remedies = {without_compile, "torch.compile(model, backend='eager')"}},
        {.name = "Triton is missing or does not fit",
         .needles = {"Cannot find a working triton installation", "No module named 'triton",
                     "cannot import name 'triton_key' from 'triton.compiler", "has no attribute 'attrs_descriptor'",
                     "cannot import name 'AttrsDescriptor' from 'triton", "triton not found; required for"},
         .meaning =
             "Each version of PyTorch needs a particular version of Triton; here it is missing or a different one.",
         .remedies =
             {look("pip list | grep -iE 'torch|triton'; pip check"), without_compile,
              environment(
                  "pip install triton==VERSION   (the one that pip check names; undo: the one that pip list showed)"),
              environment(
                  "pip install triton-windows   (on Windows, for which PyPI has no triton; undo: pip uninstall it)")}},
        {.name = "Triton finds no GPU",
         .needles = {"0 active drivers ([])"},
         .meaning =
             "Triton found no GPU that it can use: PyTorch is a build for the CPU, no GPU is visible, or the driver "
             "does not answer.",
         .remedies = {look("tocuda doctor   (on that machine, in that environment: says why)"),
                      look("python -c 'import torch; print(torch.__version__, torch.version.cuda); "
                           "torch.zeros(1).cuda()'   (its error names the cause)")},
         .rank = Rank::echo,
         .certain = false},
        {.name = "headers of Python missing",
         .needles = {"Python.h: No such file or directory", "'Python.h' file not found", "'Python.h' not found",
                     "Failed to find Python libs"},
         .meaning = "Triton and extensions compile a small C program against Python, whose headers are not installed.",
         .remedies = {machine("sudo apt install python3-dev   (of the Python in use: python3.11-dev)"),
                      without_compile},
         .hints = {{":\\",
                    "copy include and libs of a full Python of the same version beside python.exe   (the embedded "
                    "Python of ComfyUI and others has none)"},
                   {":\\", own_compiler},
                   {":\\", without_compile}},
         .near = {"riton", "torch", "cuda", "launcher", "/tmp/tmp"}},
        {.name = "no C compiler for Triton",
         .needles = {"Failed to find C compiler. Please specify via CC", "Compiler: cl is not found", "clang not found",
                     "InvalidCxxCompiler", "CppCompileError", "['which', 'c++']", "['which', 'g++']"},
         .meaning =
             "torch.compile and Triton compile small C and C++ programs, and find no compiler, or one that is too "
             "old or not set up (gcc older than 9, cl outside of its command prompt).",
         .remedies = {look("gcc --version; g++ --version"), machine("sudo apt install gcc g++"), without_compile},
         .hints = {{":/users", prompt_of_vs}},
         .read = read_compiler_of_windows},
        {.name = "Triton finds no libcuda",
         .needles = {"libcuda.so cannot found"},
         .meaning =
             "Triton asks ldconfig where libcuda.so is. The driver's library is there, in a folder that ldconfig "
             "does not know, as in Colab and Singularity.",
         .remedies = {look("ldconfig -p | grep libcuda.so; find / -name 'libcuda.so*' 2>/dev/null"),
                      "TRITON_LIBCUDA_PATH=FOLDER python ...   (the folder that has it: /usr/lib64-nvidia in Colab, "
                      "/.singularity.d/libs in Singularity)"}},
        {.name = "Triton's launcher cannot be compiled",
         .needles = {"cuda_utils.c", "__triton_launcher", "triton_.cpython", "\\main.c'", "/main.c'"},
         .meaning = "Triton compiles a small C program for each kernel, and that compiler failed; it printed why "
                    "before this line. Most often the headers of Python are missing, else libcuda.so is not found.",
         .remedies = {look("ldconfig -p | grep libcuda.so; find / -name Python.h 2>/dev/null"),
                      machine("sudo apt install python3-dev   (of the Python in use: python3.11-dev)"),
                      "LIBRARY_PATH=/usr/local/cuda/lib64/stubs python ...   (if it is \"cannot find -lcuda\")",
                      without_compile},
         .hints = {{":\\", own_compiler},
                   {":\\",
                    "copy include and libs of a full Python beside ComfyUI's python.exe   (of the same version)"},
                   {":\\", without_compile}},
         .near = {"riton", "inductor", "/tmp/tmp"},
         .in_line = {"non-zero exit status"},
         .rank = Rank::symptom},
        {.name = "no kernel left to choose from",
         .needles = {"NoValidChoicesError", "No choices to select, please consider adding ATEN"},
         .meaning = "torch.compile with max-autotune measures several kernels, and for this operation each was ruled "
                    "out: by its configured backends, or because all failed on this GPU.",
         .remedies = {"TORCHINDUCTOR_MAX_AUTOTUNE_GEMM_BACKENDS=ATEN,TRITON python ...   (with PyTorch's own kernels)",
                      "torch.compile(model)   (the default mode, without max-autotune)", without_compile,
                      "{torch}   (a newer PyTorch, in a new environment)"}},
        {.name = "torch.compile fails",
         .needles = {"BackendCompilerFailed", "InductorError", "LoweringException", "torch._dynamo.exc.",
                     "InternalTorchDynamoError"},
         .meaning = "torch.compile could not translate this model: a bug or a limit of this version. The program runs "
                    "without it, only slower.",
         .remedies = {without_compile, "{torch}   (a newer PyTorch, in a new environment)",
                      "torch._dynamo.config.suppress_errors = True   (what fails runs uncompiled, the rest compiled)",
                      look("TORCHDYNAMO_VERBOSE=1 TORCH_LOGS=+dynamo python ...   (which line of the model?)")},
         .rank = Rank::echo,
         .certain = false},
        {.name = "Triton cannot run its kernel",
         .needles = {"Triton Error [CUDA]:"},
         .meaning = "CUDA refused a Triton kernel; the words after it say why.",
         .remedies = {"CUDA_LAUNCH_BLOCKING=1 python ...", without_compile},
         .rank = Rank::symptom},
        {.name = "Visual Studio without the CUDA toolkit",
         .needles = {"No CUDA toolset found"},
         .meaning = "CMake builds with Visual Studio, which does not know the CUDA toolkit: the toolkit was installed "
                    "before Visual Studio, or without its part \"Visual Studio Integration\".",
         .remedies = {look(R"(dir "%CUDA_PATH%\extras\visual_studio_integration\MSBuildExtensions")"),
                      machine(R"(copy these four files to ...\MSBuild\Microsoft\VC\v170\BuildCustomizations)"
                              "   (of that Visual Studio, v170 is that of 2022; undo: delete them there; or install "
                              "the toolkit once more)"),
                      "CMAKE_GENERATOR=Ninja pip install EXTENSION   (from a developer prompt: needs no such files)"}},
        {.name = "library of NVRTC not found",
         .needles = {"failed to open libnvrtc-builtins", "nvrtc: error: failed to open"},
         .meaning = "NVRTC, which compiles kernels while the program runs, does not find its second library, "
                    "libnvrtc-builtins, of exactly its own version: a foreign NVRTC is loaded, the toolkit of that "
                    "version is not there, or a C++ LibTorch has the file under another name (libnvrtc-builtins-*.so).",
         .remedies = {"env -u LD_LIBRARY_PATH python ...",
                      "export LD_LIBRARY_PATH=$(python -c 'import nvidia.cuda_nvrtc as n; print(n.__path__[0])')/lib   "
                      "(with Python)",
                      look("ls libtorch/lib/libnvrtc*; pip list | grep nvrtc"),
                      "ln -s libnvrtc-builtins-*.so libtorch/lib/libnvrtc-builtins.so.VERSION   (C++ LibTorch: the "
                      "name that the message wants; undo: remove the link)"}},
        {.name = "invalid architecture for nvrtc",
         .needles = {"nvrtc: error: invalid value for --gpu-architecture"},
         .meaning = "nvrtc is older than the GPU: it cannot compile for it.",
         .remedies = {"{torch cu128}   (a build that knows the GPU, in a new environment)"}},
        {.name = "program not linked with CUDA",
         .needles = {"undefined reference to `", "undefined reference to '",
                     "ld.lld: error: undefined symbol: ", "unresolved external symbol "},
         .meaning = "The program calls a function of CUDA, and the linker was not given the library that has it, or "
                    "was given it before the objects that need it.",
         .read = read_linker,
         .applies = is_linked_with_cuda},
        {.name = "ptxas too old for XLA or for this GPU",
         .needles = {"ptxas does not support CC", "You are using ptxas ", "failed to get PTX kernel"},
         .meaning = "XLA, which compiles for JAX and TensorFlow, uses the ptxas that it finds, and that one is older "
                    "than the GPU or than XLA needs: it is of an old toolkit, as in an old image or apt's.",
         .remedies = {look("command -v ptxas; ptxas --version; nvidia-smi --query-gpu=name,compute_cap --format=csv"),
                      "PATH=/usr/local/cuda-12.4/bin:$PATH python ...   (a toolkit that is there and knows the GPU: "
                      "CUDA 11.8 and newer know 8.9 and 9.0, 12.8 and newer 12.0)",
                      environment("pip install nvidia-cuda-nvcc-cu12   (has a new ptxas, in "
                                  "site-packages/nvidia/cuda_nvcc/bin; undo: pip uninstall nvidia-cuda-nvcc-cu12)")},
         .read = read_ptxas_of_xla},
        {.name = "XLA does not find the toolkit",
         .needles = {"libdevice not found at", "Can't find libdevice directory", "libdevice.10.bc",
                     "Couldn't invoke ptxas", "ptxas/nvlink version", "Couldn't get ptxas version",
                     "No PTX compilation provider is available", "bin/ptxas not found",
                     "Neither ptxas/nvlink nor nvjtlink is available"},
         .meaning = "TensorFlow or JAX compiles kernels with files of the CUDA toolkit, libdevice.10.bc and ptxas, and "
                    "does not find one.",
         .remedies = {look("find / -name libdevice.10.bc -o -name ptxas 2>/dev/null"),
                      "XLA_FLAGS=--xla_gpu_cuda_data_dir=/usr/local/cuda PATH=/usr/local/cuda/bin:$PATH python ...   "
                      "(the folder "
                      "that has nvvm/libdevice and bin/ptxas)",
                      environment("pip install nvidia-cuda-nvcc-cu12   (has both; then the data_dir is "
                                  "site-packages/nvidia/cuda_nvcc; undo: pip uninstall nvidia-cuda-nvcc-cu12)"),
                      "conda create -n fresh -c conda-forge -c nvidia tensorflow cuda-nvcc   (where conda made it)"}},
    };
}

}  // namespace tocuda::doctor
