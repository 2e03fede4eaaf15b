// tocuda, Apache-2.0.
// What profilers, sanitizers and debuggers say: ncu, nsys, nvprof, CUPTI, compute-sanitizer, cuda-gdb.
#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"

namespace tocuda::doctor {
namespace {

// "Invalid __global__ read of size 4 bytes ... at compress(...)+0xb0 ... by thread (1,0,0) in block (5,0,0) ... and is
// 1 bytes after the nearest allocation at 0x7f of size 324 bytes"
void read_access(std::string_view text, std::size_t at, Explanation& told) {
    const auto message = text_near(text, at, 0, 1500);
    const auto kernel = between(message, "at ", "\n");
    const auto thread = between(message, "by thread ", "\n");
    if (kernel && thread && kernel->size() < 200 && thread->size() < 80)
        told.arithmetic.push_back(fmt::format("the first is in {}, thread {}", *kernel, *thread));
    const auto past = between(message, "and is ", " the nearest allocation");
    const auto size = between(message, "nearest allocation at ", "\n");
    if (past && size && past->size() < 60 && size->size() < 80) {
        const auto bytes = between(*size, "of size ", " bytes");
        told.arithmetic.push_back(
            fmt::format("it is {} an allocation{}", *past, bytes ? fmt::format(" of {} bytes", *bytes) : ""));
    }
    if (contains(message.substr(0, 600), "misaligned"))
        told.arithmetic.emplace_back(
            "the address is not aligned to the type: a cast pointer, or a vector type such as "
            "float4 at an odd offset");
}

std::vector<KnownError> errors_of_profilers() {
    constexpr auto for_all_users = machine(
        "echo options nvidia NVreg_RestrictProfilingToAdminUsers=0 | sudo tee /etc/modprobe.d/profiling.conf   (sudo "
        "update-initramfs -u, then reboot; undo: remove that file)");
    return {
        {.name = "no permission to profile",
         .needles = {"ERR_NVGPUCTRPERM", "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES",
                     "does not have permission to access NVIDIA GPU Performance Counters",
                     "does not have permission to profile on the target device", "Insufficient privilege to use"},
         .meaning = "The driver lets only root read the GPU's performance counters; in a container the capability "
                    "SYS_ADMIN is needed, and rented GPUs often do not give it.",
         .remedies =
             {machine("sudo $(command -v ncu) PROGRAM   (this once as root; sudo -E where it needs the environment)"),
              "docker run --cap-add=SYS_ADMIN --gpus all ...   (in a container)", for_all_users,
              "nsys profile PROGRAM   (times of kernels need no counters)"},
         .hints = {{":\\",
                    machine("NVIDIA Control Panel, Desktop: Enable Developer Settings; then Developer, Manage GPU "
                            "Performance Counters: allow all users   (undo: the same)")},
                   {":\\", "start the profiler as administrator"},
                   {":\\", "nsys profile PROGRAM   (times of kernels need no counters)"}},
         .applies = [](std::string_view text,
                       std::size_t at) { return !contains(line_around(text, at), "If you see"); }},
        {.name = "nvprof does not know this GPU",
         .needles = {"nvprof is not supported on devices with compute capability",
                     "Profiling is not supported on devices with compute capability", "not supported by nvprof",
                     "The NVIDIA Visual Profiler is not supported"},
         .meaning =
             "nvprof and the Visual Profiler end with compute capability 7.x, and CUDA 13 has none; Nsight Systems "
             "and Nsight Compute take their place.",
         .remedies = {"nsys profile --stats=true PROGRAM   (times of kernels and copies, as nvprof printed them)",
                      "ncu PROGRAM   (metrics of single kernels: nvprof --metrics)",
                      look("nsys --version; ncu --version   (they come with the CUDA toolkit)")}},
        {.name = "profiler saw no kernels",
         .needles = {"No kernels were profiled", "terminated before first instrumented API call",
                     "No CUDA application was profiled", "No kernels to profile", "does not contain CUDA trace data",
                     "does not contain CUDA kernel data", "Target application terminated before"},
         .meaning = "The profiled process started no kernel of CUDA, or ended before: a child process did the work, a "
                    "filter left all out, or the program failed first.",
         .remedies = {"ncu --target-processes all PROGRAM   (children too, as of a launcher or a shell)",
                      "run it without the profiler   (does it work, and on the GPU?)",
                      "ncu --kernel-name regex:NAME --launch-skip 0 --launch-count 10 PROGRAM   (the filters)"},
         .rank = Rank::notice},
        {.name = "another tool profiles already",
         .needles = {"Profiling failed because a driver resource was unavailable", "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS",
                     "CUPTI_ERROR_HARDWARE_BUSY", "Only a single CUPTI user is supported",
                     "Another profiling session is active"},
         .meaning = "One tool at a time may use the GPU's counters or CUPTI: DCGM, another profiler or that of a "
                    "framework does.",
         .remedies = {look("ps aux | grep -iE 'dcgm|nsys|ncu'"),
                      "dcgmi profile --pause   (undo: dcgmi profile --resume; where DCGM runs)",
                      "switch the framework's own profiler off   (torch.profiler, TensorBoard's)"}},
        {.name = "profiler older than the driver or GPU",
         .needles = {"Cuda driver is not compatible with Nsight Compute", "is not compatible with Nsight Compute",
                     "Profiling is not supported on this device", "CUPTI_ERROR_NOT_COMPATIBLE",
                     "CUPTI_ERROR_INVALID_DEVICE", "CUPTI_ERROR_LEGACY_PROFILER_NOT_SUPPORTED",
                     "CUPTI_ERROR_VIRTUALIZED_DEVICE"},
         .meaning = "This profiler or CUPTI does not know the driver or the GPU, or the GPU is one that it cannot "
                    "profile (WSL 2 with an old driver, a virtual GPU).",
         .remedies = {look("nvidia-smi; ncu --version; nsys --version"),
                      machine(
                          "install the newest Nsight Compute or Nsight Systems   (beside the toolkit; undo: uninstall "
                          "it)"),
                      machine("update the driver   (undo: install the old one again)")}},
        {.name = "CUPTI is not found",
         .needles = {"CUPTI could not be loaded or symbol could not be found",
                     "Could not load dynamic library 'libcupti", "libcupti.so", "Cannot find CUPTI"},
         .meaning = "The profiler of a framework needs CUPTI of the CUDA that it was built for, and does not find it.",
         .remedies =
             {look("find / -name 'libcupti.so*' 2>/dev/null; pip list | grep cupti"),
              "LD_LIBRARY_PATH=/usr/local/cuda/extras/CUPTI/lib64:$LD_LIBRARY_PATH python ...   (the toolkit's)",
              environment("pip install nvidia-cuda-cupti-cu12   (undo: pip uninstall nvidia-cuda-cupti-cu12)")},
         .applies =
             [](std::string_view text, std::size_t at) {
                 return text.substr(at, 4) != "libc" || contains_any(line_around(text, at), {"annot open", "ot found"});
             },
         .rank = Rank::symptom},
        {.name = "nsys cannot sample the CPU",
         .needles = {"perf_event_paranoid", "CPU IP/backtrace sampling not supported",
                     "CPU context switch tracing not supported", "CPU sampling not supported"},
         .meaning = "The system does not let nsys sample the CPU; what runs on the GPU is recorded all the same.",
         .remedies = {"nsys profile --sample=none --cpuctxsw=none PROGRAM   (without it)",
                      machine("sudo sysctl kernel.perf_event_paranoid=1   (until the next boot; undo: the number that "
                              "sysctl showed)"),
                      look("nsys status --environment")},
         .near = {"nsys", "Nsight", "nsight"},
         .rank = Rank::notice},
        {.name = "unified memory cannot be profiled",
         .needles = {"unified memory profiling failed"},
         .meaning =
             "nvprof could not record unified memory: several processes, a device without it, or missing rights.",
         .remedies = {"nvprof --unified-memory-profiling off PROGRAM"}},
    };
}

// "... in void init<float>(State&)<<<(80,64,1),(16,16,1)>>> ()", "triggered at PC 0x5ff3bb8 (main.cu:14)"
void read_stopped_kernel(std::string_view text, std::size_t at, Explanation& told) {
    const auto message = text_near(text, at, 0, 1200);
    if (const auto what = between(text_near(text, at, 0, 120), ": ", "\n"))
        told.arithmetic.push_back(fmt::format("it says: {}", *what));
    if (const auto place = between(message, "triggered at PC ", ")"); place && place->find(" (") != place->npos)
        told.arithmetic.push_back(fmt::format("it failed in {}", place->substr(place->find(" (") + 2)));
    if (const auto end = message.find("<<<("); end != std::string_view::npos)
        if (const auto begin = message.rfind(" in ", end); begin != std::string_view::npos)
            told.arithmetic.push_back(fmt::format("the kernel is {}", message.substr(begin + 4, end - begin - 4)));
}

std::vector<KnownError> errors_of_debuggers() {
    constexpr auto with_lines =
        "nvcc -lineinfo ...; compute-sanitizer --tool memcheck PROGRAM   (then it names the line)";
    return {
        {.name = "kernel accesses memory that is not its own",
         .needles = {"Invalid __global__ read of size", "Invalid __global__ write of size",
                     "Invalid __global__ atomic of size", "Invalid __shared__ read of size",
                     "Invalid __shared__ write of size", "Invalid __local__ read of size",
                     "Invalid __local__ write of size"},
         .meaning =
             "compute-sanitizer found where a kernel reads or writes out of bounds: this is the fault itself, and "
             "what CUDA reports after it follows from it.",
         .claims = {"001-12"},
         .remedies = {"if (i < n) ...   (in that kernel: compare the index with the size; check grid and block of the "
                      "launch)",
                      with_lines,
                      "compute-sanitizer --show-backtrace yes PROGRAM   (Host Frame: which call launched it)"},
         .read = read_access},
        {.name = "kernel has a race",
         .needles = {"Race reported between", "Potential WAR hazard", "Potential RAW hazard", "Potential WAW hazard"},
         .meaning = "Threads of a block use the same shared memory without a barrier between: the results are then by "
                    "chance.",
         .remedies = {"__syncthreads()   (between the write and the read; __syncwarp() within a warp)",
                      "nvcc -lineinfo ...; compute-sanitizer --tool racecheck PROGRAM   (then it names the lines)"}},
        {.name = "kernel reads what was never written",
         .needles = {"Uninitialized __global__ memory read", "Uninitialized access at"},
         .meaning = "A kernel reads memory of the GPU that nothing has written yet.",
         .remedies = {"cudaMemset, or write all of it first   (also the rows and edges that the kernel pads)",
                      "nvcc -lineinfo ...; compute-sanitizer --tool initcheck PROGRAM   (then it names the line)"}},
        {.name = "barrier that not all threads reach",
         .needles = {"Barrier error detected", "Divergent thread(s) in block", "Divergent threads in warp"},
         .meaning = "Some threads of a block do not come to __syncthreads(), or left the kernel before it.",
         .remedies = {"move __syncthreads() out of the if   (and no return before it)",
                      "nvcc -lineinfo ...; compute-sanitizer --tool synccheck PROGRAM   (then it names the line)"}},
        {.name = "sanitizer cannot attach",
         .needles = {"No attachable process found", "Internal Sanitizer Error",
                     "Unable to launch the target application", "Device not supported. Please refer to"},
         .meaning = "compute-sanitizer found no process that uses CUDA, or does not know this GPU or driver.",
         .remedies = {"compute-sanitizer --target-processes all PROGRAM   (children too)",
                      look("compute-sanitizer --version; nvidia-smi"),
                      "run it without the sanitizer   (does it start at all?)"},
         .in_line = {"=========", "anitizer", "rror"}},
        {.name = "memory of the GPU not freed",
         .needles = {"========= Leaked "},
         .meaning = "The program did not free memory of the GPU before it ended: no fault of what it computed.",
         .remedies = {"cudaFree(p)   (for each cudaMalloc), and cudaDeviceReset() at the end"},
         .rank = Rank::notice},
        {.name = "kernel stopped by an exception",
         .needles = {"CUDA Exception: ", "received signal CUDA_EXCEPTION_"},
         .meaning =
             "cuda-gdb stopped where a kernel failed: the words after it say of what, and the lines after it which "
             "kernel and thread. Out-of-range addresses are those of shared or local memory, as of an index past "
             "an array in the kernel.",
         .remedies = {"nvcc -g -G ...; cuda-gdb --args PROGRAM   (run, then bt, info locals: the line and its values)",
                      "nvcc -lineinfo ...; compute-sanitizer --tool memcheck PROGRAM   (the line, without a debugger)"},
         .read = read_stopped_kernel,
         .rank = Rank::symptom},
        {.name = "cuda-gdb cannot debug this GPU",
         .needles = {"CUDBG_ERROR_ALL_DEVICES_WATCHDOGGED", "All CUDA devices are used for display",
                     "CUDBG_ERROR_NO_DEVICE_AVAILABLE", "CUDBG_ERROR_UNINITIALIZED", "CUDBG_ERROR_INCOMPATIBLE_API",
                     "CUDBG_ERROR_INITIALIZATION_FAILURE", "CUDBG_ERROR_OS_RESOURCES",
                     "Failed to initialize CUDA debugger"},
         .meaning = "The debugger's part for the GPU did not start: the only GPU draws a display, the driver and the "
                    "toolkit do not fit, or the container forbids ptrace.",
         .remedies = {look("nvidia-smi; cuda-gdb --version   (of the driver's age?)"),
                      "docker run --cap-add=SYS_PTRACE --security-opt seccomp=unconfined ...   (in a container)",
                      "CUDA_DEBUGGER_SOFTWARE_PREEMPTION=1 cuda-gdb PROGRAM   (a GPU that draws a display, too)"}},
    };
}

}  // namespace

std::vector<KnownError> tool_errors() {
    auto all = errors_of_profilers();
    auto of_debuggers = errors_of_debuggers();
    std::ranges::move(of_debuggers, std::back_inserter(all));
    return all;
}

}  // namespace tocuda::doctor
