// tocuda, Apache-2.0.
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"

namespace tocuda::doctor {
namespace {

// The word that ends where `end` begins: "libcudnn.so.9".
std::string_view word_before(std::string_view text, std::size_t end) {
    const auto begin = text.substr(0, end).find_last_of(" \t\r\n'\"");
    return text.substr(begin == std::string_view::npos ? 0 : begin + 1,
                       end - (begin == std::string_view::npos ? 0 : begin + 1));
}

constexpr auto libraries_of_cuda = std::to_array<std::string_view>(
    {"libcu", "libnv", "libnccl", "libtorch_cuda", "libc10_cuda", "libtorch_nvshmem", "libnvshmem"});

// "libcudnn.so.9: cannot open shared object file", with the needle at the colon.
bool is_of_cuda(std::string_view text, std::size_t at) {
    constexpr std::size_t near = 200;
    auto library = word_before(text.substr(at < near ? 0 : at - near), std::min(at, near));
    library.remove_prefix(std::min(library.size(), library.rfind('/') + 1));
    return library != "libcuda.so.1" && library != "libcuda.so" && !library.starts_with("libcurl") &&
           std::ranges::any_of(libraries_of_cuda, [&](auto each) { return library.starts_with(each); });
}

void read_missing_library(std::string_view text, std::size_t at, Explanation& told) {
    constexpr std::size_t near = 200;
    const auto library = word_before(text.substr(at < near ? 0 : at - near), std::min(at, near));
    told.arithmetic.push_back(fmt::format("the loader finds no {}", library));
}

// "Could not run 'aten::empty_strided' with arguments from the 'CUDA' backend": no tensor can be made there.
bool makes_tensors(std::string_view text, std::size_t at) {
    constexpr std::size_t near = 100;
    const auto from = at < near ? 0 : at - near;
    return text.substr(from, at - from).find("'aten::empty") != std::string_view::npos;
}

void read_undefined_symbol(std::string_view text, std::size_t at, Explanation& told) {
    constexpr std::string_view label = "undefined symbol: ";
    constexpr std::size_t near = 400;
    const auto from = at < near ? 0 : at - near;
    const auto around = text.substr(from, 2 * near);
    const auto found = around.find(label, at - from > label.size() ? at - from - label.size() : 0);
    if (found == std::string_view::npos) return;
    const auto rest = around.substr(found + label.size());
    const auto symbol = rest.substr(0, rest.find_first_of(" ,\r\n'\")"));
    const auto user = word_before(around, found >= 2 ? found - 2 : 0);
    told.arithmetic.push_back(fmt::format("{} needs {}, and the copy of the library that was loaded lacks it",
                                          user.empty() ? "a library" : user, symbol));
    if (const auto nvjitlink = symbol.rfind('_'); symbol.starts_with("__nvJitLink") && nvjitlink >= 3)
        told.arithmetic.push_back(fmt::format("the symbol is that of nvJitLink {}.{}: an older one was loaded first",
                                              symbol.substr(nvjitlink - 2, 2), symbol.substr(nvjitlink + 1)));
}

}  // namespace

std::vector<KnownError> library_errors() {
    return {
        {.name = "PyTorch without CUDA",
         .needles = {"Torch not compiled with CUDA enabled", "PyTorch is not linked with support for cuda",
                     "PyTorch was compiled without CUDA support"},
         .meaning = "This PyTorch was built for the CPU. In Python it is an AssertionError, which code that expects a "
                    "RuntimeError does not catch.",
         .claims = {"004-06", "000-E1", "001-15"},
         .remedies = {"python -c 'import torch; print(torch.__version__, torch.version.cuda)'",
                      "uv pip install --reinstall --torch-backend=auto torch",
                      "conda install 'pytorch=*=cuda*'   (conda; set CONDA_OVERRIDE_CUDA on a machine without a GPU)"}},
        {.name = "PyTorch without CUDA",
         .needles = {"' with arguments from the 'CUDA' backend"},
         .meaning =
             "No code for CUDA tensors is in this process: a build for the CPU, or libtorch_cuda.so is not loaded.",
         .claims = {"004-06", "001-15"},
         .remedies = {"uv pip install --reinstall --torch-backend=auto torch",
                      "link with -Wl,--no-as-needed -ltorch_cuda"},
         .applies = makes_tensors},
        {.name = "operator without CUDA",
         .needles = {"' with arguments from the 'CUDA' backend"},
         .meaning =
             "This operator has no CUDA version in the installed build: a sparse or quantized one that has none, or "
             "its package (torchvision, ...) was built for the CPU.",
         .claims = {"002-03"},
         .remedies = {"pip list | grep -i torch   (equal +cu suffixes?)",
                      "uv pip install --reinstall --torch-backend=auto torch torchvision"},
         .applies = [](std::string_view text, std::size_t at) { return !makes_tensors(text, at); }},
        {.name = "CUDA library not loaded",
         .needles = {"Cannot initialize CUDA without ATen_cuda library",
                     "Cannot initialize CUDA without ATen_CUDA library"},
         .meaning = "libtorch_cuda.so is not in this process: the linker dropped it because no symbol of it is used.",
         .claims = {"001-15", "004-06"},
         .remedies = {"link with -Wl,--no-as-needed -ltorch_cuda", "ldd PROGRAM | grep torch_cuda"}},
        {.name = "broken build of PyTorch",
         .needles = {"libcudart functions unavailable. It looks like you have a broken build"},
         .meaning =
             "torch was built for CUDA, and its binding of the CUDA runtime is missing: files of two installations.",
         .claims = {"001-15"},
         .remedies = {"uv pip install --reinstall torch"}},
        {.name = "undefined symbol in a CUDA library",
         .needles = {"undefined symbol: __nvJitLink", "undefined symbol: nccl", "undefined symbol: cudnn",
                     "undefined symbol: cublas", "undefined symbol: cuda", "undefined symbol: cusparse",
                     "undefined symbol: cufft", "undefined symbol: __cuda", "version `libcu",
                     "libtorch_cuda.so: undefined symbol"},
         .meaning =
             "The loader took a library of another version than PyTorch was built with: from LD_LIBRARY_PATH, from a "
             "package for another CUDA major, or left over from an older installation.",
         .claims = {"001-15"},
         .remedies = {"env -u LD_LIBRARY_PATH python -c 'import torch'",
                      "pip list | grep nvidia   (-cu12 beside -cu13?)", "uv pip install --reinstall torch"},
         .read = read_undefined_symbol},
        {.name = "undefined symbol of another PyTorch",
         .needles = {"undefined symbol: _ZN3c10", "undefined symbol: _ZN2at", "undefined symbol: _ZNK3c10",
                     "undefined symbol: _ZN5torch", "undefined symbol: _ZNK2at"},
         .meaning = "An extension was compiled for another version of PyTorch than the one that is installed.",
         .claims = {"001-15"},
         .remedies = {"pip install --force-reinstall --no-build-isolation --no-deps EXTENSION"},
         .read = read_undefined_symbol},
        {.name = "CUDA library not found",
         .needles = {": cannot open shared object file"},
         .meaning =
             "A library of CUDA or PyTorch is not where the loader looks: a package of NVIDIA's is missing or lies "
             "elsewhere than torch, or a program was built for another CUDA.",
         .claims = {"001-15"},
         .remedies = {"tocuda doctor --python $(command -v python)   (resolves each library as the loader would)",
                      "uv pip install --reinstall torch"},
         .read = read_missing_library,
         .applies = is_of_cuda},
        {.name = "cuDNN fails",
         .needles = {"CUDNN_STATUS_NOT_INITIALIZED", "CUDNN_STATUS_INTERNAL_ERROR", "CUDNN_STATUS_ALLOC_FAILED",
                     "CUDNN_STATUS_EXECUTION_FAILED", "CUDNN_STATUS_SUBLIBRARY", "CUDNN_STATUS_NOT_SUPPORTED",
                     "CUDNN_STATUS_MAPPING_ERROR", "Unable to find a valid cuDNN algorithm",
                     "Unable to load any of {libcudnn", "cuDNN version incompatibility"},
         .meaning =
             "cuDNN could not start or work: most often there was no memory left for its handle or workspace, else "
             "its libraries are of several versions.",
         .claims = {"004-05"},
         .remedies = {"nvidia-smi   (is the GPU's memory full?)", "env -u LD_LIBRARY_PATH python ...",
                      "torch.backends.cudnn.enabled = False   (tells whether it is cuDNN)"},
         .consequence = true},
        {.name = "cuBLAS fails",
         .needles = {"CUBLAS_STATUS_NOT_INITIALIZED", "CUBLAS_STATUS_ALLOC_FAILED", "CUBLAS_STATUS_EXECUTION_FAILED",
                     "CUBLAS_STATUS_INTERNAL_ERROR", "CUBLAS_STATUS_INVALID_VALUE", "CUBLAS_STATUS_NOT_SUPPORTED",
                     "CUSOLVER_STATUS_", "CUSPARSE_STATUS_", "CUFFT_INTERNAL_ERROR"},
         .meaning =
             "A library of NVIDIA's could not start or work: most often there was no memory left for its handle, or "
             "an earlier kernel had already failed (an index out of range).",
         .claims = {"001-11"},
         .remedies = {"nvidia-smi   (is the GPU's memory full?)", "CUDA_LAUNCH_BLOCKING=1 python ...",
                      "env -u LD_LIBRARY_PATH python ...   (another cuBLAS first?)"},
         .consequence = true},
    };
}

}  // namespace tocuda::doctor
