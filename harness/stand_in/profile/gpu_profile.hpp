// tocuda, Apache-2.0.
// One simulated GPU as it describes itself: what the runtime and the management library answer, and what things cost.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

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
    std::int64_t memory_bus_bits = 256;
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
    double noise = 0;  // standard deviation of a cost, as a part of it
};

}  // namespace tocuda::stand_in
