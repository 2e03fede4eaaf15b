// tocuda, Apache-2.0.
// Why a PyTorch sees no GPU: what the text says of its build, of the driver and of the machine.
#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"
#include "doctor/message/origin.hpp"
#include "doctor/message/wheels.hpp"
#include "doctor/python/architectures.hpp"
#include "model/words.hpp"

namespace tocuda::doctor {
namespace {

constexpr auto which_torch_build =
    "python -c 'import torch; print(torch.__version__, torch.version.cuda)'   (+cpu or None: for the CPU)";

bool tell_of_rocm_index(std::string_view text, Explanation& told) {
    if (!contains(text, "/whl/rocm")) return false;
    told.arithmetic.emplace_back(
        "pip was given PyTorch's index for ROCm, which is for AMD GPUs: the installer found one of those, or no "
        "other");
    told.remedies = {{"lspci | grep -iE 'vga|3d'   (which GPU is it?)", Scope::look},
                     "{torch}   (for an NVIDIA GPU, in a new environment)"};
    return true;
}

bool tell_of_jetson_build(const Origin& origin, Explanation& told) {
    if (!origin.jetson) return false;
    told.meaning =
        "On a Jetson PyTorch sees the GPU only in a build for its JetPack; the usual wheels of PyPI have no CUDA "
        "there, or one for other GPUs.";
    told.remedies = {{which_torch_build, Scope::look}, "{torch}   (or its image, with docker run --runtime nvidia)"};
    return true;
}

// "2.1.0+cpu"
bool tell_of_cpu_build(std::string_view text, const Origin& origin, Explanation& told) {
    const auto cpu = text.find("+cpu");
    if (cpu == std::string_view::npos || cpu == 0 || text[cpu - 1] < '0' || text[cpu - 1] > '9') return false;
    const auto begin = text.find_last_not_of("0123456789.", cpu - 1) + 1;  // npos + 1 is 0
    told.certain = true;
    told.arithmetic.push_back(
        fmt::format("the text names {}: a build for the CPU", text.substr(begin, cpu + 4 - begin)));
    told.remedies = {"{torch}   (a build with CUDA, in a new environment)"};
    if (!origin.driver_cuda)
        told.remedies.insert(told.remedies.begin(),
                             {"nvidia-smi   (first: is there an NVIDIA GPU at all?)", Scope::look});
    return true;
}

void tell_of_pip_on_windows(Explanation& told) {
    told.arithmetic.emplace_back(
        "on Windows pip installs a build for the CPU unless PyTorch's own index is named: the most frequent cause");
    told.remedies = {{which_torch_build, Scope::look},
                     "{torch}   (a build with CUDA, in a new environment)",
                     {"nvidia-smi   (is there an NVIDIA GPU with a driver?)", Scope::look},
                     {"tocuda doctor   (on that machine, with that Python: says which of them it is)", Scope::look}};
}

// The driver is that of nvidia-smi, whose table begins there.
void tell_of_driver_shown(std::string_view text, std::size_t table, std::string_view driver, int cuda,
                          Explanation& told) {
    const auto built = text.find("+cu1");
    if (const auto number = built == std::string_view::npos ? std::nullopt : number_after(text.substr(built), "+cu");
        number && *number < 200 && cuda / 1000 >= *number / 10) {
        told.arithmetic.push_back(fmt::format(
            "the text names a build for CUDA {}.{}, which the driver {} of nvidia-smi runs: neither is the cause",
            *number / 10, *number % 10, driver));
        told.remedies = {{"python -c 'import torch; torch.zeros(1).cuda()'   (its error names the cause)", Scope::look},
                         {"echo \"[$CUDA_VISIBLE_DEVICES]\"; ls -l /dev/nvidia-uvm", Scope::look},
                         {"tocuda doctor   (on that machine, with that Python: is it the same Python?)", Scope::look}};
        return;
    }
    told.arithmetic.push_back(fmt::format(
        "nvidia-smi in the text shows a GPU with driver {}, which runs builds for CUDA {}.x: what is left is that this "
        "PyTorch is a build for the CPU, or for a newer CUDA",
        driver, cuda / 1000));
    const auto gpu = capability_of_name(text.substr(table));
    const auto build = wheel_for(cuda, gpu ? std::vector{*gpu} : std::vector<int>{}).build;
    told.remedies = {
        {which_torch_build, Scope::look},
        fmt::format("{{torch {}}}   (a build for this driver, in a new environment)", build.empty() ? "cu126" : build)};
}

}  // namespace

void read_build(std::string_view text, std::size_t, Explanation& told) {
    const auto origin = origin_of(text);
    if (tell_of_rocm_index(text, told) || tell_of_jetson_build(origin, told)) return;
    if (const auto index = number_after(text, "download.pytorch.org/whl/cu"); index && !has_index(*index))
        told.arithmetic.push_back(fmt::format(
            "PyTorch has no index cu{}: with --extra-index-url pip then takes PyPI's build, which on Windows is "
            "one for the CPU (any driver for CUDA 11 runs cu118, any for CUDA 12 cu126)",
            *index));
    if (tell_of_cpu_build(text, origin, told)) return;
    const auto table = std::min(text.find("| NVIDIA-SMI "), text.find(":NVIDIA-SMI "));
    const auto driver =
        table == std::string_view::npos ? std::nullopt : between(text.substr(table, 300), "Driver Version: ", " ");
    const auto cuda = driver ? cuda_of_driver(*driver) : std::nullopt;
    if (cuda) tell_of_driver_shown(text, table, *driver, *cuda, told);
    else if (origin.windows) tell_of_pip_on_windows(told);
}

}  // namespace tocuda::doctor
