// tocuda, Apache-2.0.
#include <fmt/core.h>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"

namespace tocuda::doctor {
namespace {

// "... with CUDA capability sm_86 is not compatible ... supports CUDA capabilities sm_37 sm_50 sm_60 sm_70."
void read_capabilities(std::string_view text, std::size_t at, Explanation& told) {
    constexpr std::size_t near = 1000;
    const auto from = at < near ? 0 : at - near;
    const auto around = flattened(text.substr(from, 2 * near), 2 * near);
    const auto gpu = between(around, "with CUDA capability sm_", " is not compatible");
    const auto built = between(around, "supports CUDA capabilities ", ".");
    if (gpu && built)
        told.arithmetic.push_back(
            fmt::format("the GPU is sm_{}; the build holds {}: none of its major version", *gpu, *built));
}

void read_assertion(std::string_view text, std::size_t at, Explanation& told) {
    constexpr std::size_t near = 300;
    const auto from = at < near ? 0 : at - near;
    const auto assertion = between(text.substr(from, 2 * near), "Assertion `", "` failed");
    if (!assertion) return;
    told.arithmetic.push_back(fmt::format("the kernel asserted {}", *assertion));
    if (assertion->find("ndex") != std::string_view::npos || assertion->find("sizes[i]") != std::string_view::npos)
        told.arithmetic.emplace_back("an index is outside the tensor: compare its minimum and maximum with the size");
    if (assertion->find("n_classes") != std::string_view::npos)
        told.arithmetic.emplace_back("a label is not below the number of classes, or negative");
}

// The program's own assert() closes its expression with an apostrophe, and knows no threads.
bool is_of_device(std::string_view text, std::size_t at) {
    constexpr std::size_t near = 300;
    if (!text.substr(at).starts_with("` failed")) return true;
    const auto from = at < near ? 0 : at - near;
    return text.substr(from, at - from).find("thread: [") != std::string_view::npos;
}

}  // namespace

std::vector<KnownError> kernel_errors() {
    return {
        {.name = "no kernel for this GPU",
         .needles = {"is not compatible with the current PyTorch installation",
                     "no kernel image is available for execution", "cudaErrorNoKernelImageForDevice",
                     "CUDA_ERROR_NO_BINARY_FOR_GPU", "does not include kernels for this GPU",
                     "PyTorch no longer supports this GPU because it is too old"},
         .meaning = "The build has no code for this GPU's compute capability (code 209). is_available() is true and a "
                    "tensor moves; the first kernel fails.",
         .claims = {"000-03", "004-04", "004-10"},
         .remedies = {"python -c 'import torch; print(torch.cuda.get_device_capability(), torch.cuda.get_arch_list())'",
                      "uv pip install --torch-backend=cu126 torch   (Maxwell to Hopper)",
                      "uv pip install --upgrade --torch-backend=cu130 torch   (Turing to Blackwell)"},
         .read = read_capabilities},
        {.name = "PTX cannot be compiled",
         .needles = {"the provided PTX was compiled with an unsupported toolchain", "cudaErrorUnsupportedPtxVersion",
                     "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "a PTX JIT compilation failed", "cudaErrorInvalidPtx",
                     "PTX JIT compiler library not found"},
         .meaning = "The code for this GPU is PTX of a CUDA newer than the driver (code 222), or it is invalid.",
         .claims = {"004-04"},
         .remedies =
             {"nvidia-smi | grep 'CUDA Version'   (update the driver to at least the build's CUDA)",
              "TORCH_CUDA_ARCH_LIST=9.0 pip install --no-build-isolation ...   (rebuild an extension as SASS)"}},
        {.name = "device-side assert",
         .needles = {"device-side assert triggered", "` failed.", "CUDA_ERROR_ASSERT", "cudaErrorAssert'"},
         .meaning =
             "A kernel found wrong data, nearly always an index or a label out of range. It is reported later, at "
             "another call, and every CUDA call of this process fails from then on.",
         .claims = {"001-12"},
         .remedies = {"CUDA_LAUNCH_BLOCKING=1 python ...   (then the traceback shows the line)",
                      "run the same line on the CPU: its message names the index", "start the process again"},
         .read = read_assertion,
         .applies = is_of_device},
        {.name = "illegal memory access",
         .needles = {"an illegal memory access was encountered", "cudaErrorIllegalAddress",
                     "CUDA_ERROR_ILLEGAL_ADDRESS", "cuda runtime error (77)"},
         .meaning =
             "A kernel accessed memory that is not its own (code 700): a bug in a kernel or an extension, an index "
             "too large, a pointer of another device. The traceback may show an innocent call.",
         .claims = {"001-12"},
         .remedies = {"CUDA_LAUNCH_BLOCKING=1 python ...", "compute-sanitizer --tool memcheck python ...",
                      "start the process again"}},
        {.name = "misaligned address",
         .needles = {"CUDA error: misaligned address", "cudaErrorMisalignedAddress", "CUDA_ERROR_MISALIGNED_ADDRESS"},
         .meaning =
             "A kernel accessed memory that is not aligned to its type (code 716), as views with an odd offset are.",
         .claims = {"001-12"},
         .remedies = {"x = x.clone()   (a view at an odd offset)", "compute-sanitizer --tool memcheck python ..."}},
        {.name = "illegal instruction",
         .needles = {"an illegal instruction was encountered", "cudaErrorIllegalInstruction",
                     "CUDA_ERROR_ILLEGAL_INSTRUCTION"},
         .meaning = "The GPU executed an invalid instruction (code 715): corrupted memory of the GPU, or a miscompiled "
                    "kernel.",
         .claims = {"001-12"},
         .remedies = {"nvidia-smi -q -d ECC", "dmesg | grep -i xid   (as root)"}},
        {.name = "kernel failed",
         .needles = {"unspecified launch failure", "cudaErrorLaunchFailure", "CUDA_ERROR_LAUNCH_FAILED",
                     "hardware stack error", "invalid program counter"},
         .meaning = "A kernel failed in a way that CUDA does not name (code 719): an access out of bounds, or unstable "
                    "hardware or memory. Everything later fails too.",
         .claims = {"001-12"},
         .remedies = {"CUDA_LAUNCH_BLOCKING=1 python ...", "compute-sanitizer python ...",
                      "dmesg | grep -i xid   (as root)"}},
        {.name = "kernel ran too long",
         .needles = {"the launch timed out and was terminated", "cudaErrorLaunchTimeout", "CUDA_ERROR_LAUNCH_TIMEOUT"},
         .meaning = "The GPU also draws a display, whose watchdog ended the kernel (code 702).",
         .claims = {"001-12"},
         .remedies = {"use a GPU without a display, or smaller steps", "nvidia-smi -q | grep 'Display Active'"}},
        {.name = "kernel needs too much",
         .needles = {"too many resources requested for launch", "cudaErrorLaunchOutOfResources",
                     "CUDA error: invalid configuration argument", "out of resource: shared memory"},
         .meaning = "The launch exceeds a limit of this GPU: threads, registers, shared memory or the grid, often of a "
                    "kernel that was tuned for another one, or of an empty tensor.",
         .remedies = {"use a smaller block or tile; for Triton: num_stages=1, or a smaller BLOCK"}},
        {.name = "uncorrectable ECC error",
         .needles = {"uncorrectable ECC error encountered", "cudaErrorECCUncorrectable",
                     "CUDA_ERROR_ECC_UNCORRECTABLE"},
         .meaning =
             "Memory of the GPU is damaged (code 214). Programs on it fail until it is reset; it may be replaced.",
         .claims = {"001-08"},
         .remedies = {"nvidia-smi -q -d ECC,ROW_REMAPPER,PAGE_RETIREMENT",
                      "sudo nvidia-smi --gpu-reset -i 0   (no program may use it)",
                      "CUDA_VISIBLE_DEVICES=1 python ...   (another GPU meanwhile)"}},
        {.name = "NVLink error",
         .needles = {"uncorrectable NVLink error detected", "cudaErrorNvlinkUncorrectable",
                     "Invalid access of peer GPU memory over nvlink", "CUDA_ERROR_NVLINK_UNCORRECTABLE"},
         .meaning = "A link between GPUs failed, or the peer at its other end did (code 220 or 721).",
         .claims = {"001-08"},
         .remedies = {"nvidia-smi nvlink -e", "nvidia-smi -q | grep -A3 Fabric", "dmesg | grep -i xid   (as root)"}},
        {.name = "not supported by this GPU or driver",
         .needles = {"CUDA error: operation not supported", "cudaErrorNotSupported", "CUDA_ERROR_NOT_SUPPORTED"},
         .meaning = "This GPU, driver or virtualization lacks the function (code 801), such as page-locking under "
                    "confidential computing or peer access of a virtual GPU.",
         .remedies = {"nvidia-smi -q | grep -iE 'virtualization|confidential'", "CUDA_LAUNCH_BLOCKING=1 python ..."}},
        {.name = "invalid argument to CUDA",
         .needles = {"CUDA error: invalid argument", "cudaErrorInvalidValue"},
         .meaning = "A CUDA function was given an invalid value (code 1), most often by an extension built for another "
                    "version, or by expandable segments where memory is shared between processes.",
         .remedies = {"CUDA_LAUNCH_BLOCKING=1 python ...", "unset PYTORCH_CUDA_ALLOC_CONF PYTORCH_ALLOC_CONF"}},
    };
}

}  // namespace tocuda::doctor
