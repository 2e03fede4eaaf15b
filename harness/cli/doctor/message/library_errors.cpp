// tocuda, Apache-2.0.
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "doctor/message/dump_lines.hpp"
#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"
#include "doctor/message/origin.hpp"

namespace tocuda::doctor {
namespace {

constexpr auto libraries_of_cuda =
    std::to_array<std::string_view>({"libcu", "libnv", "libnccl", "libtorch_cuda", "libc10_cuda", "libtorch_nvshmem",
                                     "libnvshmem", "cublas", "cudnn", "cudart", "cufft", "nvrtc"});

// "libcudnn.so.9: cannot open shared object file", with the needle at the colon: raised, not only tried.
bool is_missing_and_of_cuda(std::string_view text, std::size_t at) {
    constexpr std::size_t near = 200;
    if (text.substr(at).starts_with(".dll")) at += 4;
    auto library = word_before(text.substr(at < near ? 0 : at - near), std::min(at, near));
    library.remove_prefix(std::min(library.size(), library.rfind('/') + 1));
    const auto line = line_around(text, at);
    const bool alone =
        line.starts_with(library) || contains(line, "rror") || contains_any(line, {"what():", "Could not locate"});
    return alone && !is_mention(line) && !contains(line, "NCCL") && !contains(line, "Could not load dynamic library") &&
           library != "libcuda.so.1" && library != "libcuda.so" && !library.starts_with("libcurl") &&
           std::ranges::any_of(libraries_of_cuda, [&](auto each) { return library.starts_with(each); });
}

// A path in the text that ends with the library shows where it lies.
std::string folder_in(std::string_view text, std::string_view library) {
    for (auto at = text.find(library); at != std::string_view::npos; at = text.find(library, at + 1)) {
        const auto end = at + library.size();
        const bool whole = end == text.size() || text[end] == '\n' || text[end] == '\r' || text[end] == ' ';
        if (!whole || at == 0 || text[at - 1] != '/') continue;
        const auto begin = text.find_last_of(" \n\t>", at) + 1;  // npos + 1 is 0
        if (text[begin] == '/') return std::string(text.substr(begin, at - 1 - begin));
    }
    return "";
}

// A list of packages with nvidia-nccl-cu12 and nvidia-nccl-cu13 belongs to an environment that was changed piece by
// piece.
void tell_of_two_cudas(std::string_view text, Explanation& told) {
    if (!contains(text, "-cu12==") || !contains(text, "-cu13==")) return;
    told.arithmetic.emplace_back(
        "the list has NVIDIA's packages for CUDA 12 beside those for CUDA 13, as after several installations into one "
        "environment");
    const std::string_view program = contains(text, "vllm") || contains(text, "vLLM") ? " vllm" : "";
    told.remedies = {{"pip list | grep -iE 'torch|nvidia'", Scope::look},
                     fmt::format("{{torch}}{}   (a new environment, in one command and nothing after it)", program)};
}

void read_missing_library(std::string_view text, std::size_t at, Explanation& told) {
    constexpr std::size_t near = 200;
    if (text.substr(at).starts_with(".dll")) at += 4;
    const auto library = word_before(text.substr(at < near ? 0 : at - near), std::min(at, near));
    told.arithmetic.push_back(fmt::format("the loader finds no {}", library));
    tell_of_missing_library(text, at, library, told);
    tell_of_library_in(text, library, told);
    tell_of_two_cudas(text, told);
    if (!origin_of(text).jetson || !told.remedies.empty() || !told.certain) return;
    told.arithmetic.emplace_back("in a container of a Jetson the CUDA libraries are those of the host's JetPack");
    told.remedies = {
        "docker run --runtime nvidia ...   (passes them in)",
        {"\"default-runtime\": \"nvidia\"   (in /etc/docker/daemon.json, where an image is built: docker build "
         "has no --runtime; undo: remove it)",
         Scope::machine},
        {"sudo systemctl restart docker   (then; it stops the containers that run)", Scope::others},
        std::string(jetson_wheels) + "   (outside of containers)"};
}

// "Could not run 'aten::empty_strided' with arguments from the 'CUDA' backend": no tensor can be made there.
bool makes_tensors(std::string_view text, std::size_t at) {
    return contains(text_near(text, at, 100, 0), "'aten::empty");
}

// "DLL load failed while importing _fused", and "from pytorch3d import _C" before it: not a module of PyTorch itself.
std::string module_that_fails(std::string_view text, std::size_t at) {
    const auto line = line_around(text, at);
    const auto before = text_near(text, at, 600, 0);
    const auto own = between(line, "while importing ", ":");
    const auto last = before.rfind("import ");
    const auto imported = last == std::string_view::npos ? "" : line_around(before, last);
    if (contains_any(imported, {"torch._C", "import torch", "from torch", "onnxruntime", "tensorflow"})) return "";
    if (contains_any(line, {"torch_python", "onnxruntime", "pywrap_tensorflow", "_torch", "pybind11_state"})) return "";
    constexpr std::array known{"pytorch3d",    "flash_attn",    "_fused",        "sageattention", "xformers",
                               "mmcv",         "detectron2",    "nvdiffrast",    "gsplat",        "torch_scatter",
                               "torch_sparse", "torch_cluster", "_C_flashatt",   "diff_gaussian", "simple_knn",
                               "spconv",       "causal_conv1d", "mamba",         "exllama",       "auto_gptq",
                               "tinycudann",   "kaolin",        "selective_scan"};
    for (const std::string_view name : known)
        if (contains(imported, name) || contains(line, name)) return own ? std::string(*own) : std::string(name);
    return "";
}

void read_library_of_windows(std::string_view text, std::size_t at, Explanation& told) {
    if (const auto extension = module_that_fails(text, at); !extension.empty()) {
        told.meaning =
            "PyTorch itself was loaded; it is an extension that Windows cannot load: it was built for another PyTorch, "
            "Python or CUDA than those that are there.";
        told.arithmetic.push_back(fmt::format("the module that fails is {}", extension));
        told.remedies = {
            {"python -c 'import sys, torch; print(sys.version, torch.__version__, torch.version.cuda)'   (its "
             "wheel has to name all three)",
             Scope::look},
            {"pip install FILE   (the wheel of it whose name has this torch, CUDA and Python; undo: the wheel "
             "that was there)",
             Scope::environment},
            {"pip install --force-reinstall --no-cache-dir --no-build-isolation --no-deps EXTENSION   (builds "
             "it for this torch, in the x64 Native Tools Command Prompt for VS; undo: the version that was "
             "there)",
             Scope::environment}};
        return;
    }
    const auto line = line_around(text, at);
    const bool of_another_version = contains(line, "WinError 127") || contains(line, "procedure could not be found");
    if (of_another_version && contains(line, "paddle")) {
        told.meaning =
            "Windows found the library and missed a function in another that it needs (error 127): another cuDNN "
            "was loaded before Paddle's, one of PATH or of PyTorch, which brings its own.";
        told.remedies = {
            "python -m venv fresh && fresh\\Scripts\\pip install paddlepaddle-gpu -i "
            "https://www.paddlepaddle.org.cn/packages/stable/cu126/   (an environment of its own: nothing else that "
            "brings cuDNN)",
            "import paddle   (in the first line of the program, before what else brings cuDNN)",
            {"where cudnn64_9.dll cudnn64_8.dll   (copies on PATH)", Scope::look}};
        return;
    }
    if (of_another_version && !contains(line, "WinError 126")) {
        told.meaning =
            "Windows found every library and missed a function in one of them (error 127): a DLL of another version is "
            "loaded, as of an older PyTorch in the same folder or of another program on PATH.";
        told.remedies = {"{torch}   (a new environment: no files of an older one)",
                         {"where cudart64_*.dll cudnn64_*.dll libiomp5md.dll c10.dll   (copies on PATH)", Scope::look},
                         "set PATH=C:\\Windows\\System32 && python -c \"import torch\"   (with python's whole path: "
                         "tells whether PATH is to blame)"};
        return;
    }
    if (const auto library = between(text_near(text, at, 0, 120), "Could not find module '", "'"))
        return tell_of_missing_library(text, at, library->substr(library->rfind('\\') + 1), told);
    if (!contains(text_near(text, at, 200, 400), "fbgemm.dll")) return;
    told.arithmetic.emplace_back("fbgemm.dll of PyTorch 2.4.0 needs libomp140.x86_64.dll, which that build omits");
    told.remedies = {"{torch}   (a new environment: PyTorch 2.4.1 and newer bring it)",
                     {"add \"C++ Clang tools\" of Visual Studio, which has libomp140.x86_64.dll", Scope::machine}};
}

void read_glibc(std::string_view text, std::size_t at, Explanation& told) {
    if (const auto version = between(text_near(text, at, 0, 60), "GLIBC_", "'"))
        told.arithmetic.push_back(fmt::format("it needs glibc {} or newer", *version));
    if (!contains(line_around(text, at), ".singularity.d/libs")) return;
    told.meaning =
        "apptainer --nv puts libraries of the host's driver into the container, and these are built for a newer "
        "C library than that of the image.";
    told.remedies = {{"ldd --version | head -1   (in the container, and on the host)", Scope::look},
                     "use an image with a newer base   (Ubuntu 22.04 has glibc 2.35, 24.04 has 2.39)",
                     "apptainer exec --nvccli ...   (passes in what is needed only: no libraries of OpenGL)"};
}

// "Detected that PyTorch and torchvision were compiled with different CUDA ... PyTorch has CUDA Version=12.4"
// {2, 4} of "torch==2.4.0", "torch 2.4.0" and "Name: torch\nVersion: 2.4.0+cu121".
std::optional<std::pair<int, int>> version_in(std::string_view text, std::string_view package) {
    for (const auto& label :
         {fmt::format("Name: {}\nVersion: ", package), fmt::format("Name: {}\r\nVersion: ", package),
          fmt::format("{}==", package), fmt::format("{} ", package)})
        for (auto at = text.find(label); at != std::string_view::npos; at = text.find(label, at + 1)) {
            const auto number = leading_version(text.substr(at + label.size()));
            if (number.find('.') != std::string_view::npos && is_version(number)) return version_of(number);
        }
    return std::nullopt;
}

void read_torchvision(std::string_view text, std::size_t at, Explanation& told) {
    const auto message = flattened(text.substr(at), 600);
    const auto torch = between(message, "PyTorch has CUDA Version=", " ");
    const auto other = between(message, "torchvision has CUDA Version=", " ");
    if (torch && other)
        told.arithmetic.push_back(fmt::format("PyTorch is built for CUDA {}, torchvision for {}", *torch,
                                              other->substr(0, other->find_last_of("0123456789") + 1)));
    const auto of_torch = version_in(text, "torch");
    const auto of_vision = version_in(text, "torchvision");
    constexpr int ahead = 15;  // 0.15 was published with PyTorch 2.0, and both count on since
    if (of_torch && of_vision && of_torch->first == 2 && of_vision->second != of_torch->second + ahead)
        told.arithmetic.push_back(fmt::format("PyTorch 2.{} was published with torchvision 0.{}; the text names 0.{}",
                                              of_torch->second, of_torch->second + ahead, of_vision->second));
}

}  // namespace

void tell_of_library_in(std::string_view text, std::string_view library, Explanation& told) {
    const auto folder = folder_in(text, library);
    if (folder.empty()) return;
    told.arithmetic.push_back(fmt::format("the text shows it in {}, where the loader does not look", folder));
    told.remedies.insert(
        told.remedies.begin(),
        fmt::format("export LD_LIBRARY_PATH={}:$LD_LIBRARY_PATH   (before the program starts)", folder));
}

std::vector<KnownError> library_errors() {
    constexpr auto list = "pip list | grep -iE 'torch|nvidia'   (equal +cu suffixes? -cu12 beside -cu13?)";
    constexpr auto fresh = "{torch}   (a new environment; the old one stays as it is)";
    return {
        {.name = "PyTorch without CUDA",
         .needles = {"Torch not compiled with CUDA enabled", "torch.cuda.FloatTensor is not enabled",
                     "torch.cuda.HalfTensor is not enabled", "PyTorch is not linked with support for cuda",
                     "PyTorch was compiled without CUDA support", "Torch was not compiled with CUDA"},
         .meaning = "This PyTorch was built for the CPU. In Python it is an AssertionError, which code that expects a "
                    "RuntimeError does not catch.",
         .claims = {"004-06", "000-E1", "001-15"},
         .remedies = {look("python -c 'import torch; print(torch.__version__, torch.version.cuda)'"),
                      look("nvidia-smi   (first: is there an NVIDIA GPU at all?)"), fresh},
         .read = [](std::string_view text, std::size_t, Explanation& told) { tell_of_build(text, told); }},
        {.name = "PyTorch without XPU",
         .needles = {"Torch not compiled with XPU enabled", "PyTorch is not linked with support for xpu"},
         .meaning = "The program asked for an Intel GPU (the device 'xpu'), and this PyTorch was built for the CPU or "
                    "for CUDA.",
         .remedies = {look("python -c 'import torch; print(torch.__version__)'   (+xpu is a build for Intel GPUs)"),
                      "install PyTorch's build for XPU   (in a new environment; \"Intel GPU\" on pytorch.org's page)",
                      "device = 'cuda'   (where the GPU is NVIDIA's)"}},
        {.name = "PyTorch without CUDA",
         .needles = {"' with arguments from the 'CUDA' backend"},
         .meaning =
             "No code for CUDA tensors is in this process: a build for the CPU, or libtorch_cuda.so is not loaded.",
         .claims = {"004-06", "001-15"},
         .remedies = {look("python -c 'import torch; print(torch.__version__, torch.version.cuda)'"),
                      "link with -Wl,--no-as-needed -ltorch_cuda   (a C++ program)", fresh},
         .applies = makes_tensors},
        {.name = "operator without CUDA",
         .needles = {"' with arguments from the 'CUDA' backend", "requires compiling PyTorch with MAGMA"},
         .meaning = "This operator has no CUDA version in the installed build: a sparse or quantized one that has "
                    "none, or its package (torchvision, ...) was built for the CPU.",
         .claims = {"002-03"},
         .remedies = {look(list), "{torch} torchvision   (a new environment: both of one build)"},
         .read =
             [](std::string_view text, std::size_t at, Explanation& told) {
                 if (!contains(text_near(text, at, 80, 0), "torchvision::")) return;
                 told.meaning =
                     "torchvision was built for the CPU, and PyTorch for CUDA: the two have to be of one build.";
                 told.certain = true;
             },
         .applies = [](std::string_view text, std::size_t at) { return !makes_tensors(text, at); },
         .certain = false},
        {.name = "CUDA library not loaded",
         .needles = {"Cannot initialize CUDA without ATen_cuda library",
                     "Cannot initialize CUDA without ATen_CUDA library"},
         .meaning = "libtorch_cuda.so is not in this process: the linker dropped it because no symbol of it is used.",
         .claims = {"001-15", "004-06"},
         .remedies = {"link with -Wl,--no-as-needed -ltorch_cuda", look("ldd PROGRAM | grep torch_cuda")}},
        {.name = "broken PyTorch build",
         .needles = {"libcudart functions unavailable. It looks like you have a broken build",
                     "module 'torch' has no attribute '__version__'", "module 'torch' has no attribute 'cuda'",
                     "partially initialized module 'torch'", "cannot import name '_C' from 'torch'",
                     "No module named 'torch._C'"},
         .meaning = "The folder torch that was imported is not a whole installation: files of two, a half-removed one, "
                    "or a file or folder of one's own that is named torch.",
         .claims = {"001-15"},
         .remedies = {look("python -c 'import torch; print(torch.__file__, torch.__path__)'   (whose file is it?)"),
                      fresh},
         .certain = false},
        {.name = "CUDA library not found",
         .needles = {": cannot open shared object file", " is not found or cannot be loaded", ".dll' not found",
                     ".dll\" which is missing", ". Please make sure it is in your library path"},
         .meaning = "A CUDA library or PyTorch is not where the loader looks: a package of NVIDIA's is missing or "
                    "lies elsewhere than torch, or a program was built for another CUDA.",
         .claims = {"001-15"},
         .remedies = {look("tocuda doctor --python $(command -v python)   (resolves each library as the loader would)"),
                      look(list), fresh},
         .read = read_missing_library,
         .applies = is_missing_and_of_cuda},
        {.name = "library of Windows not found",
         .needles = {"WinError 126", "WinError 127", "WinError 1114", "WinError 193", "DLL load failed",
                     "Could not find module '"},
         .meaning = "Windows could not load a PyTorch library, or one that it needs: the Visual C++ runtime is "
                    "missing or old, a file is missing, or it is for another architecture.",
         .remedies = {machine("install the Visual C++ runtime: https://aka.ms/vs/17/release/vc_redist.x64.exe"), fresh},
         .hints = {{"ktransformers",
                    "install the wheel whose name has the CUDA and PyTorch that are there   (cu124torch25: CUDA 12.4, "
                    "PyTorch 2.5; in a new environment)"},
                   {"ktransformers", look("python -c \"import torch; print(torch.__version__, torch.version.cuda)\"")},
                   {"ktransformers",
                    machine("install the Visual C++ runtime: https://aka.ms/vs/17/release/vc_redist.x64.exe")}},
         .read = read_library_of_windows,
         .applies = [](std::string_view text, std::size_t at) { return !contains(line_around(text, at), "nvvm"); },
         .near = {"torch", "cuda", "CUDA", "cudnn", "triton", "nvidia", "CuPy", "nvrtc64_", "cublas64_",
                  "KTransformers", "exllama", "llama_cpp", "vllm"},
         .certain = false},
        {.name = "page file of Windows too small",
         .needles = {"WinError 1455", "os error 1455", "Error code 1455", "paging file is too small",
                     "\u9875\u9762\u6587\u4ef6\u592a\u5c0f"},  // the same in Chinese
         .meaning = "Windows could not promise more memory: its commit limit, memory and page file together, is "
                    "reached. Each process that loads PyTorch takes several GB of it, and so does a file of weights; "
                    "the GPU's memory is not meant.",
         .remedies = {machine("enlarge the page file: System, Advanced, Performance, Virtual memory   (to 2 or 3 times "
                              "the memory; undo: the old size)"),
                      "DataLoader(..., num_workers=0), or fewer processes   (each loads the CUDA libraries anew)"}},
        {.name = "driver's library not found by PyTorch",
         .needles = {"c10/cuda/driver_api.cpp"},
         .meaning =
             "PyTorch loads libcuda.so.1 and libnvidia-ml.so.1 by their names, and the loader does not find one: in "
             "WSL it lies in /usr/lib/wsl/lib, in a container it was not passed in.",
         .claims = {"000-02"},
         .remedies = {look("ldconfig -p | grep -E 'libcuda.so|nvidia-ml'; ls /usr/lib/wsl/lib"),
                      "LD_LIBRARY_PATH=/usr/lib/wsl/lib:$LD_LIBRARY_PATH python ...   (WSL)",
                      "docker run --gpus all -e NVIDIA_DRIVER_CAPABILITIES=compute,utility ...   (in a container)"},
         .read =
             [](std::string_view text, std::size_t at, Explanation& told) {
                 if (!contains(line_around(text, at), "undefined symbol")) return;
                 told.error = "driver too old";
                 told.meaning =
                     "This PyTorch asks libcuda or NVML for a function that the driver does not have yet. It asks for "
                     "it first where memory of the GPU runs out, or with expandable segments.";
                 told.remedies = {
                     {"nvidia-smi   (the driver's version; is the GPU's memory full?)", Scope::look},
                     {"update the driver   (of the host, where this is a container; undo: the old one)",
                      Scope::machine},
                     "use a smaller batch   (if the memory was full)",
                     "unset PYTORCH_CUDA_ALLOC_CONF PYTORCH_ALLOC_CONF   (if it sets expandable_segments)"};
             }},
        {.name = "folder that forbids loading",
         .needles = {"failed to map segment from shared object"},
         .meaning = "The library lies on a file system that is mounted noexec, often /tmp with the cache of Triton or "
                    "an extension that was just built.",
         .remedies =
             {"TRITON_CACHE_DIR=$HOME/.triton TORCH_EXTENSIONS_DIR=$HOME/.torch_extensions TMPDIR=$HOME/tmp python ...",
              look("findmnt -T /tmp   (noexec?)")}},
        {.name = "C++ library too old",
         .needles = {"version `GLIBCXX_", "version `CXXABI_"},
         .meaning = "A library was built with a newer C++ library than the one that was loaded: that of conda against "
                    "that of the system, or of a newer distribution.",
         .remedies =
             {look("strings $(python -c 'import sys; print(sys.prefix)')/lib/libstdc++.so.6 | grep GLIBCXX | tail -1"),
              "env -u LD_LIBRARY_PATH python ...   (or with $CONDA_PREFIX/lib first on it)",
              environment("conda install -c conda-forge libstdcxx-ng   (undo: conda remove libstdcxx-ng)")},
         .near = {"torch", "cuda", "CUDA", "cudnn", "triton", "nvidia"},
         .certain = false},
        {.name = "C library too old",
         .needles = {"version `GLIBC_"},
         .meaning = "A wheel or program was built on a newer system than this one: the C library (glibc) is part of "
                    "the system, and no package of pip or conda replaces it.",
         .remedies = {look("ldd --version | head -1   (the glibc of this system)"),
                      "pip install --no-binary EXTENSION --no-build-isolation EXTENSION   (builds it on this system), "
                      "or an older wheel of it",
                      "use a container image or a system with a newer glibc   (Ubuntu 22.04 has 2.35, RHEL 9 2.34)"},
         .read = read_glibc,
         .near = {"torch", "cuda", "CUDA", "cudnn", "triton", "nvidia", ".singularity.d"}},
        {.name = "PyTorch older than NumPy 2",
         .needles = {"A module that was compiled using NumPy 1.x cannot be run", "_ARRAY_API not found"},
         .meaning =
             "PyTorch before 2.3 was built with NumPy 1 and cannot exchange arrays with NumPy 2: from_numpy() and "
             "numpy() fail. GPUs have nothing to do with it.",
         .remedies = {environment("pip install 'numpy<2'   (undo: pip install --upgrade numpy)"),
                      "{torch}   (2.3 and newer take both; in a new environment)"},
         .near = {"torch"},
         .rank = Rank::warned},
        {.name = "PyTorch older than NumPy 2",
         .needles = {"RuntimeError: Numpy is not available"},
         .meaning = "PyTorch could not load NumPy: before 2.3 it was built with NumPy 1, and NumPy 2 is installed, or "
                    "none is. GPUs have nothing to do with it.",
         .remedies = {environment("pip install 'numpy<2'   (undo: pip install --upgrade numpy)"),
                      "{torch}   (2.3 and newer take both; in a new environment)"}},
        {.name = "torchvision does not match PyTorch",
         .needles = {"PyTorch and torchvision were compiled with different CUDA",
                     "operator torchvision::nms does not exist",
                     "Couldn't load custom C++ ops. This can happen if your PyTorch and torchvision"},
         .meaning = "torchvision is of another version or CUDA than PyTorch.",
         .remedies = {look("pip list | grep -i torch   (equal +cu suffixes?)"),
                      "{torch} torchvision   (a new environment: both of one build)"},
         .read = read_torchvision},
    };
}

}  // namespace tocuda::doctor
