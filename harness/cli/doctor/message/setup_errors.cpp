// tocuda, Apache-2.0.
// The tools that a build or an installation needs besides nvcc: compilers, headers, linkers, CMake, setuptools, the
// disk.
#include <fmt/core.h>

#include <algorithm>

#include "doctor/message/dump_lines.hpp"
#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"
#include "doctor/message/origin.hpp"

namespace tocuda::doctor {
namespace {

bool is_about_gpus(std::string_view text, std::size_t at) {
    const auto around = text_near(text, at, 3000, 2500);
    return names_package_for_gpus(around) || contains_any(around, {"cuda", "CUDA", "nvcc"});
}

// "cuda_rasterizer/rasterizer_impl.h(24): error: namespace "std" has no member "uintptr_t""
void read_standard_header(std::string_view text, std::size_t at, Explanation& told) {
    auto line = line_around(text, at);
    line.remove_prefix(std::min(line.find_first_not_of(" \t>"), line.size()));
    const auto end = line.find_first_of("(:", line.substr(1).starts_with(":") ? 2 : 0);
    auto file = line.substr(0, end);
    if (!contains(file, ".") || contains(file, " ")) file = "FILE";
    const bool of_floats = contains(line, "FLT_");
    const std::string_view header = of_floats ? "cfloat" : "cstdint";
    told.arithmetic.push_back(fmt::format("the name is declared by <{}>", header));
    const bool in_package = contains(file, "site-packages") || contains(file, "dist-packages");
    const auto edit =
        fmt::format("sed -i '1i #include <{}>' {}   (then build again; undo: git checkout)", header, file);
    const auto option = fmt::format(
        "CXXFLAGS='-include {0}' CFLAGS='-include {0}' NVCC_APPEND_FLAGS='-include {0}' pip install "
        "--no-build-isolation "
        "EXTENSION   (without a change of the sources)",
        header);
    told.remedies = {
        in_package ? option : edit, in_package ? edit : option,
        "CC=gcc-12 CXX=g++-12 NVCC_PREPEND_FLAGS='-ccbin g++-12' pip install --no-build-isolation EXTENSION   "
        "(an older compiler)"};
    if (origin_of(text).windows)
        told.remedies = {fmt::format("write #include <{}> as the first line of {}", header, file)};
}

// "OSError: libtorch_cuda_cpp.so: cannot open shared object file"
void read_library_of_torch(std::string_view text, std::size_t at, Explanation& told) {
    const auto around = text_near(text, at, 3000, 200);
    if (contains(line_around(text, at), "error while loading shared libraries")) {
        told.meaning = "The program is linked with LibTorch, and the loader does not look where it lies.";
        told.remedies = {
            "export LD_LIBRARY_PATH=LIBTORCH/lib:$LD_LIBRARY_PATH   (the folder of LibTorch, or torch/lib of "
            "Python's package)",
            {"ldd PROGRAM | grep -E 'torch|c10'", Scope::look}};
        return;
    }
    const auto library = text.substr(at, 24);
    if (library.starts_with("libtorch_cuda_c"))
        told.arithmetic.emplace_back(
            "only PyTorch 1.8 to 1.13 has that library: the extension was built for one of these");
    if (library.starts_with("libcaffe2"))
        told.arithmetic.emplace_back(
            "only PyTorch 0.4 to 1.2 has that library: the extension was built for one of these");
    if (contains(library, "_hip"))
        told.arithmetic.emplace_back("that library is in builds for ROCm: the extension is one for AMD GPUs");
    for (const std::string_view package : {"torchaudio", "torchvision", "torchtext"})
        if (contains(around, package)) {
            told.meaning = fmt::format("{} was built for another PyTorch than the one that is installed.", package);
            told.remedies = {
                {"pip list | grep -i torch   (equal +cu suffixes? 0.N+15 of torchvision belongs to 2.N)", Scope::look},
                fmt::format("{{torch}} {}   (a new environment: both of one build, from one index)", package)};
            return;
        }
}

bool is_of_torch(std::string_view text, std::size_t at) {
    const auto line = line_around(text, at);
    return contains_any(line, {"rror", "what():"}) || line.starts_with("libtorch") || line.starts_with("libc10");
}

constexpr auto msvc_prompt =
    "open the \"x64 Native Tools Command Prompt for VS\" and build there   (it sets INCLUDE, LIB and PATH)";

// "cannot find -lcudart", "unable to find library -lcuda"
void read_library_of_linker(std::string_view text, std::size_t at, Explanation& told) {
    const auto rest = text_near(text, at, 0, 100);
    const auto begin = rest.find("-l");
    if (begin == std::string_view::npos) return;
    const auto name = rest.substr(begin + 2, rest.find_first_of(" :,\r\n'\"", begin) - begin - 2);
    if (name == "cuda") return;
    const bool of_package = name == "nccl" || name == "cudnn";
    told.meaning = fmt::format(
        "The linker finds no lib{}.so: a file without a version at its end, which only {} has, or its folder is not "
        "named with -L.",
        name, of_package ? fmt::format("the package lib{}-dev", name) : std::string("the CUDA toolkit"));
    told.remedies = {
        {fmt::format("ldconfig -p | grep lib{0}; find / -name 'lib{0}.so*' 2>/dev/null", name), Scope::look},
        fmt::format("LIBRARY_PATH=/usr/local/cuda/lib64:/usr/local/cuda/lib64/stubs python ...   (or the folder that "
                    "has lib{}.so)",
                    name)};
    if (of_package)
        told.remedies.emplace_back(
            fmt::format("sudo apt install lib{0}-dev   (from NVIDIA's repository; undo: sudo apt remove lib{0}-dev)",
                        name),
            Scope::machine);
}

}  // namespace

std::vector<KnownError> setup_errors() {
    return {
        {.name = "standard header that a newer compiler leaves out",
         .needles = {"namespace \"std\" has no member \"uintptr_t\"",
                     "namespace \"std\" has no member \"uint",
                     "namespace \"std\" has no member \"int64_t\"",
                     "identifier \"uint32_t\" is undefined",
                     "identifier \"uint64_t\" is undefined",
                     "identifier \"uint8_t\" is undefined",
                     "identifier \"FLT_MAX\" is undefined",
                     "identifier \"FLT_MIN\" is undefined",
                     "uint16_t' is not a member of",
                     "uint32_t' is not a member of",
                     "uint64_t' is not a member of",
                     "uint8_t' is not a member of",
                     "uintptr_t' is not a member of",
                     "uint32_t' was not declared",
                     "uint64_t' was not declared",
                     "uint8_t' was not declared",
                     "uintptr_t' has not been declared",
                     "uint32_t' has not been declared",
                     "uint32_t' does not name a type",
                     "uint8_t' does not name a type",
                     "'FLT_MAX' was not declared"},
         .meaning =
             "The sources use a name without the header that declares it. Older compilers brought that header by "
             "another one; gcc 13 and newer, or newer toolkits, do not.",
         .read = read_standard_header,
         .applies = is_about_gpus},
        {.name = "no C++ compiler of Windows",
         .needles = {"Error checking compiler version for cl", "'cl' is not recognized", "'cl.exe' is not recognized",
                     "Cannot find compiler 'cl.exe' in PATH", "['where', 'cl']' returned non-zero",
                     "Microsoft Visual C++ 14.0 or greater is required"},
         .meaning = "An extension is built, and cl.exe, the C++ compiler of Visual Studio, is not on PATH.",
         .remedies = {look("where cl"),
                      "open the \"x64 Native Tools Command Prompt for VS\" and build there   (it sets PATH and more)",
                      "install a wheel of the extension that is built for this torch and CUDA instead",
                      machine("install the Build Tools for Visual Studio with \"Desktop development with C++\"")},
         .applies =
             [](std::string_view text, std::size_t at) {
                 return !text.substr(at).starts_with("Microsoft") || is_about_gpus(text, at);
             }},
        {.name = "path too long for Windows",
         .needles = {"fatal error C1083: Cannot open source file", "fatal error C1083: Cannot open compiler generated"},
         .meaning =
             "The compiler of Windows cannot open a file that is there: its path is too long (260 letters), as in the "
             "temporary folders of pip.",
         .remedies =
             {"set TMP=C:\\t&& set TEMP=C:\\t&& pip install --no-build-isolation EXTENSION   (a short folder that "
              "exists)",
              "clone the sources into a short folder and build there",
              "install a wheel of the extension that is built for this torch and CUDA instead"},
         .near = {"nvcc", "torch", "cuda", "CUDA", "flash"},
         .certain = false},
        {.name = "command of Linux at a prompt of Windows",
         .needles = {"' is not recognized as an internal or external command",
                     "is not recognized as the name of a cmdlet", "is not recognized as a name of a cmdlet"},
         .meaning =
             "A variable before a command, as in NAME=1 pip install ..., is the way of Linux: Windows takes the name "
             "for a program.",
         .remedies = {"set NAME=VALUE   (cmd: a line of its own, without quotes; then the command)",
                      "$env:NAME='VALUE'   (PowerShell: likewise)"},
         .in_line = {"CMAKE_ARGS", "CUDA_VISIBLE_DEVICES", "TORCH_CUDA_ARCH_LIST", "MAX_JOBS", "FORCE_CUDA",
                     "CUDA_HOME", "PYTORCH_CUDA_ALLOC_CONF", "TCNN_CUDA_ARCHITECTURES", "DS_BUILD", "FLASH_ATTENTION",
                     "GGML_", "export", "FORCE_CMAKE", "LLAMA_"}},
        {.name = "Windows SDK not found",
         .needles = {"'errno.h'", "'corecrt.h'", "'stdio.h'", "'crtdefs.h'", "'stddef.h'", "'io.h'", "'cstddef'",
                     "'vcruntime.h'", "'malloc.h'", "'crtdbg.h'", "'windows.h'", "'math.h'", "cannot run 'rc.exe'",
                     "cannot open file 'kernel32.lib'", "cannot open file 'ucrt.lib'", "cannot open file 'uuid.lib'",
                     "cannot open file 'msvcprt.lib'", "cannot open file 'msvcrt.lib'",
                     "cannot open file 'libcpmt.lib'"},
         .meaning =
             "The compiler of Visual Studio finds no headers or libraries of the Windows SDK: the build does not run "
             "in its command prompt, or Visual Studio was installed without the SDK.",
         .remedies =
             {msvc_prompt, look("echo %INCLUDE% & where cl rc"),
              machine("Visual Studio Installer: \"Desktop development with C++\" with a Windows SDK   (undo: there)")},
         .applies =
             [](std::string_view text, std::size_t at) {
                 return contains_any(line_around(text, at), {"C1083", "LNK1104", "LNK1158"}) && is_about_gpus(text, at);
             }},
        {.name = "PyTorch library not loaded",
         .needles = {"libc10.so: cannot open", "libtorch.so: cannot open", "libtorch_cpu.so: cannot open",
                     "libtorch_python.so: cannot open", "libtorch_cuda_cpp.so: cannot open",
                     "libtorch_cuda_cu.so: cannot open", "libcaffe2.so: cannot open", "libtorch_hip.so: cannot open",
                     "libc10_hip.so: cannot open"},
         .meaning =
             "An extension needs this library of PyTorch's: torch was not imported before it, or the PyTorch that is "
             "there is of another version, which has no such library.",
         .remedies = {"import torch   (as the first line, before the extension)",
                      look("pip list | grep -i torch; find / -name 'libc10.so' 2>/dev/null"),
                      environment(
                          "pip install --force-reinstall --no-cache-dir --no-build-isolation --no-deps EXTENSION   "
                          "(builds it for this torch; undo: the version that was there)")},
         .read = read_library_of_torch,
         .applies = is_of_torch},
        {.name = "CMake finds no cuDNN",
         .needles = {"Could not find cudnn_LIBRARY", "Could not find CUDNN_", "Could NOT find CUDNN",
                     "Could NOT find cuDNN", "Could NOT find cudnn", "Cannot find cuDNN", "Could not find cudnn_",
                     "Could NOT find NCCL"},
         .meaning = "CMake finds no headers or library of cuDNN (or NCCL), which are no part of the CUDA toolkit.",
         .remedies =
             {look("find / -name 'cudnn*.h' 2>/dev/null; find / -name 'libcudnn*' 2>/dev/null"),
              "CUDNN_PATH=FOLDER CUDNN_HOME=FOLDER CUDNN_ROOT=FOLDER pip install --no-build-isolation EXTENSION   "
              "(the folder with include and lib: of pip's torch it is site-packages/nvidia/cudnn)",
              machine(
                  "sudo apt install libcudnn9-dev-cuda-12   (from NVIDIA's repository; undo: sudo apt remove it)")}},
        {.name = "host compiler that nvcc cannot run",
         .needles = {"Failed to preprocess host compiler properties"},
         .meaning =
             "nvcc starts the host compiler once to ask what it is, and that ended with an error: the compiler is "
             "missing or installed in part (often that of conda), or /tmp is full.",
         .remedies = {look("nvcc --version; g++ --version; echo $CC $CXX $NVCC_PREPEND_FLAGS; df -h /tmp"),
                      look("echo | g++ -x c++ -E -dM - | tail -1   (does it run at all?)"),
                      "CC=/usr/bin/gcc CXX=/usr/bin/g++ NVCC_PREPEND_FLAGS='-ccbin /usr/bin/g++' pip install "
                      "--no-build-isolation EXTENSION   (the compiler of the system)"}},
        {.name = "two CUDA toolkits mixed in a build",
         .needles = {"FindCUDA says CUDA version is"},
         .meaning =
             "CMake found nvcc of one toolkit and the headers of another: /usr/include/cuda.h of a package of the "
             "system, or a CUDA_HOME or PATH that names another one.",
         .remedies =
             {look("command -v nvcc; echo $CUDA_HOME $CUDA_PATH; ls -d /usr/local/cuda*; ls /usr/include/cuda.h"),
              "CUDA_HOME=/usr/local/cuda PATH=/usr/local/cuda/bin:$PATH CPATH= cmake -B fresh   "
              "(one toolkit for all, and no cache of the other)"},
         .read =
             [](std::string_view text, std::size_t at, Explanation& told) {
                 const auto line = flattened(text_near(text, at, 0, 400), 400);
                 const auto figure = [&](std::string_view label) {
                     const auto found = line.find(label);
                     return leading_version(
                         found == std::string::npos ? "" : std::string_view(line).substr(found + label.size()));
                 };
                 const auto nvcc = figure("CUDA version is "), headers = figure("say the version is ");
                 if (headers.empty()) return;
                 if (!nvcc.empty()) told.arithmetic.push_back(fmt::format("nvcc is of CUDA {}", nvcc));
                 told.arithmetic.push_back(fmt::format("the headers are of CUDA {}", headers));
             }},
        {.name = "CMake too old for this CUDA",
         .needles = {"CUDA_cublas_device_LIBRARY"},
         .meaning = "CUDA 10 and newer have no library cublas_device; CMake before 3.12.2, and projects with a "
                    "FindCUDA.cmake of their own, still ask for it.",
         .remedies =
             {look("cmake --version; find . -name 'FindCUDA*.cmake'   (the project's own?)"),
              environment("pip install 'cmake<4'   (then an empty build folder; undo: pip uninstall cmake)"),
              "build it with CUDA 9   (a project with its own FindCUDA.cmake, which was not written for newer)"}},
        {.name = "PyTorch built for another Python",
         .needles = {"undefined symbol: _Py_ZeroStruct", "undefined symbol: PyUnicodeUCS",
                     "undefined symbol: _Py_FalseStruct", "undefined symbol: PyInt_FromLong"},
         .meaning =
             "This library was built for another Python (2 instead of 3, or the other way) than the one that loads "
             "it: PYTHONPATH or ~/.local brings in the packages of another one.",
         .remedies =
             {look("python -c 'import sys; print(sys.version, *sys.path)'; echo $PYTHONPATH"),
              "PYTHONPATH= PYTHONNOUSERSITE=1 ...   (before the same command: this environment's packages alone)",
              "{torch}   (in a new environment)"},
         .in_line = {"torch"}},
        {.name = "SageAttention older than the program expects",
         .needles = {"cannot import name 'sageattn"},
         .meaning = "The program calls functions of SageAttention 2, and version 1 is installed, the only one on PyPI.",
         .remedies = {environment(
                          "pip install --no-build-isolation git+https://github.com/thu-ml/SageAttention   (needs "
                          "nvcc; undo: pip install sageattention==1.0.6)"),
                      "choose sdpa in place of sageattention   (in the program, where it has the choice)"},
         .hints = {{"python_embeded",
                    environment("python_embeded\\python -m pip install FILE   (a wheel of "
                                "github.com/woct0rdho/SageAttention/releases for this torch and CUDA; "
                                "undo: pip install sageattention==1.0.6)")}},
         .in_line = {"from 'sageattention'"}},
        {.name = "repository of NVIDIA that does not exist",
         .needles = {"does not have a Release file", "no longer has a Release file"},
         .meaning = "A list of apt names an address of NVIDIA's where no repository is: of a release that it has none "
                    "for, or with an empty name; apt update ends there.",
         .remedies =
             {look("grep -rn nvidia /etc/apt/sources.list /etc/apt/sources.list.d   (which file names it?)"),
              machine("sudo mv /etc/apt/sources.list.d/FILE /etc/apt/FILE.off && sudo apt-get update   (that file; "
                      "undo: mv it back)"),
              look("see https://developer.download.nvidia.com/compute/cuda/repos   (the releases that there are; "
                   "the container toolkit has one for all: nvidia.github.io/libnvidia-container/stable/deb)")},
         .applies =
             [](std::string_view text, std::size_t at) {
                 return !contains(text, "handshake") &&
                        contains_any(line_around(text, at),
                                     {"compute/cuda/repos", "nvidia.github.io", "compute/machine", "cuda-repo"});
             }},
        {.name = "ninja missing",
         .needles = {"Ninja is required to load C++ extensions", "No such file or directory: 'ninja'"},
         .meaning = "PyTorch builds extensions with ninja, which is not installed.",
         .remedies = {environment("python -m pip install ninja   (undo: python -m pip uninstall ninja)")}},
        {.name = "CUDA library not found by the linker",
         .needles = {"cannot find -lcuda", "cannot find -lcudart", "cannot find -lcublas", "cannot find -lcudnn",
                     "cannot find -lnvrtc", "cannot find -lnccl", "unable to find library -lcuda",
                     "cannot open input file 'cud", "cannot open input file 'cublas"},
         .meaning = "The linker looks for a file without a version at its end (libcuda.so), which only the toolkit and "
                    "development packages have: a stub of libcuda is enough to link.",
         .remedies = {look("ldconfig -p | grep libcuda.so; ls /usr/local/cuda/lib64/stubs"),
                      "LIBRARY_PATH=/usr/local/cuda/lib64:/usr/local/cuda/lib64/stubs python ...   (for the linker "
                      "only: never on LD_LIBRARY_PATH)"},
         .read = read_library_of_linker},
    };
}

}  // namespace tocuda::doctor
