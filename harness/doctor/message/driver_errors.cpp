// tocuda, Apache-2.0.
#include <fmt/core.h>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"

namespace tocuda::doctor {
namespace {

// The oldest driver branch for each major version of CUDA.
constexpr int oldest_driver(std::int64_t major) { return major >= 13 ? 580 : major == 12 ? 525 : 450; }

void read_found_version(std::string_view text, std::size_t at, Explanation& told) {
    const auto found = number_after(text.substr(at, 200), "found version");
    if (!found) return;
    told.figures.push_back({"CUDA version of the driver", *found, ""});
    const auto major = *found / 1000;
    told.arithmetic.push_back(fmt::format(
        "{} is CUDA {}: builds for CUDA {}.x and older can use this driver; CUDA {}.x needs driver {} or newer", *found,
        cuda_text(*found), major, major + 1, oldest_driver(major + 1)));
    if (major == 12 || major == 11)
        told.remedies.push_back(fmt::format("uv pip install --torch-backend={} torch   (a build for this driver)",
                                            major == 12 ? "cu126" : "cu118"));
}

}  // namespace

std::vector<KnownError> driver_errors() {
    return {
        {.name = "no NVIDIA driver",
         .needles = {"Found no NVIDIA driver on your system", "libcuda.so.1: cannot open shared object file",
                     "libcuda.so: cannot open shared object file", "failed call to cuInit: UNKNOWN ERROR (303)"},
         .meaning = "libcuda.so.1, which comes with the driver and not with PyTorch, cannot be loaded.",
         .claims = {"000-02", "001-E1"},
         .remedies = {"tocuda doctor   (says whether driver, module or container is missing)",
                      "docker run --gpus all ...   (in a container: never install a driver there)"}},
        {.name = "driver too old",
         .needles = {"The NVIDIA driver on your system is too old",
                     "CUDA driver version is insufficient for CUDA runtime", "cudaErrorInsufficientDriver"},
         .meaning = "The driver supports an older major version of CUDA than the one PyTorch was built for (code 35). "
                    "If no driver is found at all, CUDA reports the same code.",
         .claims = {"001-04", "001-05", "000-02"},
         .remedies = {"nvidia-smi | grep 'CUDA Version'", "tocuda doctor   (names the driver package)"},
         .read = read_found_version},
        {.name = "stub libcuda",
         .needles = {"CUDA driver is a stub library", "cudaErrorStubLibrary", "CUDA_ERROR_STUB_LIBRARY"},
         .meaning = "The libcuda.so.1 that was found is the toolkit's stub for linking, not the driver (code 34).",
         .claims = {"001-15"},
         .remedies = {"echo $LD_LIBRARY_PATH | tr : '\\n' | grep stubs   (remove this folder from it)"}},
        {.name = "no GPU visible",
         .needles = {"No CUDA GPUs are available", "no CUDA-capable device is detected", "CUDA_ERROR_NO_DEVICE",
                     "cudaErrorNoDevice"},
         .meaning = "The driver works and shows no GPU to this process (code 100): CUDA_VISIBLE_DEVICES hides all, MIG "
                    "is on without instances, or the container or job was given none.",
         .claims = {"000-02", "004-11"},
         .remedies = {"echo \"[$CUDA_VISIBLE_DEVICES]\"", "nvidia-smi -L"}},
        {.name = "CUDA initialization failed",
         .needles = {"CUDA driver initialization failed, you might not have a CUDA gpu",
                     "CUDA error: initialization error", "cudaErrorInitializationError", "CUDA_ERROR_NOT_INITIALIZED"},
         .meaning = "cuInit answered 3: this is a child forked after CUDA was initialized, or the driver has failed.",
         .claims = {"000-03", "X-fork"},
         .remedies = {"multiprocessing.set_start_method('spawn')", "nvidia-smi"}},
        {.name = "CUDA unknown error",
         .needles = {"CUDA unknown error - this may be due to", "CUDA error: unknown error", "CUDA_ERROR_UNKNOWN",
                     "cuda runtime error (999)", "Error 999: unknown error"},
         .meaning = "cuInit answered 999: /dev/nvidia-uvm is missing or its module is stuck, typically after suspend.",
         .claims = {"000-03"},
         .remedies = {"sudo rmmod nvidia_uvm && sudo modprobe nvidia_uvm", "ls -l /dev/nvidia-uvm",
                      "nvidia-modprobe -u -c=0"}},
        {.name = "driver and library do not match",
         .needles = {"system has unsupported display driver / cuda driver combination", "cudaErrorSystemDriverMismatch",
                     "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"},
         .meaning =
             "libcuda.so.1 and the loaded kernel module are of different versions (code 803): the driver was "
             "upgraded and the module not reloaded, or a cuda-compat older than the driver is on the library path.",
         .claims = {"001-08"},
         .remedies = {"cat /proc/driver/nvidia/version; ldconfig -p | grep libcuda.so.1",
                      "sudo reboot   (after an upgrade)",
                      "sudo apt remove 'cuda-compat-*'   (if one is older than the driver)"}},
        {.name = "cuda-compat on an unsupported GPU",
         .needles = {"forward compatibility was attempted on non supported HW", "cudaErrorCompatNotSupportedOnDevice",
                     "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE"},
         .meaning = "libcuda.so.1 is that of cuda-compat, which works on data-centre GPUs only (code 804).",
         .claims = {"001-08"},
         .remedies = {"ldconfig -p | grep libcuda.so.1; echo $LD_LIBRARY_PATH   (remove the compat folder)",
                      "sudo apt remove 'cuda-compat-*'   and install a driver that is new enough"}},
        {.name = "system not ready",
         .needles = {"system not yet initialized", "cudaErrorSystemNotReady", "CUDA_ERROR_SYSTEM_NOT_READY"},
         .meaning = "The GPU waits for the NVSwitch fabric or for confidential computing to be set up (code 802): "
                    "nvidia-fabricmanager does not run, or is of another version than the driver.",
         .claims = {"001-08"},
         .remedies = {"nvidia-smi -q | grep -A3 Fabric", "sudo systemctl start nvidia-fabricmanager",
                      "sudo apt install nvidia-fabricmanager-$(modinfo -F version nvidia | cut -d. -f1)"}},
        {.name = "GPU busy or unavailable",
         .needles = {"all CUDA-capable devices are busy or unavailable",
                     "CUDA-capable device(s) is/are busy or unavailable", "cudaErrorDevicesUnavailable",
                     "CUDA_ERROR_DEVICE_UNAVAILABLE"},
         .meaning =
             "No context can be made (code 46): exclusive mode and another process, prohibited mode, or a virtual "
             "GPU without a licence.",
         .claims = {"001-08"},
         .remedies = {"nvidia-smi -q -d COMPUTE | grep 'Compute Mode'", "sudo nvidia-smi -c 0",
                      "nvidia-smi --query-compute-apps=pid,name --format=csv"}},
        {.name = "operating system refuses",
         .needles = {"OS call failed or operation not supported on this OS", "cudaErrorOperatingSystem",
                     "CUDA_ERROR_OPERATING_SYSTEM"},
         .meaning =
             "A call of the driver into the kernel failed (code 304): device nodes without permission, or a limit.",
         .claims = {"001-08"},
         .remedies = {"ls -l /dev/nvidia*; id", "dmesg | tail   (as root)"}},
        {.name = "symbol missing in the driver",
         .needles = {"CUDA error: named symbol not found", "cudaErrorSymbolNotFound"},
         .meaning = "libcuda.so.1 lacks a function that the CUDA runtime needs: an old or foreign libcuda comes first.",
         .claims = {"001-15"},
         .remedies = {"ldconfig -p | grep libcuda.so.1; echo $LD_LIBRARY_PATH"}},
        {.name = "unexpected error of the driver",
         .needles = {"Unexpected error from cudaGetDeviceCount()"},
         .meaning = "cudaGetDeviceCount failed with a code that LibTorch has no text for; it stands at the line's end.",
         .claims = {"000-03"},
         .remedies = {"tocuda doctor"},
         .consequence = true},
    };
}

}  // namespace tocuda::doctor
