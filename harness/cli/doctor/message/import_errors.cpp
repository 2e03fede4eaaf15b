// tocuda, Apache-2.0.
// Imports of Python that fail although CUDA is well: a file in a package's place, compiled modules of other versions,
// modules that a package needs.
#include <fmt/core.h>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"
#include "doctor/message/origin.hpp"

namespace tocuda::doctor {
namespace {

constexpr std::string_view no_package = "' is not a package";

// "No module named 'deepspeed.launcher'; 'deepspeed' is not a package"
void read_hidden_package(std::string_view text, std::size_t at, Explanation& told) {
    const auto before = text.substr(0, text.find(no_package, at));
    const auto name = before.substr(before.rfind('\'') + 1);
    told.arithmetic.push_back(fmt::format("what was imported as {0} is a single file {0}.py", name));
    told.remedies = {
        {fmt::format(
             "python -c 'import importlib.util; print(importlib.util.find_spec(\"{}\").origin)'   (in the folder "
             "where it failed: which file is it?)",
             name),
         Scope::look},
        fmt::format("mv {0}.py my_{0}.py && rm -rf __pycache__   (the file beside the program; its imports "
                    "then need the new name)",
                    name)};
    if (origin_of(text).windows)
        told.remedies[1] = fmt::format("ren {0}.py my_{0}.py   (the file beside the program)", name);
}

// "C function cuda.ccudart.cudaStreamSynchronize has wrong signature"
void read_other_form(std::string_view text, std::size_t at, Explanation& told) {
    const auto line = line_around(text, at);
    const auto name = between(line, "C function ", " ").value_or("");
    const bool of_cuda = name.starts_with("cuda.");
    if (of_cuda) told.arithmetic.emplace_back("the function is of cuda-python");
    told.remedies = {
        {"pip list | grep -iE 'cuda|rmm|cudf|cupy|numba|numpy|cython'   (which of them changed last?)", Scope::look},
        "{torch}"};
    if (of_cuda && contains(text, "rmm"))
        told.remedies.push_back(
            {"conda install 'cuda-python>=11.5,<11.7.1'   (RAPIDS 22.08 and older, with CUDA 11; undo: the version "
             "that conda list showed)",
             Scope::environment});
    else
        told.remedies.emplace_back(
            "install both packages in one command   (in a new environment: versions of one age)");
}

// "original error: No module named 'fastrlock'": CuPy repeats why its import failed.
void read_needed_module(std::string_view text, std::size_t at, Explanation& told) {
    const auto name = between(text_near(text, at, 0, 120), "named '", "'").value_or("MODULE");
    const std::string package(name.substr(0, name.find('.')));
    told.arithmetic.push_back(fmt::format("the module is {}", name));
    told.remedies = {{fmt::format("pip install {0}   (undo: pip uninstall {0})", package), Scope::environment}};
    if (package.starts_with("cupy"))
        told.remedies = {
            {"pip list | grep -i cupy   (one package only; no folder of that name beside the program)", Scope::look},
            "{torch}"};
    told.remedies.emplace_back(fmt::format(
        "--include-module={0}   (a program that Nuitka packs; PyInstaller: --hidden-import {0}, which it cannot see)",
        name));
}

bool hides_a_package(std::string_view text, std::size_t at) {
    return contains(text_near(text, at, 0, 160), no_package);
}

}  // namespace

Functions import_functions() {
    return {.readings = {{"read_hidden_package", read_hidden_package},
                         {"read_other_form", read_other_form},
                         {"read_needed_module", read_needed_module}},
            .conditions = {{"hides_a_package", hides_a_package}}};
}

}  // namespace tocuda::doctor
