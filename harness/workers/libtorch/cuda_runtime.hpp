// tocuda, Apache-2.0.
// Queries the CUDA runtime that LibTorch loaded into this process, and finds where the libraries around it are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tocuda {

std::optional<int> runtime_version();                       // 13000
int built_runtime_version();                                // of the CUDA that LibTorch was built with; 0 if unknown
std::optional<std::string> compute_capability(int device);  // "9.0"

// The runtime's numbers of a device's attributes, so that this builds without its headers.
enum class Attribute {
    shared_bytes_of_a_block = 8,
    registers_of_a_block = 12,
    integrated = 18,
    l2_bytes = 38,
    major = 75,
    minor = 76,
    pageable_memory_access = 88
};
std::optional<int> attribute(Attribute attribute, int device = 0);

std::optional<std::int64_t> total_bytes(int device);  // as the driver reports them; makes no context

struct GpuMemory {
    std::int64_t free_bytes = 0;
    std::int64_t total_bytes = 0;
};
std::optional<GpuMemory> gpu_memory();  // of the current GPU, as the driver counts it; makes its context

struct PoolFigures {
    std::int64_t reserved_bytes = 0;
    std::int64_t used_bytes = 0;
    bool keeps_all = false;  // gives nothing back to the driver by itself
};
std::optional<PoolFigures> driver_pool_figures();  // of GPU 0's default pool

std::vector<std::string> built_architectures();  // "sm_75", ..., and "compute_120" for PTX

// Returns false after LibTorch has launched a kernel on a simulated GPU: the simulator did not execute it, so what
// comes back is not its result.
bool gpu_computes();

// GPU memory that LibTorch does not know of, as another process would hold it. Freed in the destructor.
class ForeignMemory {
public:
    ForeignMemory(int device, std::int64_t bytes);
    ~ForeignMemory();
    ForeignMemory(const ForeignMemory&) = delete;
    ForeignMemory& operator=(const ForeignMemory&) = delete;

    bool held() const { return memory; }

private:
    void* memory = nullptr;
};

// The CUDA libraries mapped in this process, by file name, each with its place: "with LibTorch", "stand-in" (the
// simulator's or a fake driver's), "driver" (the driver's own, which comes with no toolkit) or "elsewhere". No paths,
// because evidence is read on other machines.
std::vector<std::pair<std::string, std::string>> cuda_libraries();
bool is_cuda_library(const std::string& file);  // by its name
// `packages` is the folder that holds LibTorch and its libraries; empty if unknown.
std::string place_of_path(const std::string& path, const std::string& packages);
std::string place_of(const std::string& library);  // by the start of its file name; "" if it is not mapped
bool is_mapped(const std::string& library);        // any library, by the start of its file name
// The CUDA libraries without which the loader refuses `library` ("libtorch_cuda.so"), which must be mapped.
std::vector<std::string> cuda_libraries_needed_by(const std::string& library);

}  // namespace tocuda
