// tocuda, Apache-2.0.
// The keys of a GPU in the profile file that are numbers, and the field each one fills.
#pragma once

#include <array>
#include <string_view>

#include "profile/gpu_profile.hpp"

namespace tocuda::stand_in {

struct GpuField {
    std::string_view key;
    std::int64_t GpuProfile::*field;
};

inline constexpr std::array gpu_fields = {
    GpuField{"memory_bytes", &GpuProfile::memory_bytes},
    GpuField{"context_bytes", &GpuProfile::context_bytes},
    GpuField{"multiprocessors", &GpuProfile::multiprocessors},
    GpuField{"clock_khz", &GpuProfile::clock_khz},
    GpuField{"memory_clock_khz", &GpuProfile::memory_clock_khz},
    GpuField{"memory_bus_bits", &GpuProfile::memory_bus_bits},
    GpuField{"l2_bytes", &GpuProfile::l2_bytes},
    GpuField{"persisting_l2_bytes", &GpuProfile::persisting_l2_bytes},
    GpuField{"access_policy_window_bytes", &GpuProfile::access_policy_window_bytes},
    GpuField{"shared_per_block", &GpuProfile::shared_per_block},
    GpuField{"shared_per_block_optin", &GpuProfile::shared_per_block_optin},
    GpuField{"shared_per_multiprocessor", &GpuProfile::shared_per_multiprocessor},
    GpuField{"shared_reserved_per_block", &GpuProfile::shared_reserved_per_block},
    GpuField{"registers_per_block", &GpuProfile::registers_per_block},
    GpuField{"registers_per_multiprocessor", &GpuProfile::registers_per_multiprocessor},
    GpuField{"threads_per_block", &GpuProfile::threads_per_block},
    GpuField{"threads_per_multiprocessor", &GpuProfile::threads_per_multiprocessor},
    GpuField{"blocks_per_multiprocessor", &GpuProfile::blocks_per_multiprocessor},
    GpuField{"constant_bytes", &GpuProfile::constant_bytes},
    GpuField{"copy_engines", &GpuProfile::copy_engines},
    GpuField{"queue_depth", &GpuProfile::queue_depth},
    GpuField{"ecc", &GpuProfile::ecc},
    GpuField{"double_ratio", &GpuProfile::double_ratio},
    GpuField{"integrated", &GpuProfile::integrated},
    GpuField{"managed_memory", &GpuProfile::managed_memory},
    GpuField{"concurrent_managed_access", &GpuProfile::concurrent_managed_access},
    GpuField{"pageable_memory_access", &GpuProfile::pageable_memory_access},
    GpuField{"host_native_atomics", &GpuProfile::host_native_atomics},
    GpuField{"cooperative_launch", &GpuProfile::cooperative_launch},
    GpuField{"cluster_launch", &GpuProfile::cluster_launch},
    GpuField{"memory_pools", &GpuProfile::memory_pools},
    GpuField{"virtual_memory", &GpuProfile::virtual_memory},
    GpuField{"compute_mode", &GpuProfile::compute_mode},
    GpuField{"host_numa", &GpuProfile::host_numa},
    GpuField{"pci_domain", &GpuProfile::pci_domain},
    GpuField{"pci_bus", &GpuProfile::pci_bus},
    GpuField{"pci_device", &GpuProfile::pci_device},
    GpuField{"pci_id", &GpuProfile::pci_id},
    GpuField{"pci_subsystem_id", &GpuProfile::pci_subsystem_id},
    GpuField{"call_ns", &GpuProfile::call_ns},
    GpuField{"kernel_ns", &GpuProfile::kernel_ns},
    GpuField{"copy_latency_ns", &GpuProfile::copy_latency_ns},
    GpuField{"host_to_device_bytes_per_second", &GpuProfile::host_to_device_bytes_per_second},
    GpuField{"device_to_host_bytes_per_second", &GpuProfile::device_to_host_bytes_per_second},
    GpuField{"pageable_bytes_per_second", &GpuProfile::pageable_bytes_per_second},
    GpuField{"device_to_device_bytes_per_second", &GpuProfile::device_to_device_bytes_per_second},
    GpuField{"peer_bytes_per_second", &GpuProfile::peer_bytes_per_second},
    GpuField{"memset_bytes_per_second", &GpuProfile::memset_bytes_per_second},
    GpuField{"malloc_ns", &GpuProfile::malloc_ns},
    GpuField{"malloc_ns_per_granule", &GpuProfile::malloc_ns_per_granule},
    GpuField{"free_ns", &GpuProfile::free_ns},
    GpuField{"malloc_async_ns", &GpuProfile::malloc_async_ns},
    GpuField{"free_async_ns", &GpuProfile::free_async_ns},
    GpuField{"page_touch_ns_per_page", &GpuProfile::page_touch_ns_per_page},
    GpuField{"page_lock_ns_per_page", &GpuProfile::page_lock_ns_per_page},
    GpuField{"page_unlock_ns_per_page", &GpuProfile::page_unlock_ns_per_page},
    GpuField{"managed_fault_ns", &GpuProfile::managed_fault_ns},
    GpuField{"copy_row_ns", &GpuProfile::copy_row_ns},
    GpuField{"event_resolution_ns", &GpuProfile::event_resolution_ns},
    GpuField{"management_ns", &GpuProfile::management_ns},
    GpuField{"memory_bytes_per_second", &GpuProfile::memory_bytes_per_second},
    GpuField{"pcie_generation", &GpuProfile::pcie_generation},
    GpuField{"pcie_width", &GpuProfile::pcie_width},
    GpuField{"power_limit_w", &GpuProfile::power_limit_w},
};

struct GpuVariation {
    std::string_view key;
    double GpuProfile::*field;
    double least;
    double most;
};

// The keys that say how costs vary.
inline constexpr std::array gpu_variations = {
    GpuVariation{"noise", &GpuProfile::noise, 0, 1},
    GpuVariation{"process_noise", &GpuProfile::process_noise, 0, 1},
    GpuVariation{"drift_per_second", &GpuProfile::drift_per_second, -1, 1},
    GpuVariation{"outlier_probability", &GpuProfile::outlier_probability, 0, 1},
    GpuVariation{"outlier_factor", &GpuProfile::outlier_factor, 0.1, 1000},
    GpuVariation{"slow_process_probability", &GpuProfile::slow_process_probability, 0, 1},
    GpuVariation{"slow_process_factor", &GpuProfile::slow_process_factor, 0.1, 1000},
};

}  // namespace tocuda::stand_in
