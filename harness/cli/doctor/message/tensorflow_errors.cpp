// tocuda, Apache-2.0.
// TensorFlow and JAX, which stand on XLA: their packages, and the CUDA libraries that each version was built for.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>

#include "doctor/message/dump_lines.hpp"
#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"
#include "doctor/message/origin.hpp"
#include "doctor/message/tensorflow_versions.hpp"
#include "doctor/message/wheels.hpp"
#include "doctor/python/architectures.hpp"
#include "model/words.hpp"

namespace tocuda::doctor {
namespace {

constexpr auto jax_packages = "pip list | grep -iE 'jax|nvidia'";
constexpr auto fresh_jax = "python3 -m venv fresh && fresh/bin/pip install 'jax[cuda12]'   (a new environment)";
constexpr auto without_foreign_cuda =
    "env -u LD_LIBRARY_PATH python -c 'import jax; print(jax.devices())'   (a foreign CUDA on the path?)";

constexpr auto who_holds = "nvidia-smi --query-compute-apps=pid,used_memory,name --format=csv   (who holds it)";
constexpr auto libraries_of_tensorflow =
    "python -c 'import tensorflow as t; print(t.__version__, t.sysconfig.get_build_info())'   (the CUDA and cuDNN "
    "that it was built for)";
constexpr auto growth =
    "TF_FORCE_GPU_ALLOW_GROWTH=true python ...   (TensorFlow takes only what it needs; in the program, before anything "
    "else: tf.config.experimental.set_memory_growth(gpu, True))";

// Its libraries, and whether these know the GPU that the text names.
void tell_of_tensorflow(std::string_view text, Explanation& told) {
    const auto version = tensorflow_version_in(text);
    const auto* const build = build_of(version);
    if (!build) return;
    told.arithmetic.push_back(fmt::format(
        "TensorFlow {}.{} was built for CUDA {} and cuDNN {}: it looks for libraries of these versions, whatever "
        "others are there",
        version->first, version->second, build->cuda, build->cudnn));
    const auto gpu = capability_of_name(text);
    const auto* const known = gpu ? toolkits_for(*gpu) : nullptr;
    if (known && !known->first.empty() && version_of(known->first) > version_of(build->cuda))
        told.arithmetic.push_back(
            fmt::format("a GPU of compute capability {} needs CUDA {} or newer: this TensorFlow "
                        "is too old for it",
                        capability_text(*gpu), known->first));
    else if (*version < first_with_packages && !origin_of(text).windows)
        told.remedies.emplace_back(fmt::format(
            "conda create -n fresh -c conda-forge python=3.{} cudatoolkit={} cudnn={} && conda run -n fresh "
            "pip install tensorflow=={}.{}   (this TensorFlow with its libraries)",
            *version < Version{2, 1}   ? 7
            : *version < Version{2, 5} ? 8
                                       : 9,
            build->cuda, build->cudnn, version->first, version->second));
}

// An empty list of GPUs: on Windows it is the version, elsewhere the libraries.
void read_no_gpu_of_tensorflow(std::string_view text, std::size_t, Explanation& told) {
    const auto origin = origin_of(text);
    const auto version = tensorflow_version_in(text);
    const bool windows = origin.windows && !origin.wsl;
    if (windows && (!version || *version >= first_without_windows)) {
        told.certain = version.has_value();
        told.meaning =
            "On Windows itself TensorFlow uses GPUs up to 2.10 only; newer ones do so in WSL 2, whatever CUDA "
            "and cuDNN are installed.";
        told.remedies = {own_tensorflow,
                         "python -m venv fresh && fresh\\Scripts\\pip install tensorflow==2.10 \"numpy<2\"   (Python "
                         "3.10 and older; with CUDA 11.2 and cuDNN 8.1)"};
        return;
    }
    tell_of_tensorflow(text, told);
    if (told.remedies.empty()) told.remedies.emplace_back(own_tensorflow);
    told.remedies.push_back({libraries_of_tensorflow, Scope::look});
    told.remedies.push_back({"nvidia-smi   (is there an NVIDIA GPU with a driver?)", Scope::look});
}

// "compatible with compute capability 12.0", "GeForce RTX 3080"
void read_gpu_of_tensorflow(std::string_view text, std::size_t, Explanation& told) {
    constexpr int blackwell = 100;
    auto gpu = capability_of_name(text);
    if (const auto named = between(text, "compute capability ", "."); named && named->size() <= 2)
        gpu = static_cast<int>(10 * number_after(text, "compute capability ").value_or(0));
    tell_of_tensorflow(text, told);
    told.remedies.clear();
    if (gpu && *gpu >= blackwell)
        told.remedies.emplace_back(
            "docker run --gpus all nvcr.io/nvidia/tensorflow:25.02-tf2-py3   (NVIDIA's build has code for RTX 50 and "
            "B200; packages of PyPI up to 2.20 have none)");
    told.remedies.emplace_back(own_tensorflow);
    told.remedies.push_back({"nvidia-smi --query-gpu=name,compute_cap,driver_version --format=csv", Scope::look});
}

void read_start_of_tensorflow(std::string_view text, std::size_t, Explanation& told) {
    tell_of_tensorflow(text, told);
    told.remedies.insert(told.remedies.begin(), {growth, {who_holds, Scope::look}});
    told.remedies.push_back({libraries_of_tensorflow, Scope::look});
    told.remedies.emplace_back(own_tensorflow);
}

// "Found cuDNN version 8600, but JAX was built against version 8906", "Found CUDA version 12010, but ..."
void read_versions_of_jax(std::string_view text, std::size_t at, Explanation& told) {
    const auto message = text_near(text, at, 80, 80);
    const auto begin = message.rfind("Found ", 80);
    const auto found = number_after(message, " version ");
    const auto built = number_after(message, "built against version ");
    if (begin == std::string_view::npos || !found || !built) return;
    const auto name = message.substr(begin + 6, message.find(' ', begin + 6) - begin - 6);
    if (name != "cuDNN") {
        told.arithmetic.push_back(fmt::format("JAX was built with {} {}, and {} was loaded", name, *built, *found));
        return;
    }
    const auto in_words = [](std::int64_t version) {
        constexpr std::int64_t first_of_five_digits = 90000;  // 8906 is 8.9.6, 90100 is 9.1.0
        const auto major = version >= first_of_five_digits ? 10000 : 1000;
        return fmt::format("{}.{}.{}", version / major, version % major / 100, version % 100);
    };
    told.arithmetic.push_back(
        fmt::format("JAX was built with cuDNN {}, and {} was loaded", in_words(*built), in_words(*found)));
    told.remedies = {
        {jax_packages, Scope::look},
        without_foreign_cuda,
        {fmt::format("pip install 'nvidia-cudnn-cu12>={}'   (or -cu11, -cu13; undo: pip install the version "
                     "that pip list showed)",
                     in_words(*built)),
         Scope::environment},
        fresh_jax};
}

// "Outdated cuSPARSE installation found.\nVersion JAX was built against: 12200\n... Installed version: 12002"
void read_outdated(std::string_view text, std::size_t at, Explanation& told) {
    read_versions_of_jax(text, at, told);
    const auto message = flattened(text_near(text, at, 60, 300), 360);
    const auto name = between(message, "Outdated ", " installation");
    const auto least = number_after(message, "Minimum supported:");
    const auto here = number_after(message, "Installed version:");
    if (const auto failed = between(text_near(text, at, 60, 1200), "GetVersion(&version) failed: ", "\n")) {
        told.error = "JAX cannot use a CUDA library";
        told.meaning =
            "A CUDA library was found and fails when it is asked for its version: it does not fit the "
            "others that are loaded, or is not whole. JAX goes on with the CPU.";
        told.arithmetic.push_back(fmt::format("it says: {}", *failed));
        told.remedies = {{jax_packages, Scope::look},
                         without_foreign_cuda,
                         fresh_jax,
                         "conda create -n fresh -c conda-forge jax 'jaxlib=*=*cuda*'   (where conda made it)"};
        return;
    }
    if (name && least && here)
        told.arithmetic.push_back(fmt::format("{} {} is loaded, at least {} is needed", *name, *here, *least));
}

// "Memory usage: 46637514752 bytes free, 47587131392 bytes total.", "cudnn handle (302): cudaGetErrorName symbol not
// found."
void read_handle(std::string_view text, std::size_t at, Explanation& told) {
    const auto message = text_near(text, at, 200, 1500);
    const auto free = number_after(message, "Memory usage: ");
    const auto total = number_after(message, "bytes free, ");
    const bool no_runtime = contains_any(message, {"symbol not found", "handle (302)"});
    if (!no_runtime && (!free || !total || *free < *total / 4)) return;
    if (free && total)
        told.arithmetic.push_back(
            fmt::format("{} of {} are free: it is no lack of memory", amount_text(*free), amount_text(*total)));
    told.meaning = no_runtime
                       ? "XLA did not find a function of the CUDA runtime (libcudart): that of another version was "
                         "loaded, or none that it was built for is there."
                       : "XLA or TensorFlow could not make its handle of cuDNN although the GPU was found and has "
                         "memory: another cuDNN or CUDA was loaded than it was built for, or the driver is "
                         "older than these.";
    told.remedies = {{"nvidia-smi | grep 'CUDA Version'; ldconfig -p | grep -E 'cudart|cudnn'; echo "
                      "$LD_LIBRARY_PATH",
                      Scope::look},
                     without_foreign_cuda,
                     fresh_jax,
                     {"update the driver   (undo: install the old one again)", Scope::machine}};
    if (origin_of(text).is_in("Colab") && no_runtime && !contains(text, "/home/"))
        told.remedies = {
            {"nvidia-smi | grep 'CUDA Version'; pip list | grep -i jax   (jaxlib of cuda11 where Colab has "
             "12?)",
             Scope::look},
            "open the notebook anew from its page   (ColabFold: github.com/sokrypton/ColabFold; an old copy "
            "installs a jaxlib for Colab's CUDA of then)",
            {"pip install --upgrade 'jax[cuda12]'   (in a cell, with ! before it; then Runtime, Restart "
             "session; undo: Runtime, Disconnect and delete)",
             Scope::environment}};
    if (no_runtime && contains(lower(message), "memory?"))
        told.arithmetic.emplace_back("the question about memory is the program's own: that is not the cause");
    if (origin_of(text).runs("TensorFlow")) {
        std::erase(told.remedies, Remedy(fresh_jax));
        std::erase(told.remedies, Remedy(without_foreign_cuda));
        told.remedies.emplace_back(own_tensorflow);
    }
}

// A DLL that is missing: up to 2.10 TensorFlow used GPUs on Windows itself, with CUDA and cuDNN of its versions.
void tell_of_windows(std::string_view text, std::string_view library, Explanation& told) {
    auto version = tensorflow_version_in(text);
    if (!version) version = newest_tensorflow_with(library);
    const auto* const build = build_of(version);
    if (!build || *version >= first_without_windows) return;
    told.remedies = {
        fmt::format("conda create -n fresh -c conda-forge python=3.{} cudatoolkit={} cudnn={} && conda run -n fresh "
                    "pip install tensorflow=={}.{} \"numpy<2\"   (this TensorFlow with its libraries)",
                    *version < Version{2, 1} ? 7 : 9, build->cuda, build->cudnn, version->first, version->second),
        {fmt::format("where {}   (or install CUDA {} and cuDNN {}, and put their folders bin on PATH)", library,
                     build->cuda, build->cudnn),
         Scope::look}};
}

void read_library_of_tensorflow(std::string_view text, std::size_t at, Explanation& told) {
    if (origin_of(text).runs("TensorFlow.js")) return tell_of_tensorflow_js(text, told);
    if (origin_of(text).runs("JAX")) {
        told.meaning = "JAX does not find a library of the CUDA that it was built for, and what needs it fails.";
        told.remedies = {without_foreign_cuda, fresh_jax, {jax_packages, Scope::look}};
    } else if (!contains(text, "torch") &&
               contains_any(text, {"dlopen some GPU", "Skipping registering", "dynamic library"})) {
        told.meaning =
            "TensorFlow does not find the CUDA libraries and cuDNN of the versions that it was built for, "
            "and goes on with the CPU. (PyTorch brings its own and does not need them.)";
        told.remedies = {
            own_tensorflow,
            {"ldconfig -p | grep -E 'cudart|cudnn|cusolver'; echo $LD_LIBRARY_PATH", Scope::look},
            "install CUDA and cuDNN of these versions, or use the image tensorflow/tensorflow:VERSION-gpu"};
    }
    if (!contains(text, "torch") && !origin_of(text).runs("JAX")) tell_of_tensorflow(text, told);
    const auto near = text_near(text, at, 0, 300);
    const auto library = between(near, "dynamic library '", "'");
    const auto missing = between(near, "dlerror: ", ":");
    const bool of_windows = library && library->ends_with(".dll");
    if (of_windows) tell_of_windows(text, *library, told);
    if (library && missing && *missing != *library && !of_windows) {
        told.arithmetic.push_back(fmt::format(
            "{} is there; {} is missing, which that copy of it needs: it is of another CUDA than TensorFlow's, as "
            "CUDA 12 has a libcusolver.so.11, too",
            *library, *missing));
        told.remedies = {{fmt::format("ldconfig -p | grep {}; echo $LD_LIBRARY_PATH   (which copy comes first?)",
                                      library->substr(0, library->find('.'))),
                          Scope::look},
                         "take the folders of that CUDA out of LD_LIBRARY_PATH   (so that the one that TensorFlow was "
                         "built for is found)"};
    } else if (library)
        told.arithmetic.push_back(fmt::format(
            "it looks for {}: it was built for that version, and another version in its place will not do", *library));
}

// "Could not load dynamic library 'libcusolver.so.11'; dlerror: ..." before it: then it is not the memory.
void read_failed_library(std::string_view text, std::size_t at, Explanation& told) {
    const auto library = between(text_near(text, at, 3000, 0), "Could not load dynamic library '", "'");
    if (!library || library->size() > 60) return;
    told.certain = true;
    told.meaning = "A library of the CUDA that this JAX was built for is not found, and what needs it fails.";
    told.arithmetic.push_back(fmt::format("it looks for {}: another version in its place will not do", *library));
    told.remedies = {
        fresh_jax,
        {fmt::format("ldconfig -p | grep {}; echo $LD_LIBRARY_PATH", library->substr(0, library->find('.'))),
         Scope::look},
        {jax_packages, Scope::look}};
}

bool lists_no_gpu(std::string_view text, std::size_t at) {
    if (text[at] == '[') return true;
    const auto end = text.find_first_of(")\n:", at);
    const auto rest = flattened(text.substr(std::min(end, text.size())), 12);
    return contains_any(rest, {"[]", ": 0", "''"});
}

bool is_harmless(std::string_view text, std::size_t at) {
    return !contains_any(text_near(text, at, 3000, 3000), {"Skipping registering", "find cuda drivers"});
}

}  // namespace

Functions tensorflow_functions() {
    return {.readings = {{"read_library_of_tensorflow", read_library_of_tensorflow},
                         {"read_no_gpu_of_tensorflow", read_no_gpu_of_tensorflow},
                         {"read_start_of_tensorflow", read_start_of_tensorflow},
                         {"read_gpu_of_tensorflow", read_gpu_of_tensorflow},
                         {"read_outdated", read_outdated},
                         {"read_handle", read_handle},
                         {"read_failed_library", read_failed_library}},
            .conditions = {{"lists_no_gpu", lists_no_gpu}, {"is_harmless", is_harmless}}};
}

}  // namespace tocuda::doctor
