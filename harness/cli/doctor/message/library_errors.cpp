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

void read_operator_of_torchvision(std::string_view text, std::size_t at, Explanation& told) {
    if (!contains(text_near(text, at, 80, 0), "torchvision::")) return;
    told.meaning = "torchvision was built for the CPU, and PyTorch for CUDA: the two have to be of one build.";
    told.certain = true;
}

void read_missing_function(std::string_view text, std::size_t at, Explanation& told) {
    if (!contains(line_around(text, at), "undefined symbol")) return;
    told.error = "driver too old";
    told.meaning =
        "This PyTorch asks libcuda or NVML for a function that the driver does not have yet. It asks for "
        "it first where memory of the GPU runs out, or with expandable segments.";
    told.remedies = {
        {"nvidia-smi   (the driver's version; is the GPU's memory full?)", Scope::look},
        {"update the driver   (of the host, where this is a container; undo: the old one)", Scope::machine},
        "use a smaller batch   (if the memory was full)",
        "unset PYTORCH_CUDA_ALLOC_CONF PYTORCH_ALLOC_CONF   (if it sets expandable_segments)"};
}

bool makes_no_tensors(std::string_view text, std::size_t at) { return !makes_tensors(text, at); }

}  // namespace

void tell_of_library_in(std::string_view text, std::string_view library, Explanation& told) {
    const auto folder = folder_in(text, library);
    if (folder.empty()) return;
    told.arithmetic.push_back(fmt::format("the text shows it in {}, where the loader does not look", folder));
    told.remedies.insert(
        told.remedies.begin(),
        fmt::format("export LD_LIBRARY_PATH={}:$LD_LIBRARY_PATH   (before the program starts)", folder));
}

Functions library_functions() {
    return {.readings = {{"read_build", read_build},
                         {"read_torchvision", read_torchvision},
                         {"read_operator_of_torchvision", read_operator_of_torchvision},
                         {"read_missing_library", read_missing_library},
                         {"read_library_of_windows", read_library_of_windows},
                         {"read_missing_function", read_missing_function},
                         {"read_glibc", read_glibc}},
            .conditions = {{"makes_tensors", makes_tensors},
                           {"makes_no_tensors", makes_no_tensors},
                           {"is_missing_and_of_cuda", is_missing_and_of_cuda}}};
}

}  // namespace tocuda::doctor
