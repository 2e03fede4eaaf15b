// tocuda, Apache-2.0.
#include <fmt/core.h>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"
#include "doctor/message/out_of_memory.hpp"

namespace tocuda::doctor {
namespace {

void read_gpu_memory(std::string_view text, std::size_t at, Explanation& told) {
    explain_memory(memory_told(text, at), told);
}

void read_host_request(std::string_view text, std::size_t at, Explanation& told) {
    const auto bytes = number_after(text.substr(at, 200), "tried to allocate");
    if (!bytes) return;
    told.figures.push_back({"requested", *bytes, "bytes"});
    told.arithmetic.push_back(fmt::format("{} of host memory in one piece; compare `free -h`", amount_text(*bytes)));
}

}  // namespace

std::vector<KnownError> memory_errors() {
    return {
        {.name = "request over 1 EiB",
         .needles = {"CUDA out of memory. Tried to allocate more than 1EB memory"},
         .meaning = "The requested size is absurd: a negative or overflowing dimension.",
         .claims = {"001-10"},
         .remedies = {"print the shape and dtype of the tensor before the failing line"}},
        {.name = "CUDA out of memory",
         .needles = {"CUDA out of memory. Tried to allocate", "CUDA out of memory. Allocation was",
                     "would exceed allowed memory. (out of memory)"},
         .meaning = "The caching allocator could not get a block of this size: neither a cached one nor new memory of "
                    "the GPU.",
         .claims = {"000-07", "001-10", "004-14"},
         .read = read_gpu_memory},
        {.name = "CUDA out of address space",
         .needles = {"[ExpandableSegmentVA] Failed to reserve"},
         .meaning = "Expandable segments ran out of virtual addresses of the process, not of memory of the GPU.",
         .remedies = {"ulimit -v unlimited", "use fewer CUDA streams"}},
        {.name = "CUDA out of memory outside the allocator",
         .needles = {"CUDA error: out of memory", "CUDA driver error: out of memory", "CUDA_ERROR_OUT_OF_MEMORY",
                     "cudaErrorMemoryAllocation", "cuda runtime error (2) : out of memory"},
         .meaning = "CUDA itself is out of memory: a context, a library's workspace, a cuMem mapping, or page-locked "
                    "memory of the host (pin_memory), which has its own limits.",
         .claims = {"001-11", "004-14"},
         .remedies = {"nvidia-smi --query-compute-apps=pid,used_memory --format=csv", "ulimit -l",
                      "free -h   (pinned memory is host memory)"}},
        {.name = "host out of memory",
         .needles = {"DefaultCPUAllocator: can't allocate memory", "DefaultCPUAllocator: not enough memory"},
         .meaning = "The memory of the host is full, not that of the GPU: the tensor was made on the CPU. This is no "
                    "OutOfMemoryError, so code that catches it does not see this.",
         .claims = {"003-05", "004-E3"},
         .remedies = {"free -h", "create the tensor on the GPU: torch.empty(..., device='cuda')", "ulimit -v"},
         .read = read_host_request},
        {.name = "host memory cannot be page-locked",
         .needles = {"cudaErrorHostMemoryAlreadyRegistered",
                     "part or all of the requested memory range is already mapped", "cudaErrorHostMemoryNotRegistered",
                     "pointer does not correspond to a registered memory region", "cudaHostRegister failed",
                     "cudaHostAlloc failed"},
         .meaning = "Memory of the host was registered twice, was never registered, or exceeds what may be locked.",
         .claims = {"001-11"},
         .remedies = {"ulimit -l", "docker run --ulimit memlock=-1 ...   (in a container)",
                      "register each buffer once; do not mix pin_memory() and cudaHostRegister"}},
        {.name = "no pinned memory in this build",
         .needles = {"pin_memory=True requires a CUDA or other accelerator backend", "Cannot pin memory without CUDA",
                     "Need to provide pin_memory allocator to use pin memory"},
         .meaning = "Page-locked memory comes from the CUDA runtime, and this PyTorch has none or sees no GPU.",
         .claims = {"004-06"},
         .remedies = {"python -c 'import torch; print(torch.version.cuda, torch.cuda.is_available())'",
                      "pip install --force-reinstall torch   (a build with CUDA)"}},
        {.name = "shared memory full",
         .needles = {"workers are out of shared memory", "insufficient shared memory (shm)"},
         .meaning = "A worker of the DataLoader died, most often because /dev/shm is too small: 64 MiB in a container.",
         .remedies = {"docker run --shm-size=8g ...", "df -h /dev/shm", "num_workers=0   (to see the worker's error)"},
         .consequence = true},
    };
}

}  // namespace tocuda::doctor
