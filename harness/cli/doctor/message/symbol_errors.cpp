// tocuda, Apache-2.0.
// Names that a library does not have, because it is of another version than the one that asks for it.
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"
#include "doctor/message/origin.hpp"

namespace tocuda::doctor {
namespace {

// In which versions cuDNN has a function.
std::string_view cudnn_with(std::string_view symbol) {
    struct Span {
        std::string_view part, versions;
    };
    constexpr auto spans = std::to_array<Span>({{"GroupCount", "cuDNN 7 and newer have"},
                                                {"MathType", "cuDNN 7 and newer have"},
                                                {"Algorithm_v7", "cuDNN 7 and newer have"},
                                                {"CTCLoss", "cuDNN 7 and newer have"},
                                                {"cudnnBackend", "cuDNN 8 and newer have"},
                                                {"_v8", "cuDNN 8 and newer have"},
                                                {"RNNForwardTraining", "cuDNN 8 and older have"},
                                                {"RNNForwardInference", "cuDNN 8 and older have"},
                                                {"ForwardAlgorithm", "cuDNN 7 and older have"},
                                                {"FilterAlgorithm", "cuDNN 7 and older have"},
                                                {"DataAlgorithm", "cuDNN 7 and older have"}});
    if (contains_any(symbol, {"AlgorithmMaxCount", "FindConvolution"})) return "";
    const auto* const found = std::ranges::find_if(spans, [&](const Span& one) { return contains(symbol, one.part); });
    return symbol.starts_with("cudnn") && found != spans.end() ? found->versions : "";
}

// A module or program that has nothing to do with PyTorch, and calls a CUDA library itself.
bool tell_of_own_module(std::string_view text, std::string_view user, std::string_view symbol, Explanation& told) {
    constexpr auto calls = std::to_array<std::string_view>({"cudnn", "cublas", "cusparse", "cufft", "cuda", "nccl"});
    const auto* const library = std::ranges::find_if(calls, [&](auto one) { return symbol.starts_with(one); });
    const auto name = user.substr(user.find_last_of('/') + 1);  // npos + 1 is 0
    if (library == calls.end() || contains(text, "torch") || contains_any(name, {"libcu", "libnv", "libnccl"}) ||
        !origin_of(text).uses_torch())
        return false;
    const auto versions = cudnn_with(symbol);
    if (!versions.empty()) told.arithmetic.push_back(fmt::format("{} this function", versions));
    const std::string_view spoken = *library == "cudnn" ? "cuDNN" : *library == "cublas" ? "cuBLAS" : *library;
    told.meaning =
        fmt::format("{} was built with another version of {} than the one that is loaded, or was not linked with it.",
                    name, spoken);
    told.remedies = {
        {fmt::format("ldd {} | grep -E '{}|not found'; ldconfig -p | grep {}   (which copy is loaded, if any?)", user,
                     *library, *library),
         Scope::look},
        fmt::format("build {} again with the {} that is there   (its headers and its library of one version)", name,
                    spoken),
        fmt::format("LD_LIBRARY_PATH=FOLDER:$LD_LIBRARY_PATH ...   (or FOLDER: that of the {} that it was built with)",
                    spoken)};
    return true;
}

// "undefined symbol: NAME" and glibc's older "symbol NAME, version V not defined in file F".
void read_undefined_symbol(std::string_view text, std::size_t at, Explanation& told) {
    constexpr std::size_t most = 400;
    const auto line = line_around(text, at).substr(0, 2 * most);
    for (const std::string_view label : {"undefined symbol: ", ": symbol "}) {
        const auto found = line.find(label);
        if (found == std::string_view::npos) continue;
        const auto rest = line.substr(found + label.size());
        const auto symbol = rest.substr(0, rest.find_first_of(" ,\r\n'\")"));
        const auto user = word_before(line, label.front() == ':' || found < 2 ? found : found - 2);
        told.arithmetic.push_back(fmt::format("{} needs {}, and the copy of the library that was loaded lacks it",
                                              user.empty() ? "a library" : user, symbol));
        const auto minor = symbol.rfind('_');
        if (symbol.starts_with("__nvJitLink") && minor != std::string_view::npos && minor >= 3)
            told.arithmetic.push_back(
                fmt::format("the symbol is that of nvJitLink {}.{}: an older one was loaded first",
                            symbol.substr(minor - 2, 2), symbol.substr(minor + 1)));
        if (tell_of_own_module(text, user, symbol, told) || !symbol.starts_with("nccl")) return;
        told.arithmetic.emplace_back("an older NCCL was loaded first");
        if (!contains(text, "nvidia-nccl-cu11") || !contains(text, "nvidia-nccl-cu12")) return;
        told.arithmetic.emplace_back("nvidia-nccl-cu11 and nvidia-nccl-cu12 are both installed, into the same folder");
        told.remedies = {{"pip uninstall nvidia-nccl-cu11 && pip install --force-reinstall nvidia-nccl-cu12==VERSION   "
                          "(that of the list; undo: pip install both as they were)",
                          Scope::environment},
                         "{torch}   (a new environment)"};
        return;
    }
}

// The C++ ABI of std::string, which the name of a function shows: "...RKSs" of before 2015, "...RKNSt7__cxx11..." of
// today.
void tell_of_abi(std::string_view line, Explanation& told) {
    if (contains(line, "RKSs") || contains(line, "LocationESs"))
        told.arithmetic.emplace_back(
            "the name is of the older C++ ABI: the extension was built for pip's PyTorch up to 2.5, and the one that "
            "is "
            "there is 2.6 or newer, or that of conda-forge or a container of NVIDIA's");
    else if (contains(line, "RKNSt7__cxx11"))
        told.arithmetic.emplace_back(
            "the name is of today's C++ ABI: the extension was built for PyTorch 2.6 or newer (or conda-forge's), and "
            "pip's up to 2.5 has the older one");
    if (!contains(line, "vllm")) return;
    const bool checkout = !contains(line, "site-packages") && !contains(line, "dist-packages");
    told.remedies = {
        "{torch} vllm   (a new environment, in one command: vLLM's wheel fits one torch only, and brings it)",
        {"pip list | grep -iE 'torch|vllm|flash'   (a torch that was changed after vLLM?)", Scope::look}};
    if (checkout)
        told.remedies.emplace_back(
            "rm -rf build vllm/*.so && python use_existing_torch.py && pip install --no-build-isolation -e .   (in "
            "vLLM's "
            "checkout: builds it for the torch that is there; undo: git checkout requirements)");
}

// "PyTorch: 2.9.0.dev20250722+cu128"
void tell_of_nightly(std::string_view text, Explanation& told) {
    for (auto at = text.find(".dev20"); at != std::string_view::npos; at = text.find(".dev20", at + 1)) {
        const auto line = line_around(text, at);
        const auto label = line.find("orch");
        const auto version = label == std::string_view::npos ? line.npos : line.find_first_of("0123456789", label);
        if (version == std::string_view::npos || line.size() > 200) continue;
        told.arithmetic.push_back(
            fmt::format("torch {} is a nightly build, and the wheels of extensions are built for releases",
                        line.substr(version, line.find_first_of(" ,'\"\r)", version) - version)));
        return;
    }
}

// Each release of SGLang names the sgl-kernel and the torch that it is for.
void tell_of_sgl_kernel(std::string_view text, Explanation& told) {
    const auto sglang = between(text, "sglang: ", "\n"), kernel = between(text, "sgl_kernel: ", "\n");
    if (sglang && kernel && sglang->size() < 30 && kernel->size() < 30)
        told.arithmetic.push_back(
            fmt::format("sglang {} and sgl-kernel {} are in the text: each sglang is for one sgl-kernel and one torch",
                        *sglang, *kernel));
    told.remedies = {
        "python3 -m venv fresh && fresh/bin/pip install 'sglang[all]'   (a new environment, in one command: brings the "
        "torch and the sgl-kernel that it is for)",
        {"pip list | grep -iE 'torch|sglang|sgl.kernel'", Scope::look},
        "docker run --gpus all --ipc=host lmsysorg/sglang:latest ...   (the same as an image)"};
}

// torchvision and torchaudio are published together with torch, and only their equal versions fit.
void read_symbol_of_torch(std::string_view text, std::size_t at, Explanation& told) {
    read_undefined_symbol(text, at, told);
    if (contains(text, "cxx11abiTRUE") && contains(line_around(text, at), "cxx11"))
        told.arithmetic.emplace_back(
            "the wheel uses the newer C++ ABI (cxx11abiTRUE), PyTorch's own wheels only since 2.6: take the one that "
            "says cxx11abiFALSE");
    const auto line = line_around(text, at);
    if (contains_any(line, {"torch/lib/libtorch", "torch/lib/libc10", "torch/_C."})) {
        told.error = "two copies of PyTorch's libraries";
        told.meaning =
            "One of PyTorch's own libraries misses a function in another of them: a copy of another version was loaded "
            "first, from LD_LIBRARY_PATH, a package, or an older installation in the same folder.";
        told.remedies = {"env -u LD_LIBRARY_PATH python -c 'import torch'",
                         {"echo $LD_LIBRARY_PATH; ldconfig -p | grep -E 'libtorch|libc10'", Scope::look},
                         "{torch}   (a new environment: no files of an older one)"};
        return;
    }
    for (const std::string_view package : {"torchvision", "torchaudio"})
        if (contains(line, package))
            told.remedies = {{"pip list | grep -i torch   (equal +cu suffixes?)", Scope::look},
                             fmt::format("{{torch}} {}   (a new environment: both of one build)", package)};
    if (contains(line, "undefined symbol: THP")) {
        told.meaning =
            "The extension takes this name from PyTorch's own libraries, and they were not loaded when it was "
            "imported.";
        told.certain = true;
        told.remedies = {"import torch   (as the first line, before the extension)",
                         "python -c 'import torch, MODULE'   (if it fails still: it was built for another torch)"};
        return;
    }
    tell_of_nightly(text, told);
    if (contains(line, "sgl_kernel")) return tell_of_sgl_kernel(text, told);
    tell_of_wheels(text, line, told);
    tell_of_abi(line, told);
}

bool is_symbol_of_torch(std::string_view text, std::size_t at) {
    const auto symbol = text.substr(at + 18, 8);
    return !symbol.starts_with("_ZNSt7") && !symbol.starts_with("_ZNKSt") && !symbol.starts_with("_ZSt28")
               ? true
               : contains_any(text_near(text, at, 2000, 500), {"torch", "cuda", "CUDA"});
}

bool is_half_built(std::string_view text, std::size_t at) {
    return contains_any(text.substr(at, 300), {"2at6Tensor", "N2at", "3c10", "5torch"});
}

}  // namespace

Functions symbol_functions() {
    return {
        .readings = {{"read_undefined_symbol", read_undefined_symbol}, {"read_symbol_of_torch", read_symbol_of_torch}},
        .conditions = {{"is_symbol_of_torch", is_symbol_of_torch}, {"is_half_built", is_half_built}}};
}

}  // namespace tocuda::doctor
