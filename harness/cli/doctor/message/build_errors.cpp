// tocuda, Apache-2.0.
// Building extensions and programs for the GPU: nvcc, its headers and libraries, and what they are built against.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"
#include "doctor/message/origin.hpp"
#include "doctor/message/wheels.hpp"

namespace tocuda::doctor {
namespace {

constexpr auto which_toolkit = "nvcc --version; command -v nvcc; ls -d /usr/local/cuda*";

// "nvcc fatal   : Unsupported gpu architecture 'compute_90a'"
void read_architecture(std::string_view text, std::size_t at, Explanation& told) {
    const auto message = flattened(text.substr(at), 200);
    auto number = number_after(message, "compute_");
    if (!number) number = number_after(message, "sm_");
    const auto* const known = number ? toolkits_for(*number) : nullptr;
    if (!known) {
        told.meaning =
            "nvcc was given an architecture that it does not know; it is usually a number, as in compute_86.";
        told.remedies = {{"nvidia-smi --query-gpu=compute_cap --format=csv   (86 for 8.6)", Scope::look},
                         "cmake -DCMAKE_CUDA_ARCHITECTURES=86 ...   (\"native\" needs nvcc 11.5 and CMake 3.24)",
                         which_toolkit};
        return;
    }
    const auto capability = fmt::format("{}.{}", *number / 10, *number % 10);
    const bool removed = !known->last.empty();
    told.arithmetic.push_back(
        removed ? fmt::format("compute capability {} is known to nvcc{}{} up to CUDA {}: newer ones have dropped it",
                              capability, known->first.empty() ? "" : " from CUDA ", known->first, known->last)
                : fmt::format("compute capability {} is known to nvcc from CUDA {} on: this nvcc is older", capability,
                              known->first));
    const auto toolkit = removed ? known->last : known->first;
    if (contains_any(text, {"Building NVCC (Device)", "CMake", "-- CUDA detected"})) {
        told.remedies = {
            {std::string(which_toolkit) + "   (often apt's old /usr/bin/nvcc is found first)", Scope::look},
            fmt::format("cmake -B build-{0} -DCUDA_TOOLKIT_ROOT_DIR=/usr/local/cuda-{0} "
                        "-DCMAKE_CUDA_COMPILER=/usr/local/cuda-{0}/bin/nvcc ...   (an empty folder)",
                        toolkit),
            "cmake -DCMAKE_CUDA_ARCHITECTURES=XY -DCUDA_ARCH_BIN=X.Y ...   (the GPU's alone; the project says which of "
            "the two it reads)"};
        return;
    }
    // PyTorch builds an extension when the program first uses it, or pip does.
    const bool while_it_runs = contains(text, "_run_ninja_build") && !contains_any(text, {"setup.py", "build_ext"});
    told.remedies = {
        {std::string(which_toolkit) + "   (often apt's old /usr/bin/nvcc is found first)", Scope::look},
        fmt::format("CUDA_HOME=/usr/local/cuda-{0} PATH=/usr/local/cuda-{0}/bin:$PATH {1}   (a toolkit that knows it: "
                    "CUDA {0} or {2}{3})",
                    toolkit, while_it_runs ? "python ..." : "pip install --no-build-isolation EXTENSION",
                    removed ? "an older one" : "newer",
                    while_it_runs ? "; first rm -r ~/.cache/torch_extensions, where the failed build is" : ""),
        removed ? std::string("TORCH_CUDA_ARCH_LIST=X.Y pip install ...; cmake -DCMAKE_CUDA_ARCHITECTURES=XY   (only "
                              "your GPU's: nvidia-smi --query-gpu=compute_cap --format=csv)")
                : std::string("TORCH_CUDA_ARCH_LIST=8.0+PTX pip install ...   (what an old nvcc knows: PTX is compiled "
                              "for the GPU when it is loaded, which is slower)")};
}

// "The detected CUDA version (11.8) mismatches the version that was used to compile PyTorch (12.4).", "Installed CUDA
// version 11.0 does not match the version torch was compiled with 10.1, unable to compile"
void read_mismatch(std::string_view text, std::size_t at, Explanation& told) {
    const auto message = flattened(text_near(text, at, 60, 300), 360) + " ";
    auto toolkit = between(message, "detected CUDA version (", ")");
    auto torch = between(message, "to compile PyTorch (", ")");
    if (!toolkit) toolkit = between(message, "Installed CUDA version ", " ");
    if (!torch) torch = between(message, "was compiled with ", ",");
    if (!torch) torch = between(message, "were compiled with Cuda ", ". ");
    if (torch && std::ranges::count(*torch, '.') == 2) torch = torch->substr(0, torch->rfind('.'));  // "10.0.130"
    if (toolkit && torch) told.arithmetic.push_back(fmt::format("nvcc is of CUDA {}, PyTorch of {}", *toolkit, *torch));
    if (!torch || torch->size() > 5) return;
    told.remedies = {{"ls -d /usr/local/cuda*; python -c 'import torch; print(torch.version.cuda)'", Scope::look},
                     fmt::format("CUDA_HOME=/usr/local/cuda-{} pip install --no-build-isolation EXTENSION   (a toolkit "
                                 "of PyTorch's version)",
                                 *torch)};
    if (contains(message, "Installed CUDA version") || contains(text, "deepspeed"))
        told.remedies.emplace_back(
            "DS_SKIP_CUDA_CHECK=1 python ...   (DeepSpeed, where only the minor versions differ)");
    for (const std::string_view major : {"11", "12", "13"})
        if (toolkit && toolkit->starts_with(major))
            told.remedies.emplace_back(
                fmt::format("{{torch {}}}   (or a PyTorch for the toolkit that is there, in a new environment)",
                            major == "11"   ? "cu118"
                            : major == "12" ? "cu126"
                                            : "cu130"));
}

// "Unknown CUDA arch (9.0+PTX) or GPU not supported"
void read_unknown_arch(std::string_view text, std::size_t at, Explanation& told) {
    const auto raised = text.rfind("Unknown CUDA arch (");  // a traceback shows its source too, with {}
    const auto arch = between(text_near(text, std::max(at, raised), 0, 60), "(", ")");
    if (!arch || arch->size() < 3) return;
    told.arithmetic.push_back(fmt::format("this PyTorch does not know {}", *arch));
    const bool newer = arch->substr(0, 3) > "8.0" || arch->find('.') == 2;
    told.remedies = {
        {"python -c 'import torch; print(torch.__version__, torch.cuda.get_arch_list())'; echo $TORCH_CUDA_ARCH_LIST",
         Scope::look},
        fmt::format("TORCH_CUDA_ARCH_LIST={}+PTX pip install --no-build-isolation EXTENSION   (newer GPUs run its PTX)",
                    newer ? "8.0" : "7.0"),
        "{torch}   (a newer one knows it; in a new environment)"};
}

// "fatal error: cublas_v2.h: No such file", "include file: 'cuda.h'", "cannot open source file "cuda_fp16.h""
std::string_view header_near(std::string_view text, std::size_t at) {
    const auto rest = text.substr(at, 80);
    if (!rest.starts_with('.') && !rest.starts_with('\'')) {
        const auto quoted = rest.substr(std::min(rest.find_first_of("'\"") + 1, rest.size()));
        return quoted.substr(0, quoted.find_first_of("'\""));
    }
    const auto before = text_near(text, at + (rest.starts_with('.') ? 2 : 0), 60, 0);
    return before.substr(before.find_last_of(" '\"<:\n") + 1);  // npos + 1 is 0
}

bool is_header_of_cuda(std::string_view text, std::size_t at) {
    const auto header = header_near(text, at);
    const auto begins = [&](std::string_view one) { return header.starts_with(one); };
    return (begins("cu") && !begins("curl") && !begins("curses") && !begins("cups")) || begins("nccl") ||
           begins("NvInfer") || begins("nvml") || begins("nvT") || begins("nvE") || begins("dynlink_nv") ||
           begins("ffnvcodec") || begins("nvtx");
}

void tell_of_header_on_windows(std::string_view text, std::string_view header, Explanation& told) {
    const bool too_deep = contains(text, "\\bin\\include");
    if (too_deep)
        told.arithmetic.emplace_back(
            "it looks in ...\\bin\\include: CUDA_HOME or CUDA_PATH names the folder bin, and must name the one "
            "above it");
    told.remedies = {
        {fmt::format("dir /s /b \"%CUDA_PATH%\\{}\" & echo %CUDA_HOME% %CUDA_PATH%", header), Scope::look},
        "set CUDA_HOME=C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA\\v12.8   (the folder of the "
        "toolkit, without bin, of PyTorch's version; then build in that window)",
        {"install NVIDIA's CUDA Toolkit   (with its development parts; it sets CUDA_PATH)", Scope::machine}};
    if (too_deep) std::swap(told.remedies[0], told.remedies[1]);
}

void read_header(std::string_view text, std::size_t at, Explanation& told) {
    const auto header = header_near(text, at);
    if (header == "cuda_fp8.h")
        told.arithmetic.emplace_back("cuda_fp8.h is in CUDA 11.8 and newer: this toolkit is older than that");
    told.arithmetic.push_back(fmt::format("the compiler finds no {}", header));
    if (origin_of(text).windows) return tell_of_header_on_windows(text, header, told);
    if (header.starts_with("cutlass")) {
        told.remedies = {"git submodule update --init --recursive   (the sources of CUTLASS belong into the checkout)"};
        return;
    }
    if (header == "cuda.h" && contains_any(text, {"torch/_inductor", "torch/_dynamo", "triton/", "/main.c:"})) {
        told.remedies = {{"find / -name cuda.h 2>/dev/null", Scope::look},
                         "CPATH=FOLDER python ...   (the folder that has it; conda: "
                         "$CONDA_PREFIX/targets/x86_64-linux/include)",
                         "TORCH_COMPILE_DISABLE=1 python ...   (without torch.compile: slower, not wrong)"};
        return;
    }
    const auto package = header == "cudnn.h"     ? "libcudnn9-dev-cuda-12"
                         : header == "nccl.h"    ? "libnccl-dev"
                         : header == "NvInfer.h" ? "libnvinfer-dev"
                         : header == "cuda_fp16.h" || header.starts_with("cuda") || header == "nvml.h"
                             ? "cuda-toolkit-12-8"
                             : "cuda-libraries-dev-12-8";
    told.remedies = {
        {fmt::format("find / -name '{}' 2>/dev/null; nvcc --version", header), Scope::look},
        "CPATH=FOLDER CUDA_HOME=/usr/local/cuda pip install --no-build-isolation EXTENSION   (the folder that has it)",
        {fmt::format("sudo apt install {0}   (of the version of nvcc; no driver; undo: sudo apt remove {0})", package),
         Scope::machine}};
    if ((header == "cudnn.h" || header == "nccl.h") && contains(text, "torch"))
        told.remedies.insert(
            told.remedies.begin() + 1,
            fmt::format("CPATH=$(python -c 'import nvidia.{0} as n; print(list(n.__path__)[0])')/include pip install "
                        "--no-build-isolation EXTENSION   (the headers that pip's torch brought; CMake: {1}_PATH)",
                        header.substr(0, header.find('.')), header == "nccl.h" ? "NCCL" : "CUDNN"));
    if (header.starts_with("cu") && header != "cudnn.h" && origin_of(text).conda)
        told.remedies.insert(
            told.remedies.begin() + 1,
            {"conda install -c nvidia cuda-toolkit=X.Y   (that of torch.version.cuda, with all headers; "
             "undo: conda remove cuda-toolkit)",
             Scope::environment});
}

void tell_of_toolkit_of_conda(std::string_view text, Explanation& told) {
    if (contains(text, "cudatoolkit"))
        told.arithmetic.emplace_back("conda's cudatoolkit has the CUDA libraries alone, and no nvcc");
    told.remedies = {
        {"ls $CONDA_PREFIX/bin/nvcc /usr/local/cuda*/bin/nvcc; python -c 'import torch; print(torch.version.cuda)'",
         Scope::look},
        {"conda install -c nvidia cuda-toolkit=X.Y   (that of torch.version.cuda, into this environment: 12.4, "
         "12.8; "
         "undo: conda remove cuda-toolkit)",
         Scope::environment},
        "CUDA_HOME=$CONDA_PREFIX pip install --no-build-isolation EXTENSION   (or /usr/local/cuda, if it is there)",
        "install a wheel of the extension that is built for this torch and CUDA instead"};
}

// "/bin/sh: 1: :/usr/local/cuda-12.8/bin/nvcc: not found"
void read_toolkit(std::string_view text, std::size_t at, Explanation& told) {
    if (text.substr(at).starts_with("CUDA_HOME environment") && contains(text, "Cuda compilation tools, release")) {
        told.meaning =
            "nvcc ran in this very text, so the toolkit is there. PyTorch looks for it only if it was itself built "
            "with "
            "CUDA: this one is a build for the CPU.";
        told.remedies = {
            {"python -c 'import torch; print(torch.__version__, torch.version.cuda)'   (None?)", Scope::look},
            "{torch}   (a build with CUDA, in a new environment; build the extension there)"};
        return;
    }
    const auto line = line_around(text, at);
    const auto origin = origin_of(text);
    if (origin.conda && !origin.windows) tell_of_toolkit_of_conda(text, told);
    if (contains_any(line, {" :/", "':/", "\":/", ":/bin/nvcc"})) {
        told.arithmetic.push_back(
            fmt::format("the path {} with a colon: CUDA_HOME was set like PATH, and must name one folder",
                        contains(line, ":/bin/nvcc") ? "ends" : "begins"));
        told.remedies = {"export CUDA_HOME=/usr/local/cuda   (one folder, without a colon; then again)",
                         {"echo \"[$CUDA_HOME]\"; grep -n CUDA_HOME ~/.bashrc ~/.profile", Scope::look}};
    } else if (contains(text, "flashinfer")) {
        told.arithmetic.emplace_back("FlashInfer compiles its kernels when they are first needed");
        told.remedies = {
            "VLLM_USE_FLASHINFER_SAMPLER=0 vllm serve ...   (without FlashInfer's sampler: needs no nvcc)",
            {"pip install flashinfer-jit-cache --index-url https://flashinfer.ai/whl/cu128   (kernels that "
             "are compiled already; undo: pip uninstall flashinfer-jit-cache)",
             Scope::environment},
            {"install the toolkit of PyTorch's version: https://developer.nvidia.com/cuda-toolkit-archive",
             Scope::machine}};
    } else if (contains(line, "compiler identification is unknown") || contains(line, "default CUDA architecture")) {
        told.meaning =
            "CMake tried nvcc and it did not work: none is found, its host compiler is missing or too new, or "
            "Visual Studio has no CUDA integration.";
        told.certain = false;
        told.remedies = {
            {"nvcc --version; tail -50 build/CMakeFiles/CMake*Error.log build/CMakeFiles/"
             "CMakeConfigureLog.yaml   (what nvcc said)",
             Scope::look},
            "cmake -B build2 -DCMAKE_CUDA_COMPILER=/usr/local/cuda/bin/nvcc -DCMAKE_CUDA_ARCHITECTURES=86   "
            "(an empty folder, and the number of your GPU)",
            "cmake -B build2 -DCMAKE_CUDA_HOST_COMPILER=g++-12   (where gcc is newer than nvcc knows)",
            {"install the toolkit of PyTorch's version: https://developer.nvidia.com/cuda-toolkit-archive",
             Scope::machine}};
    }
}

// What stands on CUDA among the packages whose build fails; others have nothing to do with a GPU.
bool is_build_for_gpus(std::string_view text, std::size_t at) {
    const auto line = line_around(text, at);
    if (contains(line, "nvcc") || contains(line, "building extension") || contains(line, "ds_opt_adam")) return true;
    const auto around = contains_any(line, {"wheel", "Failed to build"}) ? line : text_near(text, at, 3000, 2000);
    return names_package_for_gpus(around) || contains_any(around, {"cuda", "CUDA", "nvcc"});
}

bool is_no_rocm(std::string_view text, std::size_t at) { return !contains(text_near(text, at, 2000, 2000), "rocm"); }

bool is_more_than_a_warning(std::string_view text, std::size_t at) {
    const auto message = text_near(text, at, 0, 300);
    return !contains(message, "accepting this combination") && !contains(message, "minor version mismatch");
}

bool is_toolkit_not_found(std::string_view text, std::size_t at) {
    const bool of_path = text.substr(at).starts_with("bin/nvcc'");
    const bool of_types = text.substr(at).starts_with("for +: 'NoneType'");
    if (of_types && !contains_any(text_near(text, at, 600, 200), {"nvcc", "CUDA_HOME"})) return false;
    return is_no_rocm(text, at) && (!of_path || contains(line_around(text, at), "No such file"));
}

}  // namespace

Functions build_functions() {
    return {.readings = {{"read_architecture", read_architecture},
                         {"read_mismatch", read_mismatch},
                         {"read_toolkit", read_toolkit},
                         {"read_header", read_header},
                         {"read_unknown_arch", read_unknown_arch}},
            .conditions = {{"is_more_than_a_warning", is_more_than_a_warning},
                           {"is_toolkit_not_found", is_toolkit_not_found},
                           {"is_header_of_cuda", is_header_of_cuda},
                           {"is_build_for_gpus", is_build_for_gpus}}};
}

}  // namespace tocuda::doctor
