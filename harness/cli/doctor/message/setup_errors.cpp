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

void read_two_toolkits(std::string_view text, std::size_t at, Explanation& told) {
    const auto line = flattened(text_near(text, at, 0, 400), 400);
    const auto figure = [&](std::string_view label) {
        const auto found = line.find(label);
        return leading_version(found == std::string::npos ? "" : std::string_view(line).substr(found + label.size()));
    };
    const auto nvcc = figure("CUDA version is "), headers = figure("say the version is ");
    if (headers.empty()) return;
    if (!nvcc.empty()) told.arithmetic.push_back(fmt::format("nvcc is of CUDA {}", nvcc));
    told.arithmetic.push_back(fmt::format("the headers are of CUDA {}", headers));
}

bool is_no_compiler(std::string_view text, std::size_t at) {
    return !text.substr(at).starts_with("Microsoft") || is_about_gpus(text, at);
}

bool is_about_repository(std::string_view text, std::size_t at) {
    return !contains(text, "handshake") &&
           contains_any(line_around(text, at),
                        {"compute/cuda/repos", "nvidia.github.io", "compute/machine", "cuda-repo"});
}

}  // namespace

Functions setup_functions() {
    return {.readings = {{"read_standard_header", read_standard_header},
                         {"read_library_of_torch", read_library_of_torch},
                         {"read_two_toolkits", read_two_toolkits},
                         {"read_library_of_linker", read_library_of_linker}},
            .conditions = {{"is_about_gpus", is_about_gpus},
                           {"is_no_compiler", is_no_compiler},
                           {"is_of_torch", is_of_torch},
                           {"is_about_repository", is_about_repository}}};
}

}  // namespace tocuda::doctor
