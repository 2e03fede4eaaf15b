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
