// tocuda, Apache-2.0.
// One simulated GPU as it describes itself: what the runtime and the management library answer, and what things cost.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "profile/telemetry.hpp"

namespace tocuda::stand_in {

// The defaults are those of no GPU in particular: a small one that every kernel of LibTorch can be launched on.
struct GpuProfile {
    std::string name = "tocuda simulated GPU";
    std::string uuid;  // "GPU-" and 32 digits; made from the position where it is not given
    std::int64_t memory_bytes = std::int64_t{8} << 30;
    std::int64_t context_bytes = 0;  // what a context takes from the free memory
    std::int64_t compute_major = 9;
    std::int64_t compute_minor = 0;
    std::int64_t multiprocessors = 4;
    std::int64_t clock_khz = 1500000;
    std::int64_t memory_clock_khz = 2000000;
    std::int64_t memory_bus_bits = -1;  // made from the bandwidth where that is given and this is not
    std::int64_t l2_bytes = std::int64_t{4} << 20;
    std::int64_t persisting_l2_bytes = 0;
    std::int64_t access_policy_window_bytes = 0;
    std::int64_t shared_per_block = 49152;
    std::int64_t shared_per_block_optin = 232448;
    std::int64_t shared_per_multiprocessor = 233472;
    std::int64_t shared_reserved_per_block = 1024;
    std::int64_t registers_per_block = 65536;
    std::int64_t registers_per_multiprocessor = 65536;
    std::int64_t threads_per_block = 1024;
    std::int64_t threads_per_multiprocessor = 2048;
    std::int64_t blocks_per_multiprocessor = 32;
    std::int64_t constant_bytes = 65536;
    std::int64_t copy_engines = 3;
    std::int64_t queue_depth = 1024;  // operations that a stream holds; then the host waits, as it does for a GPU
    std::int64_t ecc = 0;
    std::int64_t double_ratio = 2;
    std::int64_t integrated = 0;
    std::int64_t managed_memory = 1;
    std::int64_t concurrent_managed_access = 1;
    std::int64_t pageable_memory_access = 0;
    std::int64_t host_native_atomics = 0;
    std::int64_t cooperative_launch = 1;
    std::int64_t cluster_launch = 1;
    std::int64_t memory_pools = 1;
    std::int64_t virtual_memory = 1;
    std::int64_t compute_mode = 0;
    std::int64_t host_numa = 0;
    std::int64_t pci_domain = 0;
    std::int64_t pci_bus = -1;  // made from the position where it is not given
    std::int64_t pci_device = 0;
    std::int64_t pci_id = 0;
    std::int64_t pci_subsystem_id = 0;
    std::map<int, int> attributes;  // by their number in cudaDeviceAttr: what the fields above do not say, or say otherwise

    // Costs. A call is what the host pays for it; the others pass on the stream.
    std::int64_t call_ns = 1000;
    std::int64_t kernel_ns = 5000;
    std::int64_t copy_latency_ns = 2000;
    std::int64_t host_to_device_bytes_per_second = 25000000000;
    std::int64_t device_to_host_bytes_per_second = 25000000000;
    std::int64_t pageable_bytes_per_second = 8000000000;
    std::int64_t device_to_device_bytes_per_second = 200000000000;
    std::int64_t peer_bytes_per_second = 20000000000;
    std::int64_t memset_bytes_per_second = 400000000000;
    // What 2 MiB are mapped for, beside the call itself; and stream-ordered calls that need no new memory.
    std::int64_t malloc_ns = 50000;
    std::int64_t malloc_ns_per_granule = 500;
    std::int64_t free_ns = 30000;
    std::int64_t malloc_async_ns = 1000;
    std::int64_t free_async_ns = 800;
    // For each 4 KiB of host memory: when it is first touched, when it is locked in place for the GPU, when that ends.
    std::int64_t page_touch_ns_per_page = 100;
    std::int64_t page_lock_ns_per_page = 150;
    std::int64_t page_unlock_ns_per_page = 50;
    std::int64_t managed_fault_ns = 10000;  // for each 64 KiB of managed memory that is not where it is touched
    std::int64_t copy_row_ns = 10;          // a copy of rows that do not follow each other takes no less than this for each
    std::int64_t event_resolution_ns = 0;   // elapsed times are multiples of it
    std::int64_t management_ns = 20000;     // a question to NVML
    std::int64_t memory_bytes_per_second = 0;  // 0: by memory clock and width
    std::int64_t pcie_generation = 0;          // of the link at its best; 0: not known
    std::int64_t pcie_width = 0;
    std::int64_t power_limit_w = 0;  // 0: not known

    // How costs vary. Deviations are standard deviations, as a part of the cost.
    double noise = 0;
    double process_noise = 0;     // of all costs of a process together
    double drift_per_second = 0;  // costs grow by this part in each second of virtual time
    double outlier_probability = 0;
    double outlier_factor = 1;
    double slow_process_probability = 0;
    double slow_process_factor = 1;

    std::vector<TelemetryLine> telemetry;
};

}  // namespace tocuda::stand_in
