// tocuda, Apache-2.0.
// Extensions of PyTorch whose sources do not fit the toolkit, the compiler or the PyTorch that is there, and how pip
// gets each of them.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <utility>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"
#include "doctor/message/origin.hpp"

namespace tocuda::doctor {
namespace {

// "/home/me/src/3rdparty/map.cuh(503): error: ..." and "map.cuh:503:12: error: ...": the file.
std::string_view file_in_line(std::string_view line) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t>"), line.size()));
    const auto end = line.find_first_of("(:", line.substr(1).starts_with(":") ? 2 : 0);
    const auto file = line.substr(0, end);
    return contains(file, ".") && !contains(file, " ") ? file : "";
}

// "namespace "thrust" has no member "device"": the header that says it.
void read_older_than_cuda(std::string_view text, std::size_t at, Explanation& told) {
    const auto line = line_around(text, at);
    const auto member = between(line, "has no member \"", "\"");
    if (!contains(line, "\"thrust\"") || !member) return;
    told.arithmetic.emplace_back(
        "since CUDA 12 the headers of thrust no longer include one another: the file has to name each that it uses");
    const std::string header = *member == "device" || *member == "host" || *member == "par" ? "execution_policy"
                               : *member == "remove_if" || *member == "remove_copy_if"      ? "remove"
                               : member->starts_with("unique")                              ? "unique"
                               : member->starts_with("sort")                                ? "sort"
                               : member->starts_with("reduce")                              ? "reduce"
                                                                                            : std::string(*member);
    const auto file = file_in_line(line);
    told.remedies = {
        fmt::format("sed -i '1i #include <thrust/{}.h>' {}   (then the same again: other files may lack theirs, too; "
                    "undo: git checkout)",
                    header, file.empty() ? "FILE" : file),
        "use a fork or a newer version of the package that knows CUDA 12",
        "CUDA_HOME=/usr/local/cuda-11.8 PATH=/usr/local/cuda-11.8/bin:$PATH pip install --no-build-isolation EXTENSION "
        "  "
        "(with a PyTorch for CUDA 11)"};
}

void read_older_than_torch(std::string_view text, std::size_t at, Explanation& told) {
    const auto rest = text.substr(at, 60);
    const bool windows = origin_of(text).windows;
    if (contains_any(rest, {"C++17", "C++14", "C++20"})) {
        const std::string_view wanted = contains(rest, "C++20") ? "20" : contains(rest, "C++17") ? "17" : "14";
        told.meaning = fmt::format(
            "The headers of this PyTorch need C++{}, and the extension's setup.py asks for an older C++: it was "
            "written "
            "for an older PyTorch.",
            wanted);
        told.remedies = {
            windows
                ? fmt::format("write -std=c++{0} instead of -std=c++11 or c++14 in setup.py   (or take the option out: "
                              "PyTorch sets its own)",
                              wanted)
                : fmt::format("sed -i 's/-std=c++1[14]/-std=c++{}/g' setup.py   (then build again; undo: git checkout "
                              "setup.py)",
                              wanted),
            "use a newer version or a fork of the extension",
            "g++ --version; nvcc --version   (C++17 needs g++ 9 and nvcc 11, C++20 g++ 10 and nvcc 12)"};
        told.remedies.back().scope = Scope::look;
        return;
    }
    if (contains(rest, "AT_CHECK")) {
        told.arithmetic.emplace_back("AT_CHECK is named TORCH_CHECK since PyTorch 1.5");
        told.remedies = {
            "grep -rl AT_CHECK . | xargs sed -i 's/AT_CHECK/TORCH_CHECK/g'   (in the extension's folder; undo: "
            "git checkout)",
            "use a newer version or a fork of the extension"};
        if (windows) told.remedies.front() = "write TORCH_CHECK instead of AT_CHECK in the extension's sources";
    } else if (contains(rest, "DeprecatedTypeProperties")) {
        told.arithmetic.emplace_back("AT_DISPATCH takes x.scalar_type() now, and the sources give it x.type()");
        told.remedies = {
            "grep -rl AT_DISPATCH . | xargs sed -i '/AT_DISPATCH/s/\\.type()/.scalar_type()/'   (in the "
            "extension's folder; undo: git checkout)",
            "use a newer version or a fork of the extension"};
        if (windows)
            told.remedies.front() = "write .scalar_type() instead of .type() where the sources have AT_DISPATCH";
    }
}

// "LINK : fatal error LNK1181: cannot open input file 'c10_cuda.lib'"
void read_linker_of_windows(std::string_view text, std::size_t at, Explanation& told) {
    const auto line = line_around(text, at);
    if (contains(line, "c10_cuda.lib") || contains(line, "torch_cuda")) {
        told.meaning =
            "The PyTorch that is there has no libraries for CUDA to link with: it is a build for the CPU, which pip "
            "installs on Windows unless PyTorch's own index is named.";
        told.remedies = {
            {"python -c 'import torch; print(torch.__version__, torch.version.cuda)'   (None?)", Scope::look},
            "{torch}   (a build with CUDA, in a new environment; build the extension there)"};
    } else if (contains(line, "python3") || contains(line, "python.lib")) {
        told.meaning = "The Python that builds has no libraries to link with: the embedded Python of ComfyUI has none.";
        told.remedies = {"copy include and libs of a full Python of the same version beside python.exe",
                         "install a wheel of the extension that is built for this torch and CUDA instead"};
    } else if (contains(line, ".obj")) {
        told.meaning =
            "The linker of Windows finds no object at the path that ninja was given: nothing was compiled there, the "
            "path "
            "goes up with .. or is too long (260 letters), or an earlier compilation failed.";
        told.certain = false;
        told.remedies = {
            "build in a short folder, such as C:\\b   (and after deleting the folder build)",
            "BuildExtension.with_options(use_ninja=False)   (instead of BuildExtension in setup.py: compiles "
            "without ninja, which takes relative paths amiss)",
            "install a wheel of the extension that is built for this torch and CUDA instead"};
    }
}

bool is_of_extension(std::string_view text, std::size_t at) {
    const auto around = text_near(text, at, 3000, 2500);
    return names_package_for_gpus(around) || contains_any(around, {"cuda", "CUDA", "nvcc"});
}

bool is_compiled(std::string_view text, std::size_t at) {
    return contains_any(text_near(text, at, 3000, 2000), {"cpp_extension", "nvcc", "NVCC", "build_ext", "CUDA_HOME"}) &&
           is_of_extension(text, at);
}

constexpr auto own_wheel = "install a wheel of the extension that is built for this torch and CUDA instead";
constexpr auto prompt_of_msvc =
    "open the \"x64 Native Tools Command Prompt for VS\" and build there   (it sets PATH and more)";

constexpr auto no_operators = environment(
    "DS_BUILD_OPS=0 pip install deepspeed   (compiles none now: each when it is first used; undo: pip uninstall "
    "deepspeed)");

void read_spconv(std::string_view text, std::size_t at, Explanation& told) {
    const auto around = text_near(text, at, 2000, 800);
    auto cuda = between(around, "spconv-cu", "\"");
    std::string number(cuda.value_or("").substr(0, 3));
    if (number.find_first_not_of("0123456789") != std::string::npos || number.size() != 3) {
        number.clear();
        for (const std::string_view label : {"cuda:", "CUDA: ", "cuda: "})
            if (const auto version = between(around, label, ","); version && version->size() == 4 && number.empty())
                number = fmt::format("{}{}", version->substr(0, 2), version->substr(3));
    }
    if (number.empty()) number = "120";
    told.remedies = {
        {"pip list | grep -iE 'spconv|cumm'   (one of each, both with the same -cu suffix?)", Scope::look},
        {fmt::format("pip uninstall -y spconv cumm && pip install -U spconv-cu{0} cumm-cu{0}   (undo: the "
                     "versions that pip list showed)",
                     number),
         Scope::environment},
        fmt::format("python3 -m venv fresh && fresh/bin/pip install torch spconv-cu{}   (or a new environment: "
                    "pip then takes the cumm that it needs)",
                    number)};
}

}  // namespace

std::vector<KnownError> extension_errors() {
    return {
        {.name = "sources older than this CUDA",
         .needles = {"namespace \"thrust\" has no member", "namespace \"cub\" has no member",
                     "identifier \"cudaBindTexture", "identifier \"cudaUnbindTexture",
                     "'cudaBindTexture' was not declared", "texture is not a template",
                     "class \"cudaDeviceProp\" has no member", "'struct cudaDeviceProp' has no member",
                     "identifier \"CUSPARSE_CSRMV_ALG", "identifier \"CUSPARSE_MM_ALG_DEFAULT",
                     "identifier \"CUSPARSE_COOMM_ALG", "identifier \"CUSPARSE_CSRMM_ALG", "identifier \"__shfl\"",
                     "identifier \"__shfl_down\"", "identifier \"__shfl_xor\"", "identifier \"__ballot\"",
                     "identifier \"__any\""},
         .meaning = "These sources were written for an older CUDA: this toolkit has removed or moved what they use.",
         .remedies = {"update the package, or use a fork   (that knows this CUDA)",
                      "CUDA_HOME=/usr/local/cuda-11.8 PATH=/usr/local/cuda-11.8/bin:$PATH pip install "
                      "--no-build-isolation EXTENSION   (an older toolkit, with a PyTorch for it)"},
         .read = read_older_than_cuda},
        {.name = "extension too old for this PyTorch",
         .needles = {"THC/THC.h: No such file",
                     "THC/THCAtomics.cuh: No such file",
                     "THC/THCGeneral.h: No such file",
                     "THC/THCDeviceUtils.cuh: No such file",
                     "'THC/THC.h': No such file",
                     "identifier \"THCState\"",
                     "THC/THC.h: \u6ca1\u6709",
                     "THC/THCAtomics.cuh': No such",
                     "THC/THCAtomics.cuh: \u6ca1\u6709",
                     "identifier \"AT_CHECK\"",
                     "AT_CHECK' was not declared",
                     "'AT_CHECK' was not declared",
                     "'AT_CHECK': identifier",
                     "DeprecatedTypeProperties\" to \"c10::ScalarType",
                     "DeprecatedTypeProperties' to 'c10::ScalarType",
                     "DeprecatedTypeProperties' to",
                     "#error C++17 or later",
                     "#error C++14 or later",
                     "#error C++20 or later",
                     "#error You need C++17",
                     "#error You need C++14",
                     "#error You need C++20",
                     "#error \"You need C++17",
                     "#error:  C++17 or later",
                     "#error:  \"C++17 or later"},
         .meaning = "The extension uses THC, which PyTorch 1.11 removed, or another thing of an older PyTorch: it was "
                    "written for that.",
         .remedies = {"use a newer version or a fork of the extension",
                      "or a PyTorch up to 1.10   (in a new environment; it has no code for GPUs newer than Ampere)"},
         .read = read_older_than_torch},
        {.name = "extension too old for this PyTorch",
         .needles = {"THFloatBlas_", "THCudaBlas_", "THCudaMalloc", "THCudaFree", "THCudaCheck", "THCCeilDiv",
                     "THArgCheck", "THCudaTensor", "THCNumerics"},
         .meaning = "The sources use TH or THC, which PyTorch 1.11 removed: they were written for an older PyTorch.",
         .remedies = {"use a branch, a fork or a newer version of the extension for this PyTorch   (of DCNv2: "
                      "https://github.com/lucasjinreal/DCNv2_latest)",
                      "write at::ceil_div, C10_CUDA_CHECK and c10::cuda::CUDACachingAllocator::raw_alloc instead of "
                      "THCCeilDiv, THCudaCheck and THCudaMalloc   (in the extension's sources)"},
         .in_line = {"was not declared", "is undefined", "identifier not found", "undeclared identifier"}},
        {.name = "sources newer than this PyTorch",
         .needles = {"\"c10::ScalarType\" to \"at::Type\"", "identifier \"TORCH_CHECK\"",
                     "'TORCH_CHECK' was not declared", "has no member named 'scalar_type'",
                     "has no member \"mutable_data_ptr\"", "has no member named 'mutable_data_ptr'",
                     "has no member \"const_data_ptr\"", "has no member named 'const_data_ptr'", "ATen/ceil_div.h",
                     "ATen/cuda/Atomic.cuh: No", "ATen/cuda/DeviceUtils.cuh: No"},
         .meaning =
             "The sources use what this PyTorch does not have yet: it is older than they expect, or the build runs in "
             "another Python than is meant, as by sudo.",
         .remedies = {look("python -c 'import sys, torch; print(sys.executable, torch.__version__)'"),
                      "{torch}   (a newer one, in a new environment; build the extension there)",
                      "use an older version or branch of the extension   (made for this PyTorch)"},
         .read =
             [](std::string_view text, std::size_t at, Explanation& told) {
                 if (contains(text_near(text, at, 500, 300), "sudo"))
                     told.arithmetic.emplace_back(
                         "sudo takes the Python of root instead of that of the environment: build without it");
                 if (contains(text.substr(at, 20), "ceil_div"))
                     told.arithmetic.emplace_back("ceil_div.h came with PyTorch 1.11");
             },
         .in_line = {"rror", "No such"}},
        {.name = "sources of a submodule missing",
         .needles = {"missing and no known rule to make it", "glm/glm.hpp: No such", "'glm/glm.hpp'",
                     "glm/glm.hpp: \u6ca1\u6709", "cannot open source file \"glm/",
                     "does not contain a CMakeLists.txt file"},
         .meaning =
             "Sources that the build needs are not there: they are a submodule of the repository, which a plain git "
             "clone or a ZIP of GitHub does not bring.",
         .remedies = {"git submodule update --init --recursive   (in the checkout; then build again)",
                      "git clone --recursive ADDRESS   (where there is no .git folder, as from a ZIP)"},
         .applies = is_of_extension},
        {.name = "headers of OpenGL missing",
         .needles = {"EGL/egl.h", "GL/gl.h: No such", "GL/glew.h", "GL/glu.h: No such"},
         .meaning = "The compiler finds no headers of OpenGL, by which nvdiffrast and other renderers draw.",
         .remedies =
             {machine("sudo apt install libegl1-mesa-dev libgl1-mesa-dev libgles2-mesa-dev   (undo: sudo apt remove "
                      "these)"),
              "dr.RasterizeCudaContext() instead of dr.RasterizeGLContext()   (nvdiffrast without OpenGL)"},
         .applies =
             [](std::string_view text, std::size_t at) {
                 return contains_any(line_around(text, at), {"error:", "rror C1083"}) && is_of_extension(text, at);
             }},
        {.name = "option of gcc at Microsoft's compiler",
         .needles = {"error D8021"},
         .meaning =
             "The build gives cl.exe, the compiler of Visual Studio, an option that only gcc and clang know: the "
             "extension was not tried on Windows in this version.",
         .remedies = {own_wheel, "take that option out of the package's setup.py or _backend.py   (undo: put it back)",
                      "build it in WSL 2   (as on Linux)"},
         .applies = is_of_extension},
        {.name = "input of Windows' linker missing",
         .needles = {"LNK1181", "LNK1104"},
         .meaning = "The linker of Visual Studio does not find one of its inputs; the line names it.",
         .remedies = {look("where nvcc cl   (toolkit and compiler of one kind, 64 bits?)"), prompt_of_msvc, own_wheel},
         .read = read_linker_of_windows,
         .applies =
             [](std::string_view text, std::size_t at) {
                 return !contains_any(line_around(text, at), {"aio.lib", "'cud", "'cublas"}) &&
                        is_of_extension(text, at);
             }},
        {.name = "DeepSpeed's operators at its installation",
         .needles = {"Unable to pre-compile "},
         .meaning =
             "DeepSpeed compiles its operators while it is installed (on Windows by default), and one of them cannot "
             "be: async_io needs libaio, which is on Linux only.",
         .remedies =
             {no_operators,
              environment("DS_BUILD_AIO=0 DS_BUILD_OPS=1 pip install deepspeed   (all but async_io; undo: pip "
                          "uninstall deepspeed)"),
              machine("sudo apt install libaio-dev   (where async_io is needed; undo: sudo apt remove libaio-dev)")},
         .hints = {{":\\", no_operators},
                   {":\\",
                    environment("pip install deepspeed --only-binary deepspeed   (a finished wheel, of a version that "
                                "has one for this Python; undo: pip uninstall deepspeed)")},
                   {":\\", "use WSL 2   (as on Linux: much of DeepSpeed does not run on Windows itself)"}}},
        {.name = "spconv and cumm do not match",
         .needles = {"from 'cumm.", "type not registered yet?)", "No module named 'cumm",
                     "No module named 'spconv.core_cc"},
         .meaning = "spconv stands on cumm, and each of its versions needs a particular one: the cumm that is there is "
                    "another, or both a plain and a -cuXXX package are installed into the same folder.",
         .read = read_spconv,
         .near = {"spconv", "cumm"}},
        {.name = "Visual Studio not set up for nvcc",
         .needles = {"Could not set up the environment for Microsoft Visual Studio",
                     "Visual Studio configuration file '", "Host compiler targets unsupported OS"},
         .meaning =
             "nvcc starts the compiler of Visual Studio and fails to set it up: the prompt is not that of its 64-bit "
             "tools, or the Visual Studio is newer than this toolkit knows, or lacks the part for C++.",
         .remedies =
             {prompt_of_msvc, look("where cl nvcc; nvcc --version   (cl of ...\\HostX64\\x64?)"),
              "vcvarsall.bat x64 -vcvars_ver=14.29   (an older MSVC for an older toolkit, if it is installed; then "
              "build in that window)",
              machine("install the Build Tools for Visual Studio with \"Desktop development with C++\"")}},
        {.name = "compiler or nvcc not found on Windows",
         .needles = {"[WinError 2]"},
         .meaning =
             "The build starts a program that Windows does not find: cl.exe of Visual Studio outside of its command "
             "prompt, or nvcc where no CUDA toolkit is installed.",
         .remedies = {look("where cl nvcc; echo %CUDA_PATH%   (which of them is missing?)"), prompt_of_msvc, own_wheel,
                      machine("install NVIDIA's CUDA Toolkit   (of PyTorch's CUDA; it sets CUDA_PATH)")},
         .applies =
             [](std::string_view text, std::size_t at) {
                 return is_compiled(text, at) && !contains(line_around(text, at), "Error checking compiler version");
             },
         .certain = false},
    };
}

}  // namespace tocuda::doctor
