// tocuda, Apache-2.0.
// What a GPU or its driver refuses: functions that virtual GPUs lack, handles of another context.
#include <fmt/core.h>

#include <utility>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"
#include "doctor/message/origin.hpp"

namespace tocuda::doctor {
namespace {

// "GRID A100-40C", "NVIDIA L40S-24Q": a profile of a virtual GPU, by its memory and a letter. Empty: none.
std::string_view virtual_gpu_in(std::string_view text) {
    for (const std::string_view maker : {"GRID ", "NVIDIA "})
        for (auto at = text.find(maker); at != std::string_view::npos; at = text.find(maker, at + 1)) {
            const auto name = text.substr(at, 40);
            const auto end = name.find_first_of(" |,\"\r\n)", maker.size());
            const auto whole = name.substr(0, end);
            const auto dash = whole.rfind('-');
            if (dash == std::string_view::npos || dash + 2 >= whole.size()) continue;
            const auto size = whole.substr(dash + 1);
            const auto digits = size.find_first_not_of("0123456789");
            if (digits == size.size() - 1 && digits > 0 && contains("ABCQ", size.substr(digits))) return whole;
        }
    return "";
}

void read_virtual_gpu(std::string_view text, std::size_t, Explanation& told) {
    const auto name = virtual_gpu_in(text);
    if (name.empty()) return;
    told.arithmetic.push_back(fmt::format("{} is a virtual GPU (vGPU)", name));
    told.meaning =
        "The GPU is a virtual one, and its hypervisor gives it only a part of CUDA (code 801): unified memory, "
        "transfers between GPUs and profiling are off unless the profile allows them, and a virtual GPU without "
        "licence "
        "makes no context.";
    told.remedies = {
        {"nvidia-smi -q | grep -iE 'virtualization|licen'   (with a licence?)", Scope::look},
        "NCCL_P2P_DISABLE=1 python ...   (several GPUs: without transfers between them)",
        {"enable_uvm=1 for this virtual GPU, on its hypervisor   (KVM: in its vgpu_params; VMware: "
         "pciPassthru0.cfg.enable_uvm = 1; then start the machine anew; undo: 0)",
         Scope::machine},
        {"pass the whole GPU through, or an instance of MIG   (where that does not help)", Scope::machine}};
    if (contains_any(text,
                     {"NCCL", "nccl", "shard", "Shard", "--gpus 2", "torchrun", "tensor-parallel", "tensor_parallel"}))
        std::swap(told.remedies[0], told.remedies[1]);
    if (contains_any(text, {"PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF"}))
        told.remedies.insert(told.remedies.begin(), "unset PYTORCH_CUDA_ALLOC_CONF PYTORCH_ALLOC_CONF");
}

// OpenMM and LibTorch in one process have a context each.
void read_foreign_handle(std::string_view text, std::size_t, Explanation& told) {
    if (!contains_any(text, {"openmm", "OpenMM"})) return;
    told.meaning =
        "A kernel or stream was used in another CUDA context than the one it was made in (code 400 or 201). OpenMM "
        "and PyTorch have one each, and a force that runs PyTorch (OpenMM-Torch, OpenMM-ML, PythonForce) left its own "
        "as the current one. The driver is not the cause.";
    told.remedies = {
        "conda create -n fresh -c conda-forge openmm openmm-torch   (newer ones put the context back)",
        "context.getState(getEnergy=True)   (once before the first step or minimization: makes the other context "
        "first)",
        "x.to(positions.device)   (in the model instead of a device of its own: 'cuda:0')"};
}

bool is_refused_by_gpu(std::string_view text, std::size_t at) {
    return !is_last_error_of_nccl(text, at) &&
           (text[at] != 'o' || (is_said_by_cuda(text, at) && !contains(text_near(text, at, 0, 40), "on this OS")));
}

}  // namespace

Functions refused_functions() {
    return {.readings = {{"read_foreign_handle", read_foreign_handle}, {"read_virtual_gpu", read_virtual_gpu}},
            .conditions = {{"is_said_by_cuda", is_said_by_cuda}, {"is_refused_by_gpu", is_refused_by_gpu}}};
}

}  // namespace tocuda::doctor
