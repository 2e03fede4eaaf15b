// tocuda, Apache-2.0.
// What NVML and nvidia-smi refuse, and the services that start the driver.
#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"
#include "doctor/message/origin.hpp"

namespace tocuda::doctor {
namespace {

void read_unsupported(std::string_view text, std::size_t, Explanation& told) {
    const auto origin = origin_of(text);
    if (origin.jetson) {
        told.meaning =
            "On a Jetson NVML has few figures, as its GPU shares the CPU's memory and clocks. CUDA works all the same; "
            "the program should go on without them.";
        told.remedies = {"sudo tegrastats   (a Jetson's own figures)",
                         "update the program   (newer ones go on without NVML)"};
    } else if (contains_any(text, {"GB10", "DGX Spark", "dgx-spark", "Thor", "GH200", "GB200"})) {
        told.certain = true;
        told.meaning =
            "This GPU shares the CPU's memory, so NVML has no size of a memory of its own; CUDA works all the same.";
        told.remedies = {"update the program   (newer ones ask CUDA or the system for the memory)",
                         {"free -h   (the memory that both share)", Scope::look}};
    }
}

bool is_of_persistence(std::string_view text, std::size_t at) {
    return contains_any(line_around(text, at), {"ailed", "ailure", "exit code", "FAILURE", "Failed", "Unable"});
}

}  // namespace

std::vector<KnownError> nvml_errors() {
    return {
        {.name = "figure that NVML does not have",
         .needles = {"NVMLError_NotSupported", "NVMLError: Not Supported", "NVML_ERROR_NOT_SUPPORTED",
                     "NVMLError_NotFound", "NVMLError: Not Found", "NVML_ERROR_NOT_FOUND",
                     "nvmlDeviceGetMemoryInfo failed", "Failed to get memory info: Not Supported"},
         .meaning = "NVML works and does not have this figure or setting for this GPU: laptops, virtual GPUs, MIG, WSL "
                    "and GPUs that share the CPU's memory lack some.",
         .remedies = {look("nvidia-smi -q   (N/A: the same figure)"),
                      "update the program   (newer ones go on without it)"},
         .hints = {{"custom_all_reduce",
                    "vllm serve ... --disable-custom-all-reduce   (does not ask for links between GPUs; SGLang: the "
                    "same option)"},
                   {"custom_all_reduce", look("nvidia-smi topo -m; nvidia-smi nvlink -s   (does it fail, too?)")}},
         .read = read_unsupported,
         .rank = Rank::symptom},
        {.name = "GPU that NVML does not know",
         .needles = {"NVMLError_InvalidArgument", "NVMLError: Invalid Argument", "NVML_ERROR_INVALID_ARGUMENT"},
         .meaning = "NVML was asked for a GPU that it does not have: an index past the last one, or a name (UUID, MIG) "
                    "where a number was meant, as from CUDA_VISIBLE_DEVICES.",
         .remedies = {look("nvidia-smi -L; echo \"[$CUDA_VISIBLE_DEVICES]\""),
                      "CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=0 python ...   (a number that nvidia-smi -L "
                      "lists, and the same order)"},
         .hints = {{"custom_all_reduce",
                    "vllm serve ... --disable-custom-all-reduce   (does not ask for links between GPUs; SGLang: the "
                    "same option)"},
                   {"custom_all_reduce",
                    "CUDA_DEVICE_ORDER=PCI_BUS_ID python ...   (the same indices in CUDA and NVML)"},
                   {"custom_all_reduce", look("nvidia-smi -L; echo \"[$CUDA_VISIBLE_DEVICES]\"   (MIG? UUIDs?)")}},
         .rank = Rank::symptom},
        {.name = "driver not loaded at the start",
         .needles = {"Failed to query NVIDIA devices", "NVIDIA Persistence Daemon", "nvidia-persistenced",
                     "/sbin/modprobe nvidia", "bin/nvidia-modprobe'", "Failed to insert module 'nvidia"},
         .meaning = "The kernel module nvidia could not be loaded, or drives no GPU; this service only follows from "
                    "that. Once the module works it starts by itself.",
         .claims = {"000-02"},
         .remedies = {look("sudo dmesg | grep -iE 'nvrm|nvidia' | tail; lsmod | grep -E 'nvidia|nouveau'   (says why)"),
                      look("uname -r; dkms status; mokutil --sb-state; lspci -nnk -d 10de:"),
                      machine("sudo modprobe nvidia   (its message says more)"), look("nvidia-smi")},
         .applies = is_of_persistence,
         .rank = Rank::symptom},
        {.name = "GPU in use cannot be reset",
         .needles = {"could not be reset", "GPU Reset couldn't run", "In use by another client",
                     "is currently in use by one or more", "currently being used by one or more"},
         .meaning = "nvidia-smi resets only a GPU that nothing uses: no program, no display, no service, and with "
                    "NVLink none of its peers.",
         .remedies = {look("fuser -v /dev/nvidia*   (who has it; as root also programs of others)"),
                      others("sudo systemctl stop nvidia-persistenced nvidia-dcgm   (services that hold it; undo: "
                             "start)"),
                      others("sudo reboot   (if a display uses it; ends every program of the machine)")},
         .near = {"GPU", "nvidia"}},
    };
}

}  // namespace tocuda::doctor
