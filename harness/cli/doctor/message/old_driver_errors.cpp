// tocuda, Apache-2.0.
// A driver that is older than the program that runs on it.
#include <fmt/core.h>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"
#include "doctor/message/origin.hpp"
#include "doctor/message/wheels.hpp"
#include "doctor/message/wsl.hpp"
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
    if (tell_of_rented_host(text, told)) return;
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

}  // namespace

std::vector<KnownError> old_driver_errors() {
    return {
        {.name = "driver too old",
         .needles = {"The NVIDIA driver on your system is too old",
                     "CUDA driver version is insufficient for CUDA runtime", "cudaErrorInsufficientDriver",
                     "execution failed with error 35", "init failure: 35", "failure with error: 35", "CUDA failure 35",
                     "CUDA error 35"},
         .meaning = "The driver supports an older major version of CUDA than the program was built for (code 35). If "
                    "no driver is found at all, CUDA reports the same code.",
         .claims = {"001-04", "001-05", "000-02"},
         .remedies = {look("nvidia-smi | grep 'CUDA Version'"),
                      look("tocuda doctor   (on that machine: names the driver package)"),
                      machine("update the driver   (of the host, where this is a container; undo: the old one)")},
         .read = read_found_version},
        {.name = "driver too old",
         .needles = {"API call is not supported in the installed CUDA driver", "cudaErrorCallRequiresNewerDriver"},
         .meaning = "The program called a function of CUDA that came after this driver (code 36): the driver is of the "
                    "same major version, and an older one.",
         .claims = {"001-04"},
         .remedies = {look("nvidia-smi | grep 'CUDA Version'   (the newest CUDA that the driver has)"),
                      machine("update the driver   (of the host, where this is a container; undo: the old one)"),
                      "an older version of the program   (one that was built for the driver's CUDA)"},
         .hints = {{"comfy", machine("update the driver   (undo: the old one)")},
                   {"comfy",
                    "python main.py --disable-cuda-malloc ...   (virtual and some older GPUs lack cudaMallocAsync; in "
                    "the portable one: in run_nvidia_gpu.bat)"}}},
        {.name = "driver too old",
         .needles = {"undefined symbol: cuCtx", "undefined symbol: cuMem", "undefined symbol: cuGet",
                     "undefined symbol: cuDevice", "undefined symbol: cuLibrary", "undefined symbol: cuGraph",
                     "undefined symbol: cuStream", "undefined symbol: cuKernel", "undefined symbol: cuModule",
                     "undefined symbol: cuTensorMap", "undefined symbol: cuFunc", "undefined symbol: cuLaunch"},
         .meaning = "The program asks libcuda.so for a function that this driver does not have yet: the driver is "
                    "older than the CUDA that the program was built for.",
         .claims = {"001-04"},
         .remedies =
             {look("nvidia-smi | grep 'CUDA Version'; ldconfig -p | grep libcuda.so   (a copy of an old driver?)"),
              machine("install a newer driver   (`tocuda doctor` on that machine names the package)"),
              "use an older version of the program, for the CUDA that the driver supports"},
         .read = read_old_libcuda,
         .in_line = {"libcuda.so"}},
        {.name = "driver too old for an extension",
         .needles = {"undefined symbol: cu"},
         .meaning = "An extension asks libcuda.so.1 for a function that this driver does not have: the driver is older "
                    "than the CUDA that the extension was built for.",
         .claims = {"001-04"},
         .remedies = {look("nvidia-smi | grep 'CUDA Version'   (cuGreenCtx... came with 12.4)"),
                      machine("install a newer driver   (`tocuda doctor` on that machine names the package)"),
                      environment("pip install --upgrade PACKAGE   (SGLang's sgl-kernel and others: newer ones work "
                                  "on older drivers, too; undo: the version that was there)")},
         .applies =
             [](std::string_view text, std::size_t at) {
                 constexpr std::string_view needle = "undefined symbol: cu";
                 const auto next = text.substr(at + needle.size(), 1);
                 return !next.empty() && next >= "A" && next <= "Z" && !contains(line_around(text, at), "libcuda.so");
             },
         .certain = false},
        {.name = "symbol missing in the driver",
         .needles = {"named symbol not found", "init failure: 500", "failure with error: 500",
                     "cudaErrorSymbolNotFound", "CUDA_ERROR_NOT_FOUND"},
         .meaning = "libcuda.so.1 lacks a function that is needed (code 500). In a container on Windows (WSL 2), "
                    "Docker Desktop or nvidia-container-toolkit is older than the Windows driver (555 and newer "
                    "need newer ones); elsewhere an old or foreign libcuda comes first.",
         .claims = {"001-15"},
         .remedies = {look("nvidia-smi; docker version; nvidia-ctk --version   (on the host)"),
                      machine("update Docker Desktop, or nvidia-container-toolkit to 1.16 or newer   (then start the "
                              "container again)"),
                      look("ldconfig -p | grep libcuda.so.1; echo $LD_LIBRARY_PATH   (where no container is)")},
         .applies =
             [](std::string_view text, std::size_t at) {
                 return is_said_by_cuda(text, at) && !contains(line_around(text, at), "PTX kernel");
             },
         .certain = false},
    };
}

}  // namespace tocuda::doctor
