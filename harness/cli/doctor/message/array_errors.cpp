// tocuda, Apache-2.0.
// Arrays, tables and trees on the GPU beside LibTorch: Numba, CuPy, PyCUDA, RAPIDS, XGBoost and its like, MXNet,
// Paddle.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"
#include "doctor/message/origin.hpp"
#include "model/words.hpp"

namespace tocuda::doctor {
namespace {

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

// "Mapped libcuda.so paths: .../stubs/libcuda.so", NUMBAPRO_CUDA_DRIVER=...cudart64_91.dll
void read_driver_of_numba(std::string_view text, std::size_t, Explanation& told) {
    const bool named = contains_any(text, {"NUMBAPRO_CUDA_DRIVER", "NUMBA_CUDA_DRIVER"});
    if (named && contains(text, "cudart"))
        told.arithmetic.emplace_back(
            "the variable names the CUDA runtime (cudart); the driver is nvcuda.dll or "
            "libcuda.so.1, which Numba finds by itself");
    if (!contains(text, "/stubs/")) return;
    told.arithmetic.emplace_back(
        "the text shows a libcuda.so in a folder stubs: the toolkit's, which is for linking only and does nothing");
    told.remedies = {
        "LD_LIBRARY_PATH=$(echo $LD_LIBRARY_PATH | tr : '\\n' | grep -v stubs | paste -sd:) python ...   "
        "(without that folder)",
        {"ldconfig -p | grep libcuda.so; echo $LD_LIBRARY_PATH", Scope::look},
        "NUMBA_CUDA_DRIVER=/usr/lib/x86_64-linux-gnu/libcuda.so.1 python ...   (the driver's own)"};
}

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
        {.name = "several CuPys",
         .needles = {"multiple CuPy packages are installed"},
         .meaning = "Each package of CuPy is for one CUDA, and several of them overwrite each other's files.",
         .remedies = {look("pip list | grep -i cupy"),
                      "python3 -m venv fresh && fresh/bin/pip install cupy-cuda12x   (the one of the driver's CUDA)"},
         .rank = Rank::notice},
        {.name = "Numba does not find the driver",
         .needles = {"driver missing function: cuInit", "is not a valid file path.  Note it must be a filepath of the",
                     "Call to cuInit results in UNKNOWN_CUDA_ERROR"},
         .meaning = "What Numba loaded as the driver's library is not that: the toolkit's stub, its runtime, or a file "
                    "that NUMBA_CUDA_DRIVER names.",
         .remedies = {"unset NUMBA_CUDA_DRIVER NUMBAPRO_CUDA_DRIVER   (Numba finds the driver by itself)",
                      look("python -c 'from numba import cuda; cuda.cudadrv.libs.test()'   (which libcuda it takes)"),
                      "set NUMBAPRO_CUDA_DRIVER=&& set NUMBA_CUDA_DRIVER=&& python ...   (Windows; in PowerShell: "
                      "Remove-Item Env:NUMBAPRO_CUDA_DRIVER)"},
         .read = read_driver_of_numba},
        {.name = "Numba: a launch that is not of whole numbers",
         .needles = {"ctypes.ArgumentError: argument"},
         .meaning = "The number of blocks or threads of the launch, kernel[blocks, threads], is no whole number: most "
                    "often a division with / made it one with a fraction.",
         .remedies = {"blocks = (n + threads - 1) // threads   (or int(math.ceil(n / threads)))",
                      "print(type(blocks), type(threads))   (before the launch)"},
         .near = {"launch_kernel", "numba"}},
        {.name = "PyCUDA without a context",
         .needles = {"invalid device context", "no currently active context", "explicit_context_dependent failed",
                     "The context stack was not empty upon module cleanup"},
         .meaning = "A call of PyCUDA came where no context is current: none was made yet, or it was made in another "
                    "thread, or popped already.",
         .remedies = {"import pycuda.autoinit   (first of all; or ctx = pycuda.driver.Device(0).make_context())",
                      "ctx.push(); ...; ctx.pop()   (around the calls in a callback or another thread)",
                      "import pycuda.autoprimaryctx   (instead of autoinit, beside PyTorch, CuPy or the CUDA runtime)"},
         .near = {"pycuda", "PyCUDA"}},
    };
}

std::vector<KnownError> errors_of_tables() {
    return {
        {.name = "RAPIDS comes from NVIDIA's index",
         .needles = {"package which downloads a real wheel package", "from https://pypi.nvidia.com",
                     "No module named 'cudf'", "No module named 'cuml'", "No module named 'cugraph'",
                     "No matching distribution found for cudf", "No matching distribution found for cuml"},
         .meaning = "cuDF and cuML are not in this environment: they are published for Linux (and WSL 2) only, as "
                    "cudf-cu12 or cudf-cu13, for some versions of Python.",
         .remedies = {"python3 -m venv fresh && fresh/bin/pip install cudf-cu12 cuml-cu12 "
                      "--extra-index-url=https://pypi.nvidia.com   (a new environment)",
                      "conda create -n fresh -c rapidsai -c conda-forge cudf cuml 'cuda-version>=12,<13'",
                      look("python --version; nvidia-smi | grep 'CUDA Version'")}},
        {.name = "XGBoost sees no GPU",
         .needles = {"No visible GPU is found", "Must have at least one device", "Check failed: n_visgpus",
                     "Invalid gpu_id"},
         .meaning = "XGBoost has CUDA and finds no GPU in this process.",
         .remedies = {look("nvidia-smi -L; echo \"[$CUDA_VISIBLE_DEVICES]\""),
                      "docker run --gpus all ..., srun --gres=gpu:1 ...   (in a container or a job)",
                      "device='cpu'   (where there is none)"},
         .near = {"xgboost", "XGBoost", "gpu_"}},
        {.name = "CatBoost finds no GPU",
         .needles = {"GPU Device not found", "No GPU devices found", "Environment for task type [GPU] not found",
                     "Can't load GPU learning library", "CUDA support was not built"},
         .meaning =
             "CatBoost has no part for the GPU in this package (macOS, ARM and conda's have none), or the driver "
             "shows it no GPU, or is too old for it.",
         .remedies =
             {look("nvidia-smi; python -c 'import catboost.utils as u; print(u.get_gpu_device_count())'"),
              "python3 -m venv fresh && fresh/bin/pip install catboost   (a new environment: PyPI's package for "
              "Linux x86-64 and Windows has CUDA)",
              "docker run --gpus all ...   (in a container)"},
         .near = {"atboost", "atBoost"}},
    };
}

// "Invalid GPU Id: 1, Valid device id should be less than device_count: 1"
void read_ids_of_mxnet(std::string_view text, std::size_t at, Explanation& told) {
    const auto message = text_near(text, at, 200, 300);
    const auto wanted = number_after(message, "Invalid GPU Id: ");
    const auto count = number_after(message, "less than device_count: ");
    if (!wanted || !count) return;
    told.error = "MXNet: GPU that is not there";
    told.certain = true;
    told.meaning = "The program asks for a GPU by a number that MXNet does not see; the first is 0.";
    told.arithmetic.push_back(
        fmt::format("GPU {} is asked for, and {} {} seen", *wanted, *count, *count == 1 ? "is" : "are"));
    told.remedies = {fmt::format("mx.gpu(0)   (or --gpus 0: at most {})", *count - 1),
                     {"nvidia-smi -L; echo \"[$CUDA_VISIBLE_DEVICES]\"", Scope::look}};
}

// "not compatible with Paddle installation with arch: 70 75 80 86", "was compiled for 60, 70; but your current GPU is
// 120"
void read_arch_of_paddle(std::string_view text, std::size_t at, Explanation& told) {
    const auto message = text_near(text, at, 300, 700);
    auto built = between(message, "installation with arch: ", ",");
    if (!built) built = between(message, "was compiled for ", ",");
    const auto capability = between(message, "GPU Compute Capability: ", ",");
    if (built && built->size() < 60)
        told.arithmetic.push_back(fmt::format("this package has code for {}{}", *built,
                                              capability ? fmt::format(", and the GPU is of {}", *capability) : ""));
}

void read_crash_of_paddle(std::string_view text, std::size_t at, Explanation& told) {
    const auto kind = text.substr(at, 60);
    const auto small = lower(text);
    if (kind.starts_with("`Illegal"))
        told.meaning =
            "Paddle used an instruction that this processor (not the GPU) does not have: its packages need AVX.";
    if (kind.starts_with("`Access"))
        told.meaning = "Memory that processes share is full (SIGBUS), as /dev/shm of a container: workers of a loader.";
    if (kind.starts_with("`Access"))
        told.remedies = {{"df -h /dev/shm", Scope::look},
                         "docker run --shm-size=16g ...   (or num_workers=0, use_shared_memory=False)"};
    const bool old = contains_any(small, {"cuda 10.", "cuda10.", "cuda: 10.", "cu102", "cu101", "version: 10."});
    if (!old ||
        !contains_any(small, {"cudnn 8", "cudnn8", "cudnn: 8", "cudnn v8", "cudnn=8", "cudnn-8", "cudnn version: 8"}))
        return;
    told.arithmetic.emplace_back(
        "the text names CUDA 10 with cuDNN 8: Paddle's packages for 10.1 and 10.2 take cuDNN 7.6.5, those for 11 cuDNN "
        "8");
}

std::vector<KnownError> errors_of_mxnet_and_paddle() {
    constexpr auto check = look(
        "python -c 'import paddle; print(paddle.version.cuda(), paddle.version.cudnn()); "
        "paddle.utils.run_check()'; nvidia-smi");
    return {
        {.name = "MXNet sees no GPU",
         .needles = {"GPU usage requires at least 1 GPU", "GPU context requested, but no GPUs found",
                     "Invalid GPU Id: ", "Check failed: device_count_ > 0"},
         .meaning = "This MXNet has CUDA and finds no GPU: the driver is missing, too old for the CUDA of the package "
                    "(mxnet-cu112 is for 11.2), or hidden from this process.",
         .remedies =
             {look("nvidia-smi; pip list | grep -i mxnet; echo \"[$CUDA_VISIBLE_DEVICES]\"   (mxnet-cuXY: not "
                   "newer than the CUDA Version of nvidia-smi)"),
              "python3 -m venv fresh && fresh/bin/pip install mxnet-cu102   (a new environment; the one for the "
              "CUDA that the driver supports)",
              "docker run --gpus all ...   (in a container)"},
         .read = read_ids_of_mxnet},
        {.name = "Paddle without code for this GPU",
         .needles = {"which is not compatible with Paddle installation with arch", "Mismatched GPU Architecture"},
         .meaning = "This package of PaddlePaddle has no code for the GPU, and what runs on it fails with errors of "
                    "cuDNN or CUDA. The packages for different CUDAs hold code for different GPUs.",
         .remedies = {look("nvidia-smi --query-gpu=name,compute_cap --format=csv"),
                      "python3 -m venv fresh && fresh/bin/pip install paddlepaddle-gpu -i "
                      "https://www.paddlepaddle.org.cn/packages/stable/cu118/   (a new environment; try the one for "
                      "another CUDA: cu118 for older GPUs, cu129 for RTX 50)",
                      "paddle.set_device('cpu')   (or --device cpu, use_gpu=False)"},
         .read = read_arch_of_paddle},
        {.name = "Paddle does not find a CUDA library",
         .needles = {"that Paddle depends on is not configured correctly"},
         .meaning = "Paddle loads cuDNN or another CUDA library by its name, of the version that it was built for, "
                    "and the loader does not find that one.",
         .remedies =
             {"python3 -m venv fresh && fresh/bin/pip install paddlepaddle-gpu -i "
              "https://www.paddlepaddle.org.cn/packages/stable/cu126/   (a new environment: 3.0 and newer bring "
              "their libraries)",
              check, "LD_LIBRARY_PATH=FOLDER:$LD_LIBRARY_PATH python ...   (the folder that has it; Windows: PATH)"},
         .read =
             [](std::string_view text, std::size_t, Explanation& told) {
                 const auto library = between(text, "third-party dynamic library (", ")");
                 if (library && library->size() < 60)
                     told.arithmetic.push_back(fmt::format("it looks for {}: that version, and no other", *library));
             }},
        {.name = "Paddle and its cuDNN or CUDA do not fit",
         .needles = {"CUDNN error(", "CUBLAS error(", "(External) CUDNN error", "(External) CUBLAS error"},
         .meaning =
             "cuDNN or cuBLAS failed inside Paddle: most often they are not of the versions that this package was "
             "built for, else the GPU's memory is full.",
         .remedies =
             {check, look("nvidia-smi   (is its memory free while the program runs?)"),
              "python3 -m venv fresh && fresh/bin/pip install paddlepaddle-gpu -i "
              "https://www.paddlepaddle.org.cn/packages/stable/cu126/   (a new environment: 3.0 and newer bring "
              "their libraries)"},
         .near = {"addle", "Hint: '", "ExternalError", "operator <"},
         .rank = Rank::symptom},
        {.name = "Paddle crashed",
         .needles = {"`Segmentation fault` is detected by the operating system",
                     "`Process abort signal` is detected by the operating system",
                     "`Erroneous arithmetic operation` is detected by the operating system",
                     "`Illegal instruction` is detected by the operating system",
                     "`Access to an undefined portion of a memory object` is detected"},
         .meaning = "Paddle crashed in compiled code and names no error of CUDA: most often cuDNN or CUDA are of other "
                    "versions than its package was built for, or another package brings its own.",
         .remedies =
             {check, look("ldconfig -p | grep -E 'cudnn|cublas'; pip list | grep -iE 'paddle|nvidia|torch'"),
              "LD_LIBRARY_PATH=FOLDER:$LD_LIBRARY_PATH python ...   (the folder with the cuDNN that check names)",
              "python3 -m venv fresh && fresh/bin/pip install paddlepaddle-gpu -i "
              "https://www.paddlepaddle.org.cn/packages/stable/cu118/   (a new environment: 3.0 and newer bring "
              "their libraries)"},
         .read = read_crash_of_paddle,
         .rank = Rank::symptom},
    };
}

}  // namespace

std::vector<KnownError> array_errors() {
    auto all = errors_of_arrays();
    for (const auto& family : {errors_of_tables, errors_of_mxnet_and_paddle}) {
        auto some = family();
        std::ranges::move(some, std::back_inserter(all));
    }
    return all;
}

}  // namespace tocuda::doctor
