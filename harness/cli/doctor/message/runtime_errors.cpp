// tocuda, Apache-2.0.
// Programs that use GPUs beside LibTorch: TensorRT, ONNX Runtime, JAX, TensorFlow, CuPy, llama.cpp, Ollama.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"
#include "doctor/message/origin.hpp"

namespace tocuda::doctor {
namespace {

constexpr auto jax_packages = "pip list | grep -iE 'jax|nvidia'";
constexpr auto fresh_jax = "python3 -m venv fresh && fresh/bin/pip install 'jax[cuda12]'   (a new environment)";
constexpr auto without_foreign_cuda =
    "env -u LD_LIBRARY_PATH python -c 'import jax; print(jax.devices())'   (a foreign CUDA on the path?)";

// "expecting compute 8.6 got compute 8.9", "expecting library version 8.5.1 got 8.6.0"
void read_engine(std::string_view text, std::size_t at, Explanation& told) {
    const auto message = flattened(text_near(text, at, 0, 400), 400) + " ";
    const auto built = between(message, "expecting ", " got ");
    const auto here = between(message, " got ", ",");
    if (built && here) told.arithmetic.push_back(fmt::format("it was built for {}, and here is {}", *built, *here));
}

// "Found cuDNN version 8600, but JAX was built against version 8906", "Found CUDA version 12010, but ..."
void read_versions_of_jax(std::string_view text, std::size_t at, Explanation& told) {
    const auto message = text_near(text, at, 80, 80);
    const auto begin = message.rfind("Found ", 80);
    const auto found = number_after(message, " version ");
    const auto built = number_after(message, "built against version ");
    if (begin == std::string_view::npos || !found || !built) return;
    const auto name = message.substr(begin + 6, message.find(' ', begin + 6) - begin - 6);
    if (name != "cuDNN") {
        told.arithmetic.push_back(fmt::format("JAX was built with {} {}, and {} was loaded", name, *built, *found));
        return;
    }
    const auto in_words = [](std::int64_t version) {
        constexpr std::int64_t first_of_five_digits = 90000;  // 8906 is 8.9.6, 90100 is 9.1.0
        const auto major = version >= first_of_five_digits ? 10000 : 1000;
        return fmt::format("{}.{}.{}", version / major, version % major / 100, version % 100);
    };
    told.arithmetic.push_back(
        fmt::format("JAX was built with cuDNN {}, and {} was loaded", in_words(*built), in_words(*found)));
    told.remedies = {
        {jax_packages, Scope::look},
        without_foreign_cuda,
        {fmt::format("pip install 'nvidia-cudnn-cu12>={}'   (or -cu11, -cu13; undo: pip install the version "
                     "that pip list showed)",
                     in_words(*built)),
         Scope::environment},
        fresh_jax};
}

// "Require cuDNN 9.* and CUDA 12.*, and the latest MSVC runtime."
void read_onnxruntime(std::string_view text, std::size_t, Explanation& told) {
    const auto need = between(text, "Failed to create CUDAExecutionProvider. Require ", ". Please");
    if (!need) return;
    const auto versions = need->substr(0, need->find(", and"));
    told.certain = true;
    told.meaning =
        "This ONNX Runtime does not find the libraries of the versions that it was built for, and goes on "
        "with the CPU: other ones, older or newer, are there or none.";
    told.arithmetic.push_back(fmt::format("it needs {}", versions));
    if (origin_of(text).jetson) {
        told.remedies = {
            {"dpkg -l | grep -E 'cudnn|cuda-libraries'   (what this JetPack has)", Scope::look},
            "pip install onnxruntime-gpu --index-url https://pypi.jetson-ai-lab.io/jp6/cu126   (a build for "
            "this JetPack, in a new environment)"};
        return;
    }
    told.remedies = {
        {"pip list | grep -iE 'onnxruntime|nvidia'; nvcc --version", Scope::look},
        "python3 -m venv fresh && fresh/bin/pip install 'onnxruntime-gpu[cuda,cudnn]'   (with its libraries; then, "
        "before the session: onnxruntime.preload_dlls())",
        "use the onnxruntime-gpu for the CUDA that is there   (1.18 and older: CUDA 11 and cuDNN 8; 1.19 and newer: "
        "CUDA 12 and cuDNN 9)"};
}

// "ptxas application ptx input, line 9; fatal : Unsupported .version 7.3; current version is '7.1'"
std::string cuda_of_ptx(std::string_view version) {
    if (version.starts_with("7.")) return fmt::format("11.{}", version.substr(2));
    if (!version.starts_with("8.")) return version.starts_with("9.") ? fmt::format("13.{}", version.substr(2)) : "";
    const auto minor = number_after(version, "8.").value_or(0);
    return fmt::format("12.{}", minor < 6 ? minor : minor + 1);
}

void read_ptx(std::string_view text, std::size_t at, Explanation& told) {
    const auto message = flattened(text_near(text, at, 0, 120), 120) + " ";
    const auto wanted = between(message, ".version ", ";");
    const auto known = between(message, "current version is '", "'");
    if (!wanted || !known) return;
    const auto cuda = cuda_of_ptx(*known);
    told.arithmetic.push_back(fmt::format("the toolkit that wrote it is of CUDA {}, the driver of {} (PTX {} and {})",
                                          cuda_of_ptx(*wanted), cuda, *wanted, *known));
    if (!cuda.empty())
        told.remedies.insert(
            told.remedies.begin(),
            fmt::format("conda create -n fresh -c conda-forge numba cudatoolkit={0}   (cuda-version={0} "
                        "for 12 and newer; a toolkit for this driver)",
                        cuda));
    told.remedies.push_back({"nvidia-smi | grep 'CUDA Version'", Scope::look});
    told.remedies.push_back(
        {"install a newer driver   (`tocuda doctor` on that machine names the package)", Scope::machine});
}

void read_code_of_ollama(std::string_view text, std::size_t, Explanation& told) {
    if (const auto code = number_after(text, "init failure: "))
        told.arithmetic.push_back(fmt::format("the driver answered {} at its start", *code));
}

// "CUDA initialization failure with error: 222."
void read_code_of_tensorrt(std::string_view text, std::size_t at, Explanation& told) {
    struct Code {
        std::int64_t number;
        std::string_view means;
    };
    constexpr auto codes = std::to_array<Code>({{2, "the GPU's memory is full"},
                                                {35, "the driver is older than this CUDA"},
                                                {100, "CUDA sees no GPU"},
                                                {222, "the driver is older than this CUDA"},
                                                {999, "unknown error: is /dev/nvidia-uvm there?"}});
    const auto code = number_after(text_near(text, at, 0, 100), "with error: ");
    for (const auto& [number, means] : codes)
        if (code == number) told.arithmetic.push_back(fmt::format("{}: {}", number, means));
}

// "Outdated cuSPARSE installation found.\nVersion JAX was built against: 12200\n... Installed version: 12002"
void read_outdated(std::string_view text, std::size_t at, Explanation& told) {
    read_versions_of_jax(text, at, told);
    const auto message = flattened(text_near(text, at, 60, 300), 360);
    const auto name = between(message, "Outdated ", " installation");
    const auto least = number_after(message, "Minimum supported:");
    const auto here = number_after(message, "Installed version:");
    if (const auto failed = between(text_near(text, at, 60, 1200), "GetVersion(&version) failed: ", "\n")) {
        told.error = "JAX cannot use a library of CUDA";
        told.meaning =
            "A library of CUDA was found and fails when it is asked for its version: it does not fit the "
            "others that are loaded, or is not whole. JAX goes on with the CPU.";
        told.arithmetic.push_back(fmt::format("it says: {}", *failed));
        told.remedies = {{jax_packages, Scope::look},
                         without_foreign_cuda,
                         fresh_jax,
                         "conda create -n fresh -c conda-forge jax 'jaxlib=*=*cuda*'   (where conda made it)"};
        return;
    }
    if (name && least && here)
        told.arithmetic.push_back(fmt::format("{} {} is loaded, at least {} is needed", *name, *here, *least));
}

void read_request(std::string_view text, std::size_t at, Explanation& told) {
    const auto message = text_near(text, at, 200, 300);
    for (const std::string_view label : {"trying to allocate ", "allocating ", "Attempting to allocate ", "of size "})
        if (const auto bytes = amount_after(message, label); bytes && *bytes > 0) {
            told.figures.push_back({"requested", *bytes, "bytes"});
            told.arithmetic.push_back(fmt::format("{} were requested", amount_text(*bytes)));
            return;
        }
}

bool is_on_a_gpu(std::string_view text, std::size_t at) {
    return !contains(line_around(text, at), "by allocator cpu") &&
           contains_any(text_near(text, at, 2000, 2000), {"GPU", "gpu", "cuda", "CUDA", "Cuda", "device ordinal"});
}

// The file that NVRTC cannot open may be the very source that CuPy wrote for it.
void read_own_source(std::string_view text, std::size_t at, Explanation& told) {
    const auto file = between(text_near(text, at, 0, 400), "source file \"", "\"");
    if (!file || !file->ends_with(".cu")) return;
    told.error = "path that NVRTC cannot open";
    told.meaning =
        "NVRTC cannot open the source that CuPy wrote for it: its path has letters outside ASCII, as of the "
        "name of a user.";
    told.remedies = {"set TMP=C:\\tmp&& set TEMP=C:\\tmp&& python ...   (Windows: a folder of plain letters)",
                     "CUPY_CACHE_DIR=/tmp/cupy TMPDIR=/tmp python ...   (Linux)"};
}

constexpr auto conda_numba =
    "conda create -n fresh -c conda-forge numba cudatoolkit   (a toolkit that this Numba knows)";
constexpr auto pip_numba =
    "python3 -m venv fresh && fresh/bin/pip install 'numba-cuda[cu12]'   (brings libNVVM; cu13 for CUDA 13)";

// Arrays and kernels of Python: Numba and CuPy.
std::vector<KnownError> errors_of_arrays() {
    return {
        {.name = "PTX newer than the driver",
         .needles = {"Unsupported .version "},
         .meaning = "The toolkit wrote PTX of a version that the assembler in the driver does not know: the toolkit "
                    "(of conda or the system) is newer than the driver.",
         .claims = {"001-04"},
         .read = read_ptx,
         .near = {"ptxas application", "cuLink", "umba", "upy"}},
        {.name = "Numba finds no toolkit",
         .needles = {"libNVVM cannot be found", "failed to open nvvm", "module 'nvvm.dll'", "libnvvm.so: cannot open",
                     "nvvm64_", "NVVM_ERROR", "NvvmSupportError", "libNVVM not found"},
         .meaning = "Numba compiles kernels with libNVVM (nvvm.dll, libnvvm.so) of a CUDA toolkit, and finds none in "
                    "its environment or in CUDA_HOME, or one that it does not know.",
         .remedies = {look("numba -s | grep -A20 CUDA; echo \"[$CUDA_HOME]\"   (where it looks)"), pip_numba,
                      conda_numba, "export CUDA_HOME=/usr/local/cuda   (a toolkit that is there: it has nvvm/lib64)"},
         .hints = {{"no supported gpu compute cap", look("numba -s | grep -iE 'cuda|nvvm'; nvcc --version")},
                   {"no supported gpu compute cap", conda_numba},
                   {"no supported gpu compute cap",
                    "use a Numba and a toolkit of one age   (the newest Numba knows CUDA 11.2 and newer; older "
                    "toolkits need an older Numba)"}}},
        {.name = "CuPy finds no headers of CUDA",
         .needles = {"catastrophic error: cannot open source file", "Failed to find CUDA headers",
                     "Catastrophic error: cannot open source file", "NVRTC_ERROR_COMPILATION"},
         .meaning = "CuPy compiles its kernels while it runs, with headers of CUDA (12.2 and newer need those of the "
                    "runtime), which are not where it looks.",
         .remedies = {"python3 -m venv fresh && fresh/bin/pip install 'cupy-cuda12x[ctk]'   (with the headers)",
                      environment("pip install nvidia-cuda-runtime-cu12   (has them; undo: pip uninstall it)"),
                      "CUDA_PATH=/usr/local/cuda python ...   (a toolkit that is there)",
                      look("python -c 'import cupy; cupy.show_config()'   (CUDA Root)")},
         .read = read_own_source,
         .near = {"upy", "cubin.cu", "nvrtc", "NVRTC"}},
    };
}

}  // namespace

bool says(std::string_view text, std::size_t at, const std::vector<std::string_view>& what) {
    const auto line = text_near(line_around(text, at), 0, 0, 600);
    return contains_any(line, {"CUDA", "cuda", "Cuda", "GPU ", "CUDNN_", "CUBLAS_"}) &&
           std::ranges::any_of(what, [&](auto one) { return contains(line, one); });
}

const std::vector<std::string_view> failed_calls{"CUDA error",    "CUDA Error",     "cudaError",          "CUDA_ERROR_",
                                                 "CUDNN_STATUS_", "CUBLAS_STATUS_", "cuda runtime error", "Cuda error"};
const std::vector<std::string_view> not_built{
    "No CUDA support", "not built",   "not compiled",    "implementation for device cuda",
    "without CUDA",    "without GPU", "compiled without"};
const std::vector<std::string_view> not_there{"not found",   "NOT FOUND", "ot find",  "not available",
                                              "unavailable", "equires",   "required", "not all dependencies"};

void read_words(std::string_view text, std::size_t at, Explanation& told) {
    if (says(text, at, failed_calls))
        told.remedies.emplace_back("CUDA_LAUNCH_BLOCKING=1 python ...   (an earlier call may be it)");
    told.remedies.push_back(
        {"nvidia-smi; nvcc --version; python -c 'import torch; print(torch.version.cuda, "
         "torch.cuda.is_available())'   (driver, toolkit, PyTorch: which is missing?)",
         Scope::look});
    if (says(text, at, not_built)) {
        told.meaning = "The program, or a part of it, was built without CUDA, or without code for this GPU.";
        told.remedies.push_back(
            {"pip install --no-build-isolation --no-cache-dir --force-reinstall --no-deps PACKAGE   (builds it "
             "here, with nvcc; undo: the version that pip list shows)",
             Scope::environment});
    } else if (says(text, at, not_there)) {
        told.meaning =
            "What this line wants of CUDA is not found: for a build the toolkit with its headers, for a run a GPU with "
            "its driver, or a library.";
        told.remedies.emplace_back(
            "CUDA_HOME=/usr/local/cuda PATH=/usr/local/cuda/bin:$PATH ...   (a toolkit that is there)");
        told.remedies.emplace_back("docker run --gpus all ...   (a run in a container)");
    }
}

std::vector<KnownError> runtime_errors() {
    auto all = errors_of_arrays();
    const std::vector<KnownError> of_programs{
        {.name = "GPU's memory full",
         .needles = {"RESOURCE_EXHAUSTED: ", "Resource exhausted: Out of memory", "OOM when allocating tensor",
                     "Out of memory error on GPU", "cudaMalloc failed: out of memory",
                     "Failed to allocate memory for requested buffer of size", "Cuda Runtime (out of memory)",
                     "CUDA runtime error: out of memory", "Out of memory allocating",
                     "std::bad_alloc: out_of_memory: CUDA error", "std::bad_alloc: CUDA error",
                     "unable to allocate CUDA", "Cuda Error in allocate: 2", "not enough GPU video memory"},
         .meaning = "The memory of the GPU is full: by this program, which may keep all of it from its start (JAX and "
                    "TensorFlow do), or by others.",
         .remedies = {look("nvidia-smi --query-compute-apps=pid,used_memory,name --format=csv   (who holds it)"),
                      "use a smaller batch, context or model; fewer layers on the GPU   (llama.cpp: -ngl, -c)",
                      "XLA_PYTHON_CLIENT_PREALLOCATE=false python ...   (JAX: takes only what it needs)",
                      "TF_FORCE_GPU_ALLOW_GROWTH=true python ...   (TensorFlow: the same)"},
         .hints =
             {{"resource_exhausted",
               "XLA_PYTHON_CLIENT_MEM_FRACTION=0.5 python ...   (JAX takes 75 % of the GPU at its start; less leaves "
               "room for libraries, kernels and others)"},
              {"resource_exhausted",
               "XLA_PYTHON_CLIENT_PREALLOCATE=false python ...   (JAX: takes only what it needs)"},
              {"resource_exhausted",
               look("nvidia-smi --query-compute-apps=pid,used_memory,name --format=csv   (who holds it)")},
              {"resource_exhausted", "use a smaller batch or model"}},
         .read = read_request,
         .applies =
             [](std::string_view text, std::size_t at) {
                 return is_on_a_gpu(text, at) && !contains(line_around(text, at), "cudaErrorNotSupported");
             }},
        {.name = "TensorRT does not fit what is there",
         .needles = {"Could not initialize cudnn", "cublasStatus == CUBLAS_STATUS_SUCCESS", "validateCaskKLibSize",
                     "TensorRT was linked against c", "Cudnn Error in "},
         .meaning =
             "Each version of TensorRT is built for one CUDA, cuDNN and cuBLAS, and for GPUs of its time; one of "
             "these is another here, or the GPU is newer than this TensorRT.",
         .remedies =
             {look("pip list | grep -iE 'tensorrt|nvidia'; dpkg -l | grep -E 'nvinfer|cudnn|cublas'; nvidia-smi"),
              "docker run --gpus all nvcr.io/nvidia/tensorrt:YY.MM-py3   (all of one age; RTX 50: 25.01 and newer)",
              "python3 -m venv fresh && fresh/bin/pip install tensorrt-cu12   (with the libraries that it needs)"}},
        {.name = "GPU newer than TensorRT",
         .needles = {"is not supported by this TensorRT release"},
         .meaning = "This TensorRT does not know the GPU: it is older than it, or newer than its support.",
         .remedies = {look("python -c 'import tensorrt; print(tensorrt.__version__)'; dpkg -l | grep nvinfer"),
                      "python3 -m venv fresh && fresh/bin/pip install tensorrt-cu12   (10.8 and newer know Blackwell, "
                      "10.x Turing and newer)",
                      "docker run --gpus all nvcr.io/nvidia/tensorrt:YY.MM-py3   (RTX 50: 25.01 and newer)",
                      "trtexec --onnx=MODEL --saveEngine=NEW   (an engine is for one TensorRT and GPU: make it anew)"}},
        {.name = "TensorRT cannot start CUDA",
         .needles = {"CUDA initialization failure with error: "},
         .meaning = "TensorRT's first call of CUDA failed, with CUDA's own number.",
         .remedies = {look(
                          "nvidia-smi | grep 'CUDA Version'; python -c 'import tensorrt; print(tensorrt.__version__)'"),
                      "use the TensorRT and CUDA of this JetPack   (on a Jetson)",
                      "docker run --gpus all nvcr.io/nvidia/tensorrt:YY.MM-py3   (of the driver's age, or update it)"},
         .read = read_code_of_tensorrt,
         .rank = Rank::warned},
        {.name = "engine of another TensorRT or GPU",
         .needles = {"engine plan file is generated on an incompatible device",
                     "engine plan file is not compatible with this version of TensorRT", "Version tag does not match",
                     "stdVersionRead == serializationVersion", "magicTagRead == magicTag",
                     "Assertion failed: d == a + length"},
         .meaning =
             "An engine of TensorRT runs only with the version that built it, on GPUs of the same compute capability.",
         .remedies = {"trtexec --onnx=MODEL.onnx --saveEngine=MODEL.plan   (builds it anew, on this machine)",
                      look("python -c 'import tensorrt; print(tensorrt.__version__)'; nvidia-smi "
                           "--query-gpu=compute_cap --format=csv")},
         .read = read_engine},
        {.name = "ONNX Runtime without CUDA",
         .needles = {"Failed to create CUDAExecutionProvider", "onnxruntime_providers_cuda",
                     "'CUDAExecutionProvider' is not in available provider", "CUDA_PATH is set but CUDA wasn",
                     "Failed to create TensorrtExecutionProvider"},
         .meaning = "ONNX Runtime could not load its part for CUDA: a library of CUDA or cuDNN of the version that it "
                    "was built for is not found, or the package onnxruntime (without GPU) hides onnxruntime-gpu. It "
                    "goes on with the CPU.",
         .remedies = {look("pip list | grep -iE 'onnxruntime|nvidia'; ldconfig -p | grep -E 'cublasLt|cudnn'"),
                      look("python -c 'import onnxruntime as o; print(o.__version__, o.get_available_providers())'"),
                      "import torch; onnxruntime.preload_dlls()   (before the session: takes PyTorch's libraries; 1.21 "
                      "and newer)",
                      environment("pip uninstall onnxruntime onnxruntime-gpu && pip install onnxruntime-gpu   (if both "
                                  "are there; undo: pip install onnxruntime)")},
         .read = read_onnxruntime,
         .rank = Rank::symptom},
        {.name = "JAX without CUDA",
         .needles = {"a CUDA-enabled jaxlib is not installed", "No GPU/TPU found, falling back to CPU",
                     "Unable to initialize backend 'cuda'", "Unable to initialize backend 'gpu'",
                     "CUDA backend failed to initialize: Unable to load CUDA"},
         .meaning = "This JAX is a build for the CPU, or its plugin for CUDA did not start; it goes on with the CPU.",
         .remedies = {look("pip list | grep -i jax; nvidia-smi"), fresh_jax, without_foreign_cuda},
         .rank = Rank::notice},
        {.name = "JAX with an older library",
         .needles = {"but JAX was built against version", "installation found.", "Is it installed?",
                     "library was not found.", "Jax plugin configuration error"},
         .meaning =
             "The plugin of JAX for CUDA does not find a library of CUDA, or finds one that is too old: a system's "
             "CUDA on LD_LIBRARY_PATH hides that of its packages, or these are not all there. JAX goes on with "
             "the CPU.",
         .remedies = {look(jax_packages), without_foreign_cuda, fresh_jax},
         .read = read_outdated,
         .near = {"JAX", "jax"},
         .in_line = {"built against", "Outdated", "Unable to load cu", "GetProperty", "plugin configuration error"}},
        {.name = "cuDNN handle refused",
         .needles = {"error before creating cudnn handle", "ould not create cudnn handle"},
         .meaning = "XLA or TensorFlow could not make its handle of cuDNN. The GPU was found, so it is neither the "
                    "driver nor the GPU: its memory is full, most of it taken by this program at its start, or a "
                    "CUDA runtime or cuDNN of another version was loaded.",
         .remedies = {look("nvidia-smi   (is its memory free?)"),
                      "XLA_PYTHON_CLIENT_MEM_FRACTION=0.5 TF_FORCE_GPU_ALLOW_GROWTH=true python ...   (JAX and "
                      "TensorFlow take less of it at their start)",
                      look("pip list | grep -iE 'jax|tensorflow|nvidia'; ldconfig -p | grep cudnn"),
                      without_foreign_cuda},
         .certain = false},
        {.name = "JAX and its plugin differ",
         .needles = {"Mismatched PJRT plugin", "is not compatible with the installed jaxlib version"},
         .meaning = "jax, jaxlib and the plugin for CUDA (jax-cuda12-plugin, jax-cuda12-pjrt) are of versions that do "
                    "not fit: they have to be equal. JAX goes on with the CPU.",
         .remedies = {look(jax_packages),
                      environment("pip freeze > before.txt && pip install --upgrade 'jax[cuda12]'   (all of them; "
                                  "undo: pip install -r before.txt)"),
                      fresh_jax}},
        {.name = "spaCy without CuPy",
         .needles = {"Cannot use GPU, Cupy is not installed", "Cannot use GPU, CuPy is not installed",
                     "ValueError: No GPU devices detected",
                     "GPU is not accessible. Was the library installed correctly"},
         .meaning =
             "spaCy uses a GPU through CuPy, which is missing here, or is a build for another CUDA than the driver "
             "supports.",
         .remedies = {look("python -c 'import cupy; print(cupy.zeros(1))'   (its error names the cause)"),
                      look("pip list | grep -i cupy; nvidia-smi   (the newest CUDA that the driver supports)"),
                      environment("pip install cupy-cuda12x   (for CUDA 12; undo: pip uninstall cupy-cuda12x)")}},
        {.name = "llama.cpp without CUDA",
         .needles = {"no usable GPU found, --gpu-layers", "ot compiled with GPU offload support",
                     "compiled without support for GPU offload", "compiled without GPU support",
                     "Current LLAMA_MAX_DEVICES=1"},
         .meaning = "This build of llama.cpp, or of its Python package, has no CUDA, or finds no GPU: it uses the CPU.",
         .remedies =
             {look("nvidia-smi; nvcc --version"),
              "CMAKE_ARGS=-DGGML_CUDA=on pip install --no-cache-dir --force-reinstall llama-cpp-python==VERSION   "
              "(EXTENSION built anew in this environment; undo: pip install it without CMAKE_ARGS)",
              "cmake -B build -DGGML_CUDA=ON && cmake --build build   (llama.cpp itself)"}},
        {.name = "llama.cpp: model not split by rows",
         .needles = {"does not support split buffers"},
         .meaning = "llama.cpp was to split each tensor over the GPUs, which this device or version does not do.",
         .remedies = {"llama-server --split-mode layer ...   (whole layers on each GPU; the default)",
                      "llama-server --split-mode none --main-gpu 0 ...   (all on one GPU, if it fits)"}},
        {.name = "Ollama finds no GPU",
         .needles = {"no compatible GPUs were discovered", "unable to load cuda driver library",
                     "no nvidia devices detected by library", "cuda driver library failed to",
                     "cuda driver library init failure"},
         .meaning = "Ollama looked for a GPU and found none that it can use: its log says why further up; after "
                    "suspend it is nvidia_uvm, in a container the missing --gpus.",
         .remedies = {look("journalctl -u ollama | grep -iE 'cuda|gpu|nvidia'; nvidia-smi"),
                      "docker run --gpus=all ...   (in a container)",
                      others("sudo modprobe -r nvidia_uvm && sudo modprobe nvidia_uvm && sudo systemctl restart ollama "
                             "  (after suspend; it refuses while any program uses a GPU)")},
         .read = read_code_of_ollama,
         .rank = Rank::echo,
         .certain = false},
        {.name = "Ollama without its GPU libraries",
         .needles = {"\"compatible gpu libraries\" compatible=[]"},
         .meaning = "Ollama found none of the libraries that run models on a GPU: the program was copied without its "
                    "folder lib/ollama, or its installation is not whole.",
         .remedies = {look("ls /usr/local/lib/ollama /usr/lib/ollama   (cuda_v12 or cuda_v13 there?)"),
                      machine("curl -fsSL https://ollama.com/install.sh | sh   (installs it anew, whole)")}},
        {.name = "driver too old for Ollama",
         .needles = {"your nvidia driver is too old or missing", "symbol lookup for cu"},
         .meaning = "Ollama found the driver's library, and that is too old for it: a function is missing in it.",
         .remedies = {look("nvidia-smi   (Driver Version)"),
                      machine("install NVIDIA's current driver, then start Ollama anew   (undo: the version that "
                              "nvidia-smi showed)")}},
        {.name = "Ollama's installer saw no GPU",
         .needles = {"Install lspci or lshw to automatically detect"},
         .meaning = "Ollama's installer looks for GPUs with lspci or lshw, and neither is there, as in containers. "
                    "Ollama itself may find the GPU all the same: if nvidia-smi shows it, nothing is amiss.",
         .remedies = {look("nvidia-smi; ollama ps   (GPU in its column PROCESSOR, while a model is loaded)"),
                      machine("apt install pciutils lshw, and run the installer again   (undo: apt remove pciutils "
                              "lshw)")},
         .rank = Rank::notice},
        {.name = "Ollama without its part for CUDA",
         .needles = {"Invalid OLLAMA_LLM_LIBRARY", "runners=[cpu]", "runners=\"[cpu]\""},
         .meaning = "This Ollama has no libraries for CUDA, or OLLAMA_LLM_LIBRARY asks for one by a name that it does "
                    "not have: it was not unpacked whole, or is built without. It goes on with the CPU.",
         .remedies = {"unset OLLAMA_LLM_LIBRARY   (then it chooses by itself)",
                      look("ls $(dirname $(command -v ollama))/../lib/ollama   (cuda_v12 or the like must be there)"),
                      machine("curl -fsSL https://ollama.com/install.sh | sh   (or unpack its archive whole)")}},
        {.name = "CUDA.jl finds no runtime",
         .needles = {"CUDA.jl could not find", "CUDA.jl did not", "CUDA driver not functional"},
         .meaning = "CUDA.jl finds no driver, or no runtime of CUDA that this driver runs.",
         .remedies =
             {look("julia -e 'using CUDA; CUDA.versioninfo()'; nvidia-smi"),
              "julia -e 'using CUDA; CUDA.set_runtime_version!(v\"12.6\")'   (one that the driver runs; in this "
              "project)"}},
        {.name = "no OpenCL of NVIDIA's",
         .needles = {"No OpenCL device found", "CL_PLATFORM_NOT_FOUND_KHR", "clGetPlatformIDs failed: PLATFORM_NOT"},
         .meaning =
             "The program uses the GPU by OpenCL, and the loader of OpenCL finds no NVIDIA: the driver's part for "
             "it, or the file that names it, is missing (in containers it always is).",
         .remedies =
             {look("ls /etc/OpenCL/vendors; nvidia-smi; clinfo -l"),
              "mkdir -p /etc/OpenCL/vendors && echo libnvidia-opencl.so.1 > /etc/OpenCL/vendors/nvidia.icd   (in a "
              "container)",
              "device_type='cuda'   (LightGBM, in a build with CUDA: needs no OpenCL)"},
         .near = {"GBM", "NVIDIA", "nvidia", "GPU", "gpu"}},
        {.name = "several CuPys",
         .needles = {"multiple CuPy packages are installed"},
         .meaning = "Each package of CuPy is for one CUDA, and several of them overwrite each other's files.",
         .remedies = {look("pip list | grep -i cupy"),
                      "python3 -m venv fresh && fresh/bin/pip install cupy-cuda12x   (the one of the driver's CUDA)"},
         .rank = Rank::notice},
    };
    all.insert(all.end(), of_programs.begin(), of_programs.end());
    all.push_back(
        {.name = "error of CUDA that is not known by name",
         .needles = {"rror", "ERROR", "fatal", "FATAL", "xception", "_STATUS_"},
         .meaning = "A call of CUDA or of one of its libraries failed. Kernels fail late: an earlier one may be it.",
         .read = read_words,
         .applies =
             [](std::string_view text, std::size_t at) {
                 return says(text, at, not_built) || says(text, at, not_there) || says(text, at, failed_calls);
             },
         .rank = Rank::notice,
         .certain = false});
    return all;
}

}  // namespace tocuda::doctor
