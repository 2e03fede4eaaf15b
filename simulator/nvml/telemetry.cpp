// tocuda, Apache-2.0.
// The simulated NVML's figures that change: clocks, temperature, power, throttling, the link, errors.
#include <sys/time.h>

#include <array>
#include <string>

#include "nvml/readings.hpp"
#include "simulator/schema/nvml_fields.hpp"

namespace tocuda::simulator::nvml {
namespace {

enum Clock : unsigned { graphics = 0, sm = 1, memory = 2, video = 3 };
// By the number of the policy; of the last two the numbers are 10 and 11.
constexpr std::array policy_fields{"violation_ns.power",
                                   "violation_ns.thermal",
                                   "violation_ns.sync_boost",
                                   "violation_ns.board_limit",
                                   "violation_ns.low_utilization",
                                   "violation_ns.reliability",
                                   "violation_ns.total_app_clocks",
                                   "violation_ns.total_base_clocks"};

struct ViolationTime {
    unsigned long long reference_us, violation_ns;
};

struct FieldValue {
    unsigned field, scope;
    long long timestamp_us, latency_us;
    int type, result;
    unsigned long long value;
};
constexpr int unsigned_long_long = 3;

struct Temperature {
    unsigned version;
    int sensor, degrees;
};

struct Utilization {
    unsigned gpu, memory;
};

unsigned long long clock_us() {
    timeval now{};
    ::gettimeofday(&now, nullptr);
    return static_cast<unsigned long long>(now.tv_sec) * 1'000'000 + static_cast<unsigned long long>(now.tv_usec);
}

template <typename Number>
int write_number(void* handle, Number* target, const char* field, std::optional<std::int64_t> otherwise,
                 const char* asked_as = nullptr) {
    return about(handle, target, [&](const SimulatedGpu& of) {
        const auto value = number(of, field, otherwise, asked_as ? asked_as : field);
        if (value) *target = static_cast<Number>(*value);
        return value ? success : not_supported;
    });
}

std::optional<std::int64_t> known(const SimulatedGpu* of, std::int64_t SimulatedGpu::* field) {
    return of && of->*field > 0 ? std::optional(of->*field) : std::nullopt;
}

template <typename Number>
int write_fixed(void* handle, Number* target, std::int64_t SimulatedGpu::* field, std::int64_t factor = 1) {
    return about(handle, target, [&](const SimulatedGpu& of) {
        const auto value = known(&of, field);
        if (value) *target = static_cast<Number>(*value * factor);
        return value ? success : not_supported;
    });
}

const char* field_of_policy(unsigned policy) {
    if (policy == 10 || policy == 11) return policy_fields[policy - 4];
    return policy < 6 ? policy_fields[policy] : nullptr;
}

const char* field_of_counter(unsigned field) {
    if (field >= 74 && field <= 81) return policy_fields[field - 74];
    const auto slowdown = nvml_fields::slowdown_fields(machine().machine.driver_name);
    if (!slowdown) return nullptr;
    if (field == slowdown->sw_thermal) return "violation_ns.thermal";
    if (field == slowdown->hw_thermal) return "violation_ns.hw_thermal";
    return field == slowdown->hw_power_brake ? "violation_ns.hw_power_brake" : nullptr;
}

// The data that went over one link, or over all, in KiB. All links carry the same.
constexpr unsigned nvlink_sent = 138;
constexpr unsigned nvlink_received = 139;
constexpr unsigned all_links = ~0U;

int write_nvlink(const SimulatedGpu& of, FieldValue& value) {
    const bool all = value.scope == all_links;
    if (of.nvlinks == 0 || (!all && value.scope >= static_cast<unsigned>(of.nvlinks))) return not_supported;
    const auto bytes = bytes_between_gpus(of, value.field == nvlink_sent);
    value.value = bytes / 1024 / (all ? 1 : static_cast<unsigned long long>(of.nvlinks));
    return success;
}

}  // namespace

extern "C" {

int nvmlDeviceGetClockInfo(void* handle, unsigned clock, unsigned* megahertz) {
    if (clock > video) return invalid_argument;
    const SimulatedGpu* of = gpu(handle);
    const auto field = clock == memory ? &SimulatedGpu::memory_clock_khz : &SimulatedGpu::clock_khz;
    const auto top = known(of, field);
    return write_number(handle, megahertz, clock == memory ? "memory_clock_mhz" : "sm_clock_mhz",
                        top ? std::optional(*top / 1000) : top);
}

int nvmlDeviceGetMaxClockInfo(void* handle, unsigned clock, unsigned* megahertz) {
    if (clock > video) return invalid_argument;
    unsigned kilohertz = 0;
    const int answer =
        write_fixed(handle, &kilohertz, clock == memory ? &SimulatedGpu::memory_clock_khz : &SimulatedGpu::clock_khz);
    if (answer == success && !megahertz) return invalid_argument;
    if (answer == success) *megahertz = kilohertz / 1000;
    return answer;
}

int nvmlDeviceGetClock(void* handle, unsigned clock, unsigned id, unsigned* megahertz) {
    return id == 0 ? nvmlDeviceGetClockInfo(handle, clock, megahertz)
                   : nvmlDeviceGetMaxClockInfo(handle, clock, megahertz);
}

int nvmlDeviceGetTemperature(void* handle, int sensor, unsigned* degrees) {
    return sensor != 0 ? static_cast<int>(invalid_argument)
                       : write_number(handle, degrees, "temperature_c", std::nullopt);
}

int nvmlDeviceGetTemperatureV(void* handle, Temperature* temperature) {
    return temperature ? write_number(handle, &temperature->degrees, "temperature_c", std::nullopt)
                       : static_cast<int>(invalid_argument);
}

int nvmlDeviceGetPowerUsage(void* handle, unsigned* milliwatts) {
    return write_number(handle, milliwatts, "power_mw", std::nullopt);
}
int nvmlDeviceGetPowerManagementLimit(void* handle, unsigned* milliwatts) {
    return write_fixed(handle, milliwatts, &SimulatedGpu::power_limit_w, 1000);
}
int nvmlDeviceGetEnforcedPowerLimit(void* handle, unsigned* milliwatts) {
    return nvmlDeviceGetPowerManagementLimit(handle, milliwatts);
}

int nvmlDeviceGetCurrentClocksEventReasons(void* handle, unsigned long long* reasons) {
    return write_number(handle, reasons, "reasons", 0);
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void* handle, unsigned long long* reasons) {
    return write_number(handle, reasons, "reasons", 0);
}

int nvmlDeviceGetViolationStatus(void* handle, unsigned policy, ViolationTime* time) {
    const char* field = field_of_policy(policy);
    if (!field || !time) return invalid_argument;
    time->reference_us = clock_us();
    return write_number(handle, &time->violation_ns, field, 0);
}

int nvmlDeviceGetFieldValues(void* handle, int count, FieldValue* values) {
    if (!gpu(handle) || count < 0 || !values) return invalid_argument;
    for (int i = 0; i < count; ++i) {
        FieldValue& value = values[i];
        const char* field = field_of_counter(value.field);
        value.timestamp_us = static_cast<long long>(clock_us());
        value.latency_us = 0;
        value.type = unsigned_long_long;
        if (value.field == nvlink_sent || value.field == nvlink_received) {
            value.result = write_nvlink(*gpu(handle), value);
            continue;
        }
        const auto asked_as = "field " + std::to_string(value.field);
        if (value.field == nvml_fields::power_at_this_moment)
            value.result = write_number(handle, &value.value, "power_mw", std::nullopt, asked_as.c_str());
        else
            value.result = field ? write_number(handle, &value.value, field, 0, asked_as.c_str())
                                 : static_cast<int>(not_supported);
    }
    return success;
}

int nvmlDeviceGetCurrPcieLinkGeneration(void* handle, unsigned* generation) {
    return write_number(handle, generation, "pcie_generation", known(gpu(handle), &SimulatedGpu::pcie_generation));
}
int nvmlDeviceGetCurrPcieLinkWidth(void* handle, unsigned* width) {
    return write_number(handle, width, "pcie_width", known(gpu(handle), &SimulatedGpu::pcie_width));
}
int nvmlDeviceGetMaxPcieLinkGeneration(void* handle, unsigned* generation) {
    return write_fixed(handle, generation, &SimulatedGpu::pcie_generation);
}
int nvmlDeviceGetMaxPcieLinkWidth(void* handle, unsigned* width) {
    return write_fixed(handle, width, &SimulatedGpu::pcie_width);
}
int nvmlDeviceGetGpuMaxPcieLinkGeneration(void* handle, unsigned* generation) {
    return write_fixed(handle, generation, &SimulatedGpu::pcie_generation);
}
int nvmlDeviceGetPcieReplayCounter(void* handle, unsigned* replays) {
    return write_number(handle, replays, "pcie_replays", 0);
}

int nvmlDeviceGetEccMode(void* handle, unsigned* current, unsigned* pending) {
    const SimulatedGpu* of = gpu(handle);
    if (!of || !current || !pending) return invalid_argument;
    *current = *pending = of->ecc != 0 ? 1 : 0;
    return success;
}

int nvmlDeviceGetTotalEccErrors(void* handle, unsigned type, unsigned, unsigned long long* errors) {
    const SimulatedGpu* of = gpu(handle);
    if (!of || !errors || type > 1) return invalid_argument;
    return of->ecc == 0 ? static_cast<int>(not_supported)
                        : write_number(handle, errors, type == 0 ? "ecc_corrected" : "ecc_uncorrected", 0);
}

int nvmlDeviceGetUtilizationRates(void* handle, Utilization* utilization) {
    if (!utilization) return invalid_argument;
    utilization->memory = 0;
    return write_number(handle, &utilization->gpu, "utilization_percent", std::nullopt);
}

}  // extern "C"
}  // namespace tocuda::simulator::nvml
