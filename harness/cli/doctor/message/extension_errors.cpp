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

void read_older_torch(std::string_view text, std::size_t at, Explanation& told) {
    if (contains(text_near(text, at, 500, 300), "sudo"))
        told.arithmetic.emplace_back(
            "sudo takes the Python of root instead of that of the environment: build without it");
    if (contains(text.substr(at, 20), "ceil_div")) told.arithmetic.emplace_back("ceil_div.h came with PyTorch 1.11");
}

}  // namespace

Functions extension_functions() {
    return {.readings = {{"read_older_than_cuda", read_older_than_cuda},
                         {"read_older_than_torch", read_older_than_torch},
                         {"read_older_torch", read_older_torch},
                         {"read_linker_of_windows", read_linker_of_windows},
                         {"read_spconv", read_spconv}},
            .conditions = {{"is_of_extension", is_of_extension}, {"is_compiled", is_compiled}}};
}

}  // namespace tocuda::doctor
