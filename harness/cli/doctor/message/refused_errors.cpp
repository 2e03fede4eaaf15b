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

}  // namespace

std::vector<KnownError> refused_errors() {
    return {
        {.name = "handle of another GPU",
         .needles = {"invalid resource handle", "cudaErrorInvalidResourceHandle", "CUDA_ERROR_INVALID_HANDLE",
                     "invalid device context", "CUDA_ERROR_INVALID_CONTEXT", "CUDA_ERROR_CONTEXT_IS_DESTROYED",
                     "context is destroyed"},
         .meaning =
             "A stream, event or context was used on another GPU than the one that made it, in a forked process, or "
             "after it was destroyed (code 400 or 201): most often the current device is not that of the tensors.",
         .remedies = {"with torch.cuda.device(x.device): ...   (around the call)",
                      "CUDA_VISIBLE_DEVICES=0 python ...   (tells whether it is the choice of the GPU)",
                      "CUDA_LAUNCH_BLOCKING=1 python ..."},
         .hints = {{"pycuda",
                    "import pycuda.autoprimaryctx   (instead of pycuda.autoinit, which makes a context of its own: "
                    "others use the primary one)"},
                   {"pycuda", "torch.zeros(1).cuda()   (first, so that the context is there)"}},
         .read = read_foreign_handle,
         .applies = [](std::string_view text,
                       std::size_t at) { return is_said_by_cuda(text, at) && !contains(line_around(text, at), "UCX"); },
         .certain = false},
        {.name = "not supported by this GPU or driver",
         .needles = {"operation not supported", "cudaErrorNotSupported", "CUDA_ERROR_NOT_SUPPORTED"},
         .meaning = "This GPU, driver or virtualization lacks the function (code 801): a "
                    "virtual GPU or a Jetson has "
                    "no virtual memory management, which expandable segments need; a virtual GPU without licence or "
                    "unified memory makes no context; confidential computing locks no pages.",
         .remedies = {"unset PYTORCH_CUDA_ALLOC_CONF PYTORCH_ALLOC_CONF   (expandable_segments:False)",
                      look("nvidia-smi -q | grep -iE 'virtualization|confidential|licen'"),
                      "CUDA_LAUNCH_BLOCKING=1 python ..."},
         .hints = {{"[tm]",
                    "lmdeploy serve api_server ... --backend pytorch   (TurboMind needs pools of memory, which "
                    "virtual GPUs lack unless their profile allows unified memory)"},
                   {"[tm]", look("nvidia-smi -q | grep -iE 'virtualization|product name|licen'   (a virtual GPU?)")},
                   {"nccl warn",
                    "NCCL_CUMEM_ENABLE=0 python ...   (NCCL without virtual memory and memory pools, "
                    "which some virtual GPUs and containers lack)"},
                   {"nccl warn", look("nvidia-smi -q | grep -iE 'virtualization|confidential'; pip list | grep nccl")},
                   {"nccl warn", "take another NCCL   (one as old as the driver, or the newest)"},
                   {"comfyui",
                    "python main.py --disable-cuda-malloc ...   (virtual and some older GPUs lack "
                    "cudaMallocAsync; in the portable one: in run_nvidia_gpu.bat)"},
                   {"comfyui", look("nvidia-smi   (is it a virtual GPU?)")}},
         .read = read_virtual_gpu,
         .applies =
             [](std::string_view text, std::size_t at) {
                 return !is_last_error_of_nccl(text, at) &&
                        (text[at] != 'o' ||
                         (is_said_by_cuda(text, at) && !contains(text_near(text, at, 0, 40), "on this OS")));
             },
         .certain = false},
    };
}

}  // namespace tocuda::doctor
