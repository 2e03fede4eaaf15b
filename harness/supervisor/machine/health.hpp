// tocuda, Apache-2.0.
// What only `tocuda doctor` asks about each GPU: the state in which the driver and NVML report it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include "model/benchmark.hpp"

namespace tocuda {

// NVML's answers about a GPU that cannot be used.
inline constexpr int nvml_gpu_lost = 15;
inline constexpr int nvml_reset_required = 16;
inline constexpr int nvml_version_mismatch = 18;

enum class ComputeMode { shared = 0, exclusive_thread = 1, prohibited = 2, exclusive_process = 3 };

// A GPU as the driver reports it, in CUDA's order.
struct CudaGpu {
    int index = 0;
    std::optional<std::string> pci{};  // "00000000:3b:00.0"
    std::optional<int> compute_mode{};
    std::optional<bool> integrated{};  // shares the host's memory

    bool operator==(const CudaGpu&) const = default;
};

// A GPU as NVML reports it, in NVML's order, visible to CUDA or not.
struct GpuHealth {
    int index = 0;
    std::optional<std::string> pci{};
    std::optional<std::string> uuid{};
    std::optional<std::string> name{};
    std::optional<int> trouble{};  // NVML's answer, where it refuses to report on the GPU at all
    std::optional<int> compute_mode{};
    std::optional<int> recovery_action{};  // 0 none, 1 reset, 2 reboot, 3 drain the peers, 4 drain and reset
    std::optional<int> fabric_state{};     // 0 not supported, 1 not started, 2 in progress, 3 completed
    std::optional<int> fabric_status{};    // of a completed registration; 0 success
    std::optional<std::int64_t> uncorrected_errors{};  // since the driver was loaded
    std::optional<bool> remapping_pending{};
    std::optional<bool> remapping_failed{};
    std::optional<bool> mig{};
    std::optional<bool> mig_pending{};  // what it will be after the next reset
    std::optional<int> mig_instances{};
    std::optional<std::int64_t> clock_reasons{};  // NVML's bits of what holds the clocks down now
    std::optional<bool> persistence{};
    std::optional<std::string> fabric_cluster{};  // of the nodes that share NVLink; absent within one node
    std::optional<double> power_default_w{};
    std::optional<int> busy_percent{};  // of the last moment in which a kernel ran
    std::optional<int> processes{};     // other ones that compute
    std::optional<std::int64_t> memory_bytes{};
    std::optional<std::int64_t> memory_free_bytes{};

    bool operator==(const GpuHealth&) const = default;
};

// A device node that the driver could not use, and why.
struct NodeAnswer {
    int index = 0;
    std::optional<std::string> path{};
    std::optional<int> error{};  // of open(), 0 if it succeeded

    bool operator==(const NodeAnswer&) const = default;
};

inline constexpr std::tuple cuda_gpu_fields{Field{"pci", &CudaGpu::pci}, Field{"compute_mode", &CudaGpu::compute_mode},
                                            Field{"integrated", &CudaGpu::integrated}};
inline constexpr std::tuple gpu_health_fields{Field{"pci", &GpuHealth::pci},
                                              Field{"uuid", &GpuHealth::uuid},
                                              Field{"name", &GpuHealth::name},
                                              Field{"trouble", &GpuHealth::trouble},
                                              Field{"compute_mode", &GpuHealth::compute_mode},
                                              Field{"recovery_action", &GpuHealth::recovery_action},
                                              Field{"fabric_state", &GpuHealth::fabric_state},
                                              Field{"fabric_status", &GpuHealth::fabric_status},
                                              Field{"uncorrected_errors", &GpuHealth::uncorrected_errors},
                                              Field{"remapping_pending", &GpuHealth::remapping_pending},
                                              Field{"remapping_failed", &GpuHealth::remapping_failed},
                                              Field{"mig", &GpuHealth::mig},
                                              Field{"mig_pending", &GpuHealth::mig_pending},
                                              Field{"mig_instances", &GpuHealth::mig_instances},
                                              Field{"clock_reasons", &GpuHealth::clock_reasons},
                                              Field{"persistence", &GpuHealth::persistence},
                                              Field{"fabric_cluster", &GpuHealth::fabric_cluster},
                                              Field{"power_default_w", &GpuHealth::power_default_w},
                                              Field{"busy_percent", &GpuHealth::busy_percent},
                                              Field{"processes", &GpuHealth::processes},
                                              Field{"memory_bytes", &GpuHealth::memory_bytes},
                                              Field{"memory_free_bytes", &GpuHealth::memory_free_bytes}};
inline constexpr std::tuple node_fields{Field{"path", &NodeAnswer::path}, Field{"error", &NodeAnswer::error}};

}  // namespace tocuda
