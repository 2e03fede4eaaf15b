// tocuda, Apache-2.0.
// What NVML says of a simulated GPU, and from when on. Of the lines whose moment has come, the last counts.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tocuda {

// Conditions, all of which must hold.
struct TelemetryMoment {
    std::uint64_t reading = 0;               // from this reading of the field on, in this process
    std::optional<std::uint64_t> process{};  // in this process only
    double after_seconds = 0;                // of virtual time
    std::optional<double> after_work{};      // seconds since the GPU's first work
    bool while_busy = false;                 // while it works, and 50 ms after

    bool operator==(const TelemetryMoment&) const = default;
};

struct OtherProcess {
    unsigned pid = 0;
    std::uint64_t bytes = 0;

    bool operator==(const OtherProcess&) const = default;
};

struct TelemetryLine {
    TelemetryMoment moment{};
    std::string field{};
    std::uint64_t number = 0;               // of `reasons`: NVML's bits
    std::vector<OtherProcess> processes{};  // of `processes` only

    bool operator==(const TelemetryLine&) const = default;
};

struct TelemetryField {
    std::string_view name;
    enum class Value { number, reasons, processes } value = Value::number;
};

inline constexpr auto telemetry_fields = std::to_array<TelemetryField>({
    {"sm_clock_mhz"},
    {"memory_clock_mhz"},
    {"temperature_c"},
    {"power_mw"},
    {"pcie_generation"},
    {"pcie_width"},
    {"pcie_replays"},
    {"utilization_percent"},
    {"ecc_corrected"},
    {"ecc_uncorrected"},
    {"reasons", TelemetryField::Value::reasons},
    {"processes", TelemetryField::Value::processes},
    {"violation_ns.power"},
    {"violation_ns.thermal"},
    {"violation_ns.sync_boost"},
    {"violation_ns.board_limit"},
    {"violation_ns.low_utilization"},
    {"violation_ns.reliability"},
    {"violation_ns.total_app_clocks"},
    {"violation_ns.total_base_clocks"},
    {"violation_ns.hw_thermal"},
    {"violation_ns.hw_power_brake"},
});

}  // namespace tocuda
