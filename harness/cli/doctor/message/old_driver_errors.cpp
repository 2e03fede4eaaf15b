// tocuda, Apache-2.0.
// A driver that is older than the program that runs on it.
#include <fmt/core.h>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"
#include "doctor/message/origin.hpp"
#include "doctor/message/wheels.hpp"
#include "doctor/python/architectures.hpp"
#include "model/words.hpp"

namespace tocuda::doctor {
namespace {

// "15101 MiB VRAM available" before "CUDA error 35": the GPU was seen through another copy of the driver's library.
void read_driver_of_ollama(std::string_view text, Explanation& told) {
    if (!origin_of(text).runs("Ollama") || !contains(text, "VRAM available")) return;
    told.arithmetic.emplace_back(
        "Ollama saw the GPU's memory, so a driver is there: the runtime took another libcuda.so.1, as a stub");
    told.remedies = {
        {"ldconfig -p | grep libcuda.so.1; nvidia-smi | grep 'CUDA Version'", Scope::look},
        "LD_LIBRARY_PATH=/usr/lib64-nvidia ollama serve   (Colab; elsewhere the folder of the driver's)",
        {"update the driver   (if it is older than the CUDA of Ollama; undo: the old one)", Scope::machine}};
}

// "(found version 12080)", in which a line may end anywhere.
void read_found_version(std::string_view text, std::size_t at, Explanation& told) {
    auto found = number_after(flattened(text.substr(at), 300), "found version");
    if (origin_of(text).is_in("RunPod")) return read_rented_host(text, at, told);
    if (!found) read_driver_of_ollama(text, told);
    if (origin_of(text).wsl && !found) return tell_of_wsl(text, told);
    if (origin_of(text).is_in("Colab"))
        told.remedies = {"LD_LIBRARY_PATH=/usr/lib64-nvidia python ...   (Colab's driver, if it was not found)",
                         {"nvidia-smi | grep 'CUDA Version'   (nothing else can be changed there)", Scope::look}};
    if (origin_of(text).is_in("Kaggle"))
        told.remedies = {
            "pip install torch torchvision torchaudio --index-url https://download.pytorch.org/whl/cu118   (in the "
            "notebook: a build for an older CUDA; its driver cannot be changed)",
            "Settings, Environment: the latest   (Kaggle: an image with a newer driver)",
            {"nvidia-smi | grep 'CUDA Version'", Scope::look}};
    for (const std::string_view label : {"Driver Version: ", "driver version: ", "driver version is "})
        if (const auto name = between(text, label, "."); name && !found && name->size() == 3) {
            found = cuda_of_driver(fmt::format("{}.0", *name));
            told.arithmetic.push_back(fmt::format("the text names driver {}", *name));
        }
    if (!found) return;
    told.figures.push_back({"CUDA version of the driver", *found, ""});
    const auto major = *found / 1000;
    told.arithmetic.push_back(fmt::format("{} is CUDA {}: this driver supports builds for CUDA {}.x{}", *found,
                                          cuda_text(*found), major, major < 11 ? " up to that one" : ""));
    for (const auto next : {11, 12, 13})
        if (next > major)
            told.arithmetic.push_back(
                fmt::format("CUDA {} needs driver {} or newer", next, oldest_driver_for(next * 1000)));
    told.remedies.clear();
    if (major == 12 || major == 11)
        told.remedies.emplace_back(fmt::format("{{torch {}}}   (a build for this driver, in a new environment)",
                                               major == 12 ? "cu126" : "cu118"));
    told.remedies.emplace_back("nvidia-smi | grep 'CUDA Version'", Scope::look);
    if (major < 11) told.remedies.emplace_back("update the driver   (undo: install the old one again)", Scope::machine);
    told.remedies.emplace_back("tocuda doctor   (on that machine: names the driver package)", Scope::look);
}

// "/usr/lib64/libcuda.so.418.74: undefined symbol: cuCtxCreate_v3"
void read_old_libcuda(std::string_view text, std::size_t at, Explanation& told) {
    constexpr std::string_view label = "undefined symbol: ";
    const auto rest = text.substr(at + std::min(label.size(), text.size() - at), 100);
    const auto symbol = rest.substr(0, rest.find_first_of(" ,\r\n'\")"));
    const auto line = line_around(text, at);
    const auto from = line.find("libcuda.so.");
    const auto version = from == std::string_view::npos ? "" : line.substr(from + 11, 20);
    const auto number = version.substr(0, version.find_first_not_of("0123456789."));
    const bool named = contains(number, ".");
    told.arithmetic.push_back(
        fmt::format("libcuda.so of {} has no {}", named ? fmt::format("driver {}", number) : "this driver", symbol));
}

bool is_of_driver_function(std::string_view text, std::size_t at) {
    constexpr std::string_view needle = "undefined symbol: cu";
    const auto next = text.substr(at + needle.size(), 1);
    return !next.empty() && next >= "A" && next <= "Z" && !contains(line_around(text, at), "libcuda.so");
}

}  // namespace

Functions old_driver_functions() {
    return {.readings = {{"read_found_version", read_found_version}, {"read_old_libcuda", read_old_libcuda}},
            .conditions = {{"is_of_driver_function", is_of_driver_function}, {"is_said_by_cuda", is_said_by_cuda}}};
}

}  // namespace tocuda::doctor
