// tocuda, Apache-2.0.
#include <fmt/core.h>

#include <cctype>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"
#include "doctor/message/origin.hpp"
#include "doctor/message/out_of_memory.hpp"

namespace tocuda::doctor {
namespace {

constexpr auto who = "nvidia-smi --query-compute-apps=pid,used_memory,name --format=csv   (who holds the memory)";

void read_gpu_memory(std::string_view text, std::size_t at, Explanation& told) {
    explain_memory(memory_told(text, at), told);
    tell_of_step(text, at, told);
    const auto origin = origin_of(text);
    if ((!origin.runs("vLLM") && !origin.runs("SGLang")) ||
        !contains_any(text, {"load_model", "load_weights", "make_layers(", "initialize_model", "create_weights"}))
        return;
    told.arithmetic.emplace_back("it failed while the weights were loaded: they do not fit");
    told.remedies = {"use a quantized or smaller model   (AWQ, GPTQ, FP8)",
                     origin.runs("vLLM") ? "vllm serve ... --tensor-parallel-size 2   (more GPUs share the weights)"
                                         : "python -m sglang.launch_server ... --tp 2   (more GPUs share the weights)",
                     origin.runs("vLLM")
                         ? "vllm serve ... --cpu-offload-gb 8   (part of them stays in the host's memory)"
                         : "python -m sglang.launch_server ... --cpu-offload-gb 8"};
    if (!contains(text_near(text, at, 60, 0), "Capture cuda graph failed")) return;
    if (told.remedies.empty()) told.remedies.emplace_back(who, Scope::look);
    told.arithmetic.emplace_back("SGLang had given the rest to weights and cache before it captured CUDA graphs");
    told.remedies.insert(told.remedies.begin(), Remedy("python -m sglang.launch_server --mem-fraction-static 0.8 "
                                                       "--cuda-graph-max-bs 16 ...   (lower than now, each)"));
}

// Where no tensor was asked for yet, and where memory of the host was to be locked.
void read_outside(std::string_view text, std::size_t at, Explanation& told) {
    const bool of_start = contains(text_near(line_around(text, at), 0, 0, 2000), "cudaGetDeviceCount");
    if (of_start || (contains(text, "cudaGetDeviceCount()") && contains(text, "Error 2: out of memory"))) {
        told.error = "CUDA does not start: out of memory";
        told.meaning =
            "CUDA answers 2 (out of memory) at its very start, before anything was asked of the GPU: too many GPUs at "
            "once for WSL 2, a limit of addresses or memory of the process, or a GPU that others fill.";
        told.remedies = {"CUDA_VISIBLE_DEVICES=0 python ...   (tells whether it is the number of GPUs)",
                         {"ulimit -v; free -h   (limits; in WSL: memory= in .wslconfig)", Scope::look},
                         {who, Scope::look}};
    } else if (contains_any(text_near(text, at, 400, 0), {"pin_memory=True", ".pin_memory()"}) ||
               contains_any(text_near(text, at, 1500, 0), {"pin memory thread", "_pin_memory_loop", "pin_memory.py"})) {
        told.error = "no host memory to pin";
        told.meaning =
            "Memory of the host was to be page-locked (pin_memory), and the driver could not: this is not the GPU's "
            "memory. WSL 2 gives half of Windows' memory, and less of it to pin.";
        told.remedies = {
            {"free -h; ulimit -l   (is so much free, and may it be locked?)", Scope::look},
            origin_of(text).runs("Ultralytics") ? "PIN_MEMORY=false yolo train ...   (slower copies, no limit)"
                                                : "pin_memory=False   (on the line that fails or in the DataLoader: "
                                                  "slower copies, no limit)",
            {"memory=48GB   (in .wslconfig in Windows, then wsl --shutdown; undo: the old line)", Scope::others}};
    } else {
        for (const auto* one : {who, "use a smaller batch"})
            told.remedies.emplace_back(one, one == who ? Scope::look : Scope::command);
        const auto known = told.remedies.size();
        tell_of_step(text, at, told);
        if (told.remedies.size() == known) told.remedies.clear();
    }
}

void read_host_request(std::string_view text, std::size_t at, Explanation& told) {
    const auto bytes = number_after(text.substr(at, 200), "tried to allocate");
    if (!bytes) return;
    told.figures.push_back({"requested", *bytes, "bytes"});
    told.arithmetic.push_back(fmt::format("{} of host memory in one piece; compare `free -h`", amount_text(*bytes)));
}

// "could not allocate pinned host memory of size: 34359738368", "failed to alloc 34359738368 bytes on host"
void read_pinned(std::string_view text, std::size_t at, Explanation& told) {
    const auto message = text_near(text, at, 60, 200);
    auto bytes = number_after(message, "of size");
    if (!bytes) bytes = number_after(message, "failed to alloc ");
    if (!bytes) bytes = amount_after(message, "failed to allocate ");
    if (!bytes || *bytes <= 0) return;
    told.figures.push_back({"requested", *bytes, "bytes"});
    told.arithmetic.push_back(fmt::format("{} of host memory were to be locked", amount_text(*bytes)));
}

// A traceback that quotes a program's own line, such as `if "CUDA out of memory" in str(error)`, is no error.
bool is_not_quoted(std::string_view text, std::size_t at) {
    return at == 0 || (text[at - 1] != '"' && text[at - 1] != '\'');
}

// "Triton Error [CUDA]: out of memory", "OutOfMemoryError: out of resource: ... Required: ... Hardware limit" is
// another kind of memory.
bool is_of_the_gpu(std::string_view text, std::size_t at) {
    constexpr std::string_view numbered = "cuda execution failed with error 2";
    if (text.substr(at).starts_with(numbered) && !text_near(text, at + numbered.size(), 0, 1).empty() &&
        std::isdigit(static_cast<unsigned char>(text[at + numbered.size()])) != 0)
        return false;
    const auto around = text_near(text, at, 200, 300);
    return is_not_quoted(text, at) && !contains(around, "out of resource") && !contains(around, "HIP");
}

}  // namespace

std::vector<KnownError> memory_errors() {
    return {
        {.name = "request over 1 EiB",
         .needles = {"CUDA out of memory. Tried to allocate more than 1EB memory"},
         .meaning = "The requested size is absurd: a negative or overflowing dimension.",
         .claims = {"001-10"},
         .remedies = {"print the shape and dtype of the tensor before the failing line"},
         .read = tell_of_step},
        {.name = "CUDA out of memory",
         .needles = {"CUDA out of memory. Tried to allocate", "CUDA out of memory. Allocation was",
                     "CUDA out of memory: Tried to allocate", "would exceed allowed memory. (out of memory)",
                     "OutOfMemoryError: CUDA out of memory", "Allocation on device"},
         .meaning = "The caching allocator could not get a block of this size: neither a cached one nor new memory of "
                    "the GPU.",
         .claims = {"000-07", "001-10", "004-14"},
         .remedies = {look(who), "use a smaller batch or model"},
         .read = read_gpu_memory,
         .applies = is_not_quoted},
        {.name = "CUDA out of memory, reported badly",
         .needles = {"free_upper_bound + pytorch_used_bytes", "INTERNAL ASSERT FAILED at \"C:\\actions-runner",
                     "device_total INTERNAL ASSERT FAILED", "!handles_.at(i) INTERNAL ASSERT FAILED",
                     "NVML_SUCCESS == r INTERNAL ASSERT FAILED"},
         .meaning = "The memory of the GPU is full, and PyTorch failed while it wrote that message, because it could "
                    "not ask NVML who holds it (MIG, Jetson, containers) or the Windows driver had lent more memory "
                    "than the GPU has.",
         .claims = {"001-10"},
         .remedies = {look(who), "use a smaller batch or model"},
         .near = {"c10", "llocator"},
         .certain = false},
        {.name = "NVML does not start, at an out of memory",
         .needles = {"nvmlInit_v2_() INTERNAL ASSERT FAILED", "nvmlInit_v2_()) INTERNAL ASSERT FAILED"},
         .meaning =
             "Two things: the memory of the GPU is full, and PyTorch could not ask NVML who holds it. NVML does not "
             "start after the driver was updated without a reboot, or in a container that has only a part of it.",
         .claims = {"001-10", "001-08"},
         .remedies = {look("nvidia-smi   (\"version mismatch\"? and who holds the memory?)"),
                      "use a smaller batch or model",
                      others("sudo reboot   (if the driver was updated; it ends every program there)")}},
        {.name = "CUDA out of address space",
         .needles = {"[ExpandableSegmentVA] Failed to reserve"},
         .meaning = "Expandable segments ran out of virtual addresses of the process, not of memory of the GPU.",
         .remedies = {"ulimit -v unlimited", "use fewer CUDA streams"}},
        {.name = "CUDA out of memory outside the allocator",
         .needles = {"CUDA error: out of memory", "CUDA driver error: out of memory", "CUDA_ERROR_OUT_OF_MEMORY",
                     "cudaErrorMemoryAllocation", "cuda runtime error (2) : out of memory", "error=2 : out of memory",
                     "CUDA Error: out of memory", "Error 2: out of memory", "CUDA error 2 at",
                     "CUDA error 2:", "Triton Error [CUDA]: out of memory", "CUDA failed with error out of memory",
                     "CUDA failure 2: out of memory", "cudaErrorOutOfMemory", "cuda execution failed with error 2",
                     "CUDA Error out of memory"},
         .meaning = "CUDA itself is out of memory: a context, a library's workspace, a cuMem mapping, or page-locked "
                    "memory of the host (pin_memory), which has its own limits.",
         .claims = {"001-11", "004-14"},
         .remedies = {look(who), look("ulimit -l; free -h   (pinned memory is host memory)"), "use a smaller batch"},
         .hints = {{"comfyui", look(who)},
                   {"comfyui", "python main.py --disable-pinned-memory   (if pinning memory of the host fails)"},
                   {"comfyui", "use a smaller batch"}},
         .read = read_outside,
         .applies = is_of_the_gpu,
         .certain = false},
        {.name = "host out of memory",
         .needles = {"DefaultCPUAllocator: can't allocate memory", "DefaultCPUAllocator: not enough memory"},
         .meaning = "The memory of the host is full, not that of the GPU: the tensor was made on the CPU. This is no "
                    "OutOfMemoryError, so code that catches it does not see this.",
         .claims = {"003-05", "004-E3"},
         .remedies = {look("free -h; ulimit -v"), "torch.empty(..., device='cuda')   (makes the tensor on the GPU)"},
         .read = read_host_request},
        {.name = "no host memory to pin",
         .needles = {"could not allocate pinned host memory", "bytes on host: CUDA_ERROR", "failed to allocate pinned",
                     "Failed to allocate pinned", "cudaHostAlloc failed", "cudaMallocHost failed",
                     "failed to pin memory", "cuMemHostAlloc"},
         .meaning = "Page-locked (pinned) memory of the host could not be had: so much is not free there, or a limit "
                    "forbids to lock it. The memory of the GPU is not meant.",
         .claims = {"001-11"},
         .remedies = {look("free -h; ulimit -l"), "use a smaller host buffer or cache, or no pinned memory",
                      "docker run --ulimit memlock=-1 ...   (in a container; and without a low --memory)"},
         .read = read_pinned},
        {.name = "host memory cannot be page-locked",
         .needles = {"cudaErrorHostMemoryAlreadyRegistered",
                     "part or all of the requested memory range is already mapped", "cudaErrorHostMemoryNotRegistered",
                     "pointer does not correspond to a registered memory region", "cudaHostRegister failed"},
         .meaning = "Memory of the host was registered twice, was never registered, or exceeds what may be locked.",
         .claims = {"001-11"},
         .remedies = {look("ulimit -l"), "docker run --ulimit memlock=-1 ...   (in a container)",
                      "register each buffer once; do not mix pin_memory() and cudaHostRegister"}},
        {.name = "no pinned memory in this build",
         .needles = {"pin_memory=True requires a CUDA or other accelerator backend", "Cannot pin memory without CUDA",
                     "Need to provide pin_memory allocator to use pin memory",
                     "Cannot access accelerator device when none is available",
                     "'pin_memory' argument is set as true but no accelerator is found"},
         .meaning = "Page-locked memory comes from the CUDA runtime, and this PyTorch has none or sees no GPU.",
         .claims = {"004-06"},
         .remedies = {look("python -c 'import torch; print(torch.version.cuda, torch.cuda.is_available())'"),
                      "DataLoader(..., pin_memory=False)   (on a machine without a GPU)",
                      "{torch}   (a build with CUDA, in a new environment)"}},
        {.name = "shared memory full",
         .needles = {"workers are out of shared memory", "insufficient shared memory (shm)", "exitcode: -7) local_rank",
                     "exitcode  : -7 (pid", "Signal 7 (SIGBUS) received", "return code = -7",
                     "died with <Signals.SIGBUS"},
         .meaning = "A process, as a worker of the DataLoader, died, most often because /dev/shm is too small: 64 MiB "
                    "in a container.",
         .remedies = {look("df -h /dev/shm"), "docker run --shm-size=8g ...",
                      "DataLoader(..., num_workers=0)   (shows the worker's own error)"},
         .rank = Rank::symptom},
        {.name = "worker of the DataLoader ended",
         .needles = {"exited unexpectedly", "is killed by signal: Killed", "is killed by signal: Segmentation fault",
                     "is killed by signal: Abort", "is killed by signal: Terminated", "is killed by signal: Unknown"},
         .meaning = "A process that loads data died: the host's memory is full (each worker has its own copy of what "
                    "it touches), /dev/shm is, or the worker crashed.",
         .remedies = {look("free -h; df -h /dev/shm; sudo dmesg | grep -i oom"),
                      "DataLoader(..., num_workers=0, pin_memory=False)   (shows the worker's own error)"},
         .read =
             [](std::string_view text, std::size_t, Explanation& told) {
                 if (!contains(text, "expected 2, got 0")) return;
                 told.meaning =
                     "PyTorch 1.7 fails at the end of an epoch where persistent_workers and pin_memory are both on "
                     "(pytorch#48370); 1.8 and newer do not.";
                 told.certain = true;
                 told.remedies = {"DataLoader(..., persistent_workers=False)   (or pin_memory=False)",
                                  "{torch}   (1.8 or newer, in a new environment)"};
             },
         .in_line = {"DataLoader", "Pin memory thread"},
         .rank = Rank::symptom},
    };
}

}  // namespace tocuda::doctor
