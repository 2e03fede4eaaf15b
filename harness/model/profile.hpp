// tocuda, Apache-2.0.
// A simulated GPU, described by published figures, and the machine that holds several of them.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tocuda {

struct KnownFigure {
    std::string_view name;  // including the unit, if it has one
    std::int64_t least;
    std::int64_t most;
};

// All whole numbers that a profile may contain, with their limits.
inline constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();
inline constexpr std::int64_t memory_least = std::int64_t{2} << 20;  // the granularity of the driver's allocations
inline constexpr std::int64_t memory_most = std::int64_t{1} << 40;
inline constexpr std::array known_figures{
    KnownFigure{"memory_bytes", memory_least, memory_most},
    KnownFigure{"context_bytes", 0, memory_most},
    KnownFigure{"multiprocessors", 1, 4096},
    KnownFigure{"clock_khz", 1, 100'000'000},
    KnownFigure{"memory_clock_khz", 1, 1'000'000'000},
    KnownFigure{"memory_bus_bits", 1, 1'000'000},
    KnownFigure{"l2_bytes", 0, memory_most},
    KnownFigure{"persisting_l2_bytes", 0, memory_most},
    KnownFigure{"access_policy_window_bytes", 0, memory_most},
    KnownFigure{"shared_per_block", 1, 1 << 30},
    KnownFigure{"shared_per_block_optin", 1, 1 << 30},
    KnownFigure{"shared_per_multiprocessor", 1, 1 << 30},
    KnownFigure{"shared_reserved_per_block", 0, 1 << 30},
    KnownFigure{"registers_per_block", 1, 1 << 30},
    KnownFigure{"registers_per_multiprocessor", 1, 1 << 30},
    KnownFigure{"threads_per_block", 32, 1 << 16},
    KnownFigure{"threads_per_multiprocessor", 32, 1 << 16},
    KnownFigure{"blocks_per_multiprocessor", 1, 1 << 16},
    KnownFigure{"constant_bytes", 0, 1 << 30},
    KnownFigure{"copy_engines", 0, 64},
    KnownFigure{"ecc", 0, 1},
    KnownFigure{"double_ratio", 1, 1024},
    KnownFigure{"integrated", 0, 1},
    KnownFigure{"managed_memory", 0, 1},
    KnownFigure{"concurrent_managed_access", 0, 1},
    KnownFigure{"pageable_memory_access", 0, 1},
    KnownFigure{"host_native_atomics", 0, 1},
    KnownFigure{"cooperative_launch", 0, 1},
    KnownFigure{"cluster_launch", 0, 1},
    KnownFigure{"memory_pools", 0, 1},
    KnownFigure{"virtual_memory", 0, 1},
    KnownFigure{"compute_mode", 0, 3},
    KnownFigure{"host_numa", 0, 1},
    KnownFigure{"pci_id", 0, no_limit},
    KnownFigure{"pci_subsystem_id", 0, no_limit},
    KnownFigure{"call_ns", 0, 1'000'000'000},
    KnownFigure{"kernel_ns", 0, 1'000'000'000},
    KnownFigure{"copy_latency_ns", 0, 1'000'000'000},
    KnownFigure{"host_to_device_bytes_per_second", 1, no_limit},
    KnownFigure{"device_to_host_bytes_per_second", 1, no_limit},
    KnownFigure{"pageable_bytes_per_second", 1, no_limit},
    KnownFigure{"device_to_device_bytes_per_second", 1, no_limit},
    KnownFigure{"peer_bytes_per_second", 1, no_limit},
    KnownFigure{"memset_bytes_per_second", 1, no_limit},
    KnownFigure{"malloc_ns", 0, 1'000'000'000},
    KnownFigure{"malloc_ns_per_granule", 0, 1'000'000'000},
    KnownFigure{"free_ns", 0, 1'000'000'000},
    KnownFigure{"malloc_async_ns", 0, 1'000'000'000},
    KnownFigure{"free_async_ns", 0, 1'000'000'000},
    KnownFigure{"page_touch_ns_per_page", 0, 1'000'000'000},
    KnownFigure{"page_lock_ns_per_page", 0, 1'000'000'000},
    KnownFigure{"page_unlock_ns_per_page", 0, 1'000'000'000},
    KnownFigure{"managed_fault_ns", 0, 1'000'000'000},
    KnownFigure{"copy_row_ns", 0, 1'000'000'000},
    KnownFigure{"event_resolution_ns", 0, 1'000'000'000},
    KnownFigure{"management_ns", 0, 1'000'000'000},
    KnownFigure{"memory_bytes_per_second", 1, no_limit},
    KnownFigure{"pcie_generation", 1, 16},
    KnownFigure{"pcie_width", 1, 64},
    KnownFigure{"power_limit_w", 1, 100'000},
};

struct KnownVariation {
    std::string_view name;
    double least;
    double most;
};

// How the costs of a simulated GPU vary.
inline constexpr std::array known_variations{
    KnownVariation{"noise", 0, 1},  // standard deviation of a cost, relative to the cost
    KnownVariation{"process_noise", 0, 1},  // the same, common to all costs of a process
    KnownVariation{"drift_per_second", -1, 1},  // relative growth of costs per second
    KnownVariation{"outlier_probability", 0, 1},  // of one cost, and the factor that it is then multiplied by
    KnownVariation{"outlier_factor", 0.1, 1000},
    KnownVariation{"slow_process_probability", 0, 1},  // of a whole process
    KnownVariation{"slow_process_factor", 0.1, 1000},
};

// The fields of a telemetry line "MOMENT FIELD VALUE". A violation counter ends with its cause.
inline constexpr std::array<std::string_view, 22> known_telemetry{
    "sm_clock_mhz", "memory_clock_mhz", "temperature_c", "power_mw", "pcie_generation", "pcie_width", "utilization_percent",
    "ecc_corrected", "ecc_uncorrected", "pcie_replays", "reasons", "processes",
    "violation_ns.power", "violation_ns.thermal", "violation_ns.sync_boost", "violation_ns.board_limit", "violation_ns.low_utilization",
    "violation_ns.reliability", "violation_ns.total_app_clocks", "violation_ns.total_base_clocks", "violation_ns.hw_thermal",
    "violation_ns.hw_power_brake"};

// The document that published some of the figures.
struct ProfileSource {
    std::string document;
    std::vector<std::string> figures{};

    bool operator==(const ProfileSource&) const = default;
};

// What a simulated machine reports about itself. Absent values are the simulator's own.
struct MachineNames {
    std::optional<int> driver{};               // 13000
    std::optional<std::string> driver_name{};  // "580.95.05"
    std::optional<std::string> boot{};
    std::optional<std::string> clock{};  // UTC, "2026-11-21T10:00:00Z"
    std::optional<bool> peer_access{};
    std::optional<std::int64_t> host_memory_bytes{};
    std::map<int, std::string> error_texts{};  // by the runtime's error code
    std::vector<std::string> faults{};         // "FUNCTION CALL ERROR|hang [sticky]"

    bool operator==(const MachineNames&) const = default;
};

struct GpuProfile {
    std::string name;
    std::string compute_capability;
    std::map<std::string, std::int64_t, std::less<>> figures{};
    std::map<int, int> attributes{};  // by their number in cudaDeviceAttr
    std::map<std::string, double, std::less<>> variations{};
    std::vector<std::string> telemetry{};  // "MOMENT FIELD VALUE": what NVML reports from that moment on
    std::vector<ProfileSource> sources{};
    std::vector<std::string> unknown{};
    std::optional<MachineNames> machine{};

    std::optional<std::int64_t> figure(std::string_view key) const {
        const auto found = figures.find(key);
        return found == figures.end() ? std::nullopt : std::optional(found->second);
    }
    bool operator==(const GpuProfile&) const = default;
};

struct Simulation {
    std::vector<GpuProfile> gpus{};
    MachineNames machine{};

    bool operator==(const Simulation&) const = default;
};

}  // namespace tocuda
