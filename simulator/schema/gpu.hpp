// tocuda, Apache-2.0.
// The schema of a simulated GPU: every field with its default, its limits and what it is. The reader of profiles, the
// compiled form and the simulator have no list of their own. To add a field, add a member here and its row below.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/schema/telemetry.hpp"

namespace tocuda {

// The defaults describe no GPU in particular: a small one on which every kernel of LibTorch can be launched.
struct GpuFigures {
    std::int64_t memory_bytes = std::int64_t{8} << 30;
    std::int64_t context_bytes = 0;
    std::int64_t multiprocessors = 4;
    std::int64_t clock_khz = 1'500'000;
    std::int64_t memory_clock_khz = 2'000'000;
    std::int64_t memory_bus_bits = 0;
    std::int64_t l1_bytes = std::int64_t{128} << 10;
    std::int64_t l2_bytes = std::int64_t{4} << 20;
    std::int64_t persisting_l2_bytes = 0;
    std::int64_t access_policy_window_bytes = 0;
    std::int64_t shared_per_block = 49'152;
    std::int64_t shared_per_block_optin = 232'448;
    std::int64_t shared_per_multiprocessor = 233'472;
    std::int64_t shared_reserved_per_block = 1024;
    std::int64_t registers_per_block = 65'536;
    std::int64_t registers_per_multiprocessor = 65'536;
    std::int64_t threads_per_block = 1024;
    std::int64_t threads_per_multiprocessor = 2048;
    std::int64_t blocks_per_multiprocessor = 32;
    std::int64_t constant_bytes = 65'536;
    std::int64_t copy_engines = 3;
    std::int64_t queue_depth = 1024;
    std::int64_t ecc = 0;
    std::int64_t double_ratio = 2;
    std::int64_t integrated = 0;
    std::int64_t managed_memory = 1;
    std::int64_t concurrent_managed_access = 1;
    std::int64_t pageable_memory_access = 0;
    std::int64_t host_page_tables = 0;
    std::int64_t host_native_atomics = 0;
    std::int64_t cooperative_launch = 1;
    std::int64_t cluster_launch = 1;
    std::int64_t memory_pools = 1;
    std::int64_t virtual_memory = 1;
    std::int64_t compute_mode = 0;
    std::int64_t host_numa = 0;
    std::int64_t pci_id = 0;
    std::int64_t pci_subsystem_id = 0;
    std::int64_t call_ns = 1000;
    std::int64_t kernel_ns = 5000;
    std::int64_t graph_launch_ns = 4000;
    std::int64_t graph_launch_ns_per_node = 10;
    std::int64_t copy_latency_ns = 2000;
    std::int64_t host_to_device_bytes_per_second = 25'000'000'000;
    std::int64_t device_to_host_bytes_per_second = 25'000'000'000;
    std::int64_t pageable_bytes_per_second = 8'000'000'000;
    std::int64_t device_to_device_bytes_per_second = 200'000'000'000;
    std::int64_t peer_bytes_per_second = 20'000'000'000;
    std::int64_t memset_bytes_per_second = 400'000'000'000;
    std::int64_t l1_latency_ns = 20;
    std::int64_t l2_latency_ns = 150;
    std::int64_t memory_latency_ns = 400;
    std::int64_t host_latency_ns = 1200;
    std::int64_t peer_latency_ns = 900;
    std::int64_t malloc_ns = 50'000;
    std::int64_t malloc_ns_per_granule = 500;
    std::int64_t free_ns = 30'000;
    std::int64_t malloc_async_ns = 1000;
    std::int64_t free_async_ns = 800;
    std::int64_t page_touch_ns_per_page = 100;
    std::int64_t page_lock_ns_per_page = 150;
    std::int64_t page_unlock_ns_per_page = 50;
    std::int64_t managed_fault_ns = 10'000;
    std::int64_t copy_row_ns = 10;
    std::int64_t event_resolution_ns = 0;
    std::int64_t management_ns = 20'000;
    std::int64_t memory_bytes_per_second = 0;
    std::int64_t l2_bytes_per_second = 0;
    std::int64_t l1_bytes_per_second = 0;
    std::int64_t shared_bytes_per_second = 0;
    std::int64_t pcie_generation = 0;
    std::int64_t pcie_width = 0;
    std::int64_t power_limit_w = 0;
    std::int64_t nvlinks = 0;

    bool operator==(const GpuFigures&) const = default;
};

struct GpuFigure {
    std::string_view name;
    std::int64_t GpuFigures::* member;
    std::string_view unit;
    std::int64_t least;
    std::int64_t most;
    std::string_view what;
};

inline constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();
inline constexpr std::int64_t memory_least = std::int64_t{2} << 20;  // what one allocation from the driver takes
inline constexpr std::int64_t memory_most = std::int64_t{1} << 40;

// clang-format off
inline constexpr auto gpu_figures = [] {
    using G = GpuFigures;
    constexpr std::int64_t second_ns = 1'000'000'000, gibi = 1 << 30, kibi64 = 1 << 16;
    constexpr std::string_view bytes = "bytes", khz = "kHz", rate = "bytes/s", ns = "ns", count = "", flag = "0 or 1";
    return std::to_array<GpuFigure>({
        {"memory_bytes", &G::memory_bytes, bytes, memory_least, memory_most, "device memory"},
        {"context_bytes", &G::context_bytes, bytes, 0, memory_most, "what a process takes of it once it uses the GPU"},
        {"multiprocessors", &G::multiprocessors, count, 1, 4096, "multiprocessors"},
        {"clock_khz", &G::clock_khz, khz, 1, 100'000'000, "highest clock of the multiprocessors"},
        {"memory_clock_khz", &G::memory_clock_khz, khz, 1, 1'000'000'000, "highest clock of the memory"},
        {"memory_bus_bits", &G::memory_bus_bits, "bits", 1, 1'000'000, "width of the memory bus; left out: computed"},
        {"l1_bytes", &G::l1_bytes, bytes, 0, memory_most, "L1 cache of a multiprocessor"},
        {"l2_bytes", &G::l2_bytes, bytes, 0, memory_most, "L2 cache"},
        {"persisting_l2_bytes", &G::persisting_l2_bytes, bytes, 0, memory_most, "most of L2 that can be set aside"},
        {"access_policy_window_bytes", &G::access_policy_window_bytes, bytes, 0, memory_most, "its largest window"},
        {"shared_per_block", &G::shared_per_block, bytes, 1, gibi, "shared memory of a block"},
        {"shared_per_block_optin", &G::shared_per_block_optin, bytes, 1, gibi, "the same where a kernel opts in"},
        {"shared_per_multiprocessor", &G::shared_per_multiprocessor, bytes, 1, gibi, "that of a multiprocessor"},
        {"shared_reserved_per_block", &G::shared_reserved_per_block, bytes, 0, gibi, "what CUDA keeps of a block's"},
        {"registers_per_block", &G::registers_per_block, count, 1, gibi, "32-bit registers of a block"},
        {"registers_per_multiprocessor", &G::registers_per_multiprocessor, count, 1, gibi, "those of a multiprocessor"},
        {"threads_per_block", &G::threads_per_block, count, 32, kibi64, "most threads of a block"},
        {"threads_per_multiprocessor", &G::threads_per_multiprocessor, count, 32, kibi64, "most resident threads"},
        {"blocks_per_multiprocessor", &G::blocks_per_multiprocessor, count, 1, kibi64, "most resident blocks"},
        {"constant_bytes", &G::constant_bytes, bytes, 0, gibi, "constant memory"},
        {"queue_depth", &G::queue_depth, count, 1, 1 << 20, "operations that a stream holds; then the host waits"},
        {"copy_engines", &G::copy_engines, count, 0, 64, "1: directions take turns; 0: copies and kernels do too"},
        {"ecc", &G::ecc, flag, 0, 1, "error correction is on"},
        {"double_ratio", &G::double_ratio, count, 1, 1024, "single to double precision throughput"},
        {"integrated", &G::integrated, flag, 0, 1, "shares the host's memory"},
        {"managed_memory", &G::managed_memory, flag, 0, 1, "has managed memory"},
        {"concurrent_managed_access", &G::concurrent_managed_access, flag, 0, 1, "host and GPU may touch it at once"},
        {"pageable_memory_access", &G::pageable_memory_access, flag, 0, 1, "reads the host's pageable memory"},
        {"host_page_tables", &G::host_page_tables, flag, 0, 1, "and does so by the host's page tables"},
        {"host_native_atomics", &G::host_native_atomics, flag, 0, 1, "atomics on the host's memory"},
        {"cooperative_launch", &G::cooperative_launch, flag, 0, 1, "cooperative launches"},
        {"cluster_launch", &G::cluster_launch, flag, 0, 1, "clusters of blocks"},
        {"memory_pools", &G::memory_pools, flag, 0, 1, "stream-ordered allocation"},
        {"virtual_memory", &G::virtual_memory, flag, 0, 1, "the driver's functions for virtual memory"},
        {"compute_mode", &G::compute_mode, "cudaComputeMode", 0, 3, "who may use it"},
        {"host_numa", &G::host_numa, "node", 0, 1, "NUMA node of the host that it is attached to"},
        {"pci_id", &G::pci_id, "id", 0, no_limit, "PCI device and vendor, as NVML says them"},
        {"pci_subsystem_id", &G::pci_subsystem_id, "id", 0, no_limit, "PCI subsystem, as NVML says it"},
        {"call_ns", &G::call_ns, ns, 0, second_ns, "what each call costs the host"},
        {"kernel_ns", &G::kernel_ns, ns, 0, second_ns, "what each kernel takes on its stream"},
        {"graph_launch_ns", &G::graph_launch_ns, ns, 0, second_ns, "cudaGraphLaunch, beside the call"},
        {"graph_launch_ns_per_node", &G::graph_launch_ns_per_node, ns, 0, second_ns, "for each node of the graph"},
        {"copy_latency_ns", &G::copy_latency_ns, ns, 0, second_ns, "what each copy takes beside its bytes"},
        {"host_to_device_bytes_per_second", &G::host_to_device_bytes_per_second, rate, 1, no_limit, "pinned memory"},
        {"device_to_host_bytes_per_second", &G::device_to_host_bytes_per_second, rate, 1, no_limit, "the other way"},
        {"pageable_bytes_per_second", &G::pageable_bytes_per_second, rate, 1, no_limit, "copies of pageable memory"},
        {"device_to_device_bytes_per_second", &G::device_to_device_bytes_per_second, rate, 1, no_limit, "within it"},
        {"peer_bytes_per_second", &G::peer_bytes_per_second, rate, 1, no_limit, "copies to another GPU with access"},
        {"memset_bytes_per_second", &G::memset_bytes_per_second, rate, 1, no_limit, "fills"},
        {"l1_latency_ns", &G::l1_latency_ns, ns, 0, second_ns, "a load that waits for the one before, from L1"},
        {"l2_latency_ns", &G::l2_latency_ns, ns, 0, second_ns, "the same from L2"},
        {"memory_latency_ns", &G::memory_latency_ns, ns, 0, second_ns, "from the GPU's memory"},
        {"host_latency_ns", &G::host_latency_ns, ns, 0, second_ns, "from the host's memory"},
        {"peer_latency_ns", &G::peer_latency_ns, ns, 0, second_ns, "from another GPU's memory"},
        {"malloc_ns", &G::malloc_ns, ns, 0, second_ns, "cudaMalloc, beside the call"},
        {"malloc_ns_per_granule", &G::malloc_ns_per_granule, ns, 0, second_ns, "for each 2 MiB that it maps"},
        {"free_ns", &G::free_ns, ns, 0, second_ns, "cudaFree"},
        {"malloc_async_ns", &G::malloc_async_ns, ns, 0, second_ns, "cudaMallocAsync that needs no new memory"},
        {"free_async_ns", &G::free_async_ns, ns, 0, second_ns, "cudaFreeAsync"},
        {"page_touch_ns_per_page", &G::page_touch_ns_per_page, ns, 0, second_ns, "first touch of 4 KiB of host memory"},
        {"page_lock_ns_per_page", &G::page_lock_ns_per_page, ns, 0, second_ns, "locking 4 KiB in place"},
        {"page_unlock_ns_per_page", &G::page_unlock_ns_per_page, ns, 0, second_ns, "giving them back"},
        {"managed_fault_ns", &G::managed_fault_ns, ns, 0, second_ns, "64 KiB of managed memory that lie elsewhere"},
        {"copy_row_ns", &G::copy_row_ns, ns, 0, second_ns, "least for each row that does not follow the last"},
        {"event_resolution_ns", &G::event_resolution_ns, ns, 0, second_ns, "elapsed times are multiples of it"},
        {"management_ns", &G::management_ns, ns, 0, second_ns, "a question to NVML"},
        {"memory_bytes_per_second", &G::memory_bytes_per_second, rate, 1, no_limit, "left out: by clock and bus"},
        {"l2_bytes_per_second", &G::l2_bytes_per_second, rate, 1, no_limit, "of L2; left out: as the memory"},
        {"l1_bytes_per_second", &G::l1_bytes_per_second, rate, 1, no_limit, "of all L1; left out: as the memory"},
        {"shared_bytes_per_second", &G::shared_bytes_per_second, rate, 1, no_limit, "of all shared memory; the same"},
        {"pcie_generation", &G::pcie_generation, count, 1, 16, "of the link at its best; left out: not supported"},
        {"pcie_width", &G::pcie_width, "lanes", 1, 64, "of the link at its best; left out: not supported"},
        {"power_limit_w", &G::power_limit_w, "W", 1, 100'000, "left out: not supported"},
        {"nvlinks", &G::nvlinks, count, 1, 18, "NVML counts what they carry; left out: not supported"},
    });
}();
// clang-format on
static_assert(sizeof(GpuFigures) == gpu_figures.size() * sizeof(std::int64_t), "each member has its row");

// What others, or who administers the machine, do to a GPU. By default nothing.
struct GpuConditions {
    std::int64_t occupied_bytes = 0;
    std::int64_t reclaimable_bytes = 0;
    std::int64_t spill_bytes = 0;
    std::int64_t memory_limit_bytes = 0;
    std::int64_t mig = 0;
    std::int64_t host_alloc_error = 2;

    bool operator==(const GpuConditions&) const = default;
};

struct GpuCondition {
    std::string_view name;
    std::int64_t GpuConditions::* member;
    std::string_view unit;
    std::int64_t least;
    std::int64_t most;
    std::string_view what;
};

// clang-format off
inline constexpr auto gpu_conditions = [] {
    using C = GpuConditions;
    return std::to_array<GpuCondition>({
        {"occupied_bytes", &C::occupied_bytes, "bytes", 0, memory_most, "memory that others use"},
        {"reclaimable_bytes", &C::reclaimable_bytes, "bytes", 0, memory_most, "not free until an allocation needs it"},
        {"spill_bytes", &C::spill_bytes, "bytes", 0, memory_most, "host memory that is taken when it is full"},
        {"memory_limit_bytes", &C::memory_limit_bytes, "bytes", 0, memory_most, "of MPS for a process; 0: none"},
        {"mig", &C::mig, "0 or 1", 0, 1, "it is a MIG instance"},
        {"host_alloc_error", &C::host_alloc_error, "cudaError_t", 1, 2, "of cudaHostAlloc without host memory left"},
    });
}();
// clang-format on
static_assert(sizeof(GpuConditions) == gpu_conditions.size() * sizeof(std::int64_t), "each member has its row");

// How the costs of a simulated GPU vary.
struct GpuVariations {
    double noise = 0;
    double process_noise = 0;
    double drift_per_second = 0;
    double outlier_probability = 0;
    double outlier_factor = 1;
    double slow_process_probability = 0;
    double slow_process_factor = 1;

    bool operator==(const GpuVariations&) const = default;
};

struct GpuVariation {
    std::string_view name;
    double GpuVariations::* member;
    double least;
    double most;
    std::string_view what;
};

inline constexpr auto gpu_variations = std::to_array<GpuVariation>({
    {"noise", &GpuVariations::noise, 0, 1, "standard deviation of a cost, as a part of it"},
    {"process_noise", &GpuVariations::process_noise, 0, 1, "the same of all costs of a process together"},
    {"drift_per_second", &GpuVariations::drift_per_second, -1, 1, "costs grow by this part in each second"},
    {"outlier_probability", &GpuVariations::outlier_probability, 0, 1, "of one cost to be multiplied"},
    {"outlier_factor", &GpuVariations::outlier_factor, 0.1, 1000, "by which"},
    {"slow_process_probability", &GpuVariations::slow_process_probability, 0, 1, "of a whole process to be slow"},
    {"slow_process_factor", &GpuVariations::slow_process_factor, 0.1, 1000, "by which all its costs are multiplied"},
});
static_assert(sizeof(GpuVariations) == gpu_variations.size() * sizeof(double), "each member has its row");

struct SimulatedGpu : GpuFigures, GpuConditions, GpuVariations {
    std::string name = "Simulated GPU";
    std::int64_t compute_major = 9;
    std::int64_t compute_minor = 0;
    std::map<int, int> attributes{};  // by number in cudaDeviceAttr: what no figure says, or says otherwise
    std::vector<TelemetryLine> telemetry{};
    // Where it sits: `place` in machine.hpp gives each GPU of a machine its own.
    std::string uuid{};
    std::int64_t pci_domain = 0;
    std::int64_t pci_bus = 0;
    std::int64_t pci_device = 0;

    bool operator==(const SimulatedGpu&) const = default;
};

}  // namespace tocuda
