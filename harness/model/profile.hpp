// tocuda, Apache-2.0.
// A GPU to be simulated, as published figures describe it, and the machine that holds some of them.
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
    std::string_view name;  // with its unit, where it has one
    std::int64_t least;
    std::int64_t most;
    bool simulated;  // the simulated runtime acts on it; the others are for people and for percentages of a peak
};

// Everything that a profile may say in whole numbers.
inline constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();
inline constexpr std::int64_t memory_least = std::int64_t{2} << 20;  // what one allocation from the driver takes
inline constexpr std::int64_t memory_most = std::int64_t{1} << 40;
inline constexpr std::array known_figures{
    KnownFigure{"memory_bytes", memory_least, memory_most, true},
    KnownFigure{"context_bytes", 0, memory_most, true},
    KnownFigure{"multiprocessors", 1, 4096, true},
    KnownFigure{"clock_khz", 1, 100'000'000, true},
    KnownFigure{"memory_clock_khz", 1, 1'000'000'000, true},
    KnownFigure{"memory_bus_bits", 1, 1'000'000, true},
    KnownFigure{"l2_bytes", 0, memory_most, true},
    KnownFigure{"persisting_l2_bytes", 0, memory_most, true},
    KnownFigure{"access_policy_window_bytes", 0, memory_most, true},
    KnownFigure{"shared_per_block", 1, 1 << 30, true},
    KnownFigure{"shared_per_block_optin", 1, 1 << 30, true},
    KnownFigure{"shared_per_multiprocessor", 1, 1 << 30, true},
    KnownFigure{"shared_reserved_per_block", 0, 1 << 30, true},
    KnownFigure{"registers_per_block", 1, 1 << 30, true},
    KnownFigure{"registers_per_multiprocessor", 1, 1 << 30, true},
    KnownFigure{"threads_per_block", 32, 1 << 16, true},
    KnownFigure{"threads_per_multiprocessor", 32, 1 << 16, true},
    KnownFigure{"blocks_per_multiprocessor", 1, 1 << 16, true},
    KnownFigure{"constant_bytes", 0, 1 << 30, true},
    KnownFigure{"copy_engines", 0, 64, true},
    KnownFigure{"ecc", 0, 1, true},
    KnownFigure{"double_ratio", 1, 1024, true},
    KnownFigure{"integrated", 0, 1, true},
    KnownFigure{"managed_memory", 0, 1, true},
    KnownFigure{"concurrent_managed_access", 0, 1, true},
    KnownFigure{"pageable_memory_access", 0, 1, true},
    KnownFigure{"host_native_atomics", 0, 1, true},
    KnownFigure{"cooperative_launch", 0, 1, true},
    KnownFigure{"cluster_launch", 0, 1, true},
    KnownFigure{"memory_pools", 0, 1, true},
    KnownFigure{"virtual_memory", 0, 1, true},
    KnownFigure{"compute_mode", 0, 3, true},
    KnownFigure{"host_numa", 0, 1, true},
    KnownFigure{"pci_id", 0, no_limit, true},
    KnownFigure{"pci_subsystem_id", 0, no_limit, true},
    KnownFigure{"call_ns", 0, 1'000'000'000, true},
    KnownFigure{"kernel_ns", 0, 1'000'000'000, true},
    KnownFigure{"copy_latency_ns", 0, 1'000'000'000, true},
    KnownFigure{"host_to_device_bytes_per_second", 1, no_limit, true},
    KnownFigure{"device_to_host_bytes_per_second", 1, no_limit, true},
    KnownFigure{"pageable_bytes_per_second", 1, no_limit, true},
    KnownFigure{"device_to_device_bytes_per_second", 1, no_limit, true},
    KnownFigure{"peer_bytes_per_second", 1, no_limit, true},
    KnownFigure{"memset_bytes_per_second", 1, no_limit, true},
    KnownFigure{"memory_bytes_per_second", 1, no_limit, false},
    KnownFigure{"pcie_generation", 1, 16, false},
    KnownFigure{"pcie_width", 1, 64, false},
    KnownFigure{"power_limit_w", 1, 100'000, false},
};

// Where figures were published.
struct ProfileSource {
    std::string document;
    std::vector<std::string> figures{};

    bool operator==(const ProfileSource&) const = default;
};

// What a simulated machine calls itself; what is not said is the simulated runtime's own.
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
    std::optional<double> noise{};    // standard deviation of a cost, as a part of it
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
