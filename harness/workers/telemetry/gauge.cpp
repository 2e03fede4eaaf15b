// tocuda, Apache-2.0.
// Translates NVML's bits and field numbers into our names.
#include "telemetry/gauge.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "simulator/schema/nvml_fields.hpp"

namespace tocuda {
namespace {

// The bits of NVML's throttle reasons, from the lowest.
constexpr std::array<const char*, 9> reason_words{"gpu_idle",    "application_clocks", "sw_power_cap",
                                                  "hw_slowdown", "sync_boost",         "sw_thermal",
                                                  "hw_thermal",  "hw_power_brake",     "display_clock"};

// Field numbers of the counters of how long the clock was held down in all. Older drivers report software thermal
// slowdown under the thermal policy (75).
using Counters = std::vector<std::pair<unsigned, const char*>>;
Counters counters_of(const std::string& driver) {
    Counters counters{
        {74, "sw_power_cap"}, {75, "sw_thermal"}, {76, "sync_boost"}, {77, "board_limit"}, {79, "reliability"}};
    if (const auto fields = nvml_fields::slowdown_fields(driver)) {
        counters.emplace_back(fields->sw_thermal, "sw_thermal");
        counters.emplace_back(fields->hw_thermal, "hw_thermal");
        counters.emplace_back(fields->hw_power_brake, "hw_power_brake");
    }
    return counters;
}

std::optional<std::int64_t> whole_number(const nvml::FieldValue& field) {
    if (field.answer != 0) return std::nullopt;
    switch (field.type) {
        case 0:
            return static_cast<std::int64_t>(field.value.real);
        case 1:
            return field.value.natural;
        case 2:
            return static_cast<std::int64_t>(field.value.long_natural_of_the_system);
        case 3:
            return static_cast<std::int64_t>(field.value.long_natural);
        case 4:
            return field.value.long_whole;
        case 5:
            return field.value.whole;
        case 6:
            return field.value.short_natural;
        default:
            return std::nullopt;
    }
}

}  // namespace

Gauge::Gauge(const std::string& uuid, const std::string& bus_id, const std::string& library, const std::string& log)
    : management(library), state(management.usable()), messages(bus_id, log) {
    if (!state) return;
    if (!management.ask<nvml::HandleByText>("nvmlDeviceGetHandleByUUID", uuid.c_str(), &device))
        state = management.ask<nvml::HandleByText>("nvmlDeviceGetHandleByPciBusId_v2", bus_id.c_str(), &device);
    if (!state) return;
    ours = device;
    nvml::Handle whole = nullptr;
    if (is_instance() &&
        management.answered<nvml::HandleOfPart>("nvmlDeviceGetDeviceHandleFromMigDeviceHandle", device, &whole) == 0)
        device = whole;
    std::array<char, 96> driver{};  // stays empty where NVML does not name it
    management.answered<nvml::SystemText>("nvmlSystemGetDriverVersion", driver.data(),
                                          static_cast<unsigned>(driver.size()));
    counters = counters_of(driver.data());
    sm_clock_max = number_of_kind("nvmlDeviceGetMaxClockInfo", nvml::sm_clock);
    memory_clock_max = number_of_kind("nvmlDeviceGetMaxClockInfo", nvml::memory_clock);
}

Telemetry Gauge::read() {
    auto telemetry = read_quickly();
    if (!state) return telemetry;
    telemetry.temperature_c = temperature_c();
    read_violations(telemetry);
    read_errors(telemetry);
    const auto now = std::chrono::steady_clock::now();
    if (!others_counted || now - *others_counted >= std::chrono::seconds(1)) {
        others = count_others();
        others_counted = now;
    }
    telemetry.foreign_processes = others;
    return telemetry;
}

Telemetry Gauge::read_quickly() const {
    if (!state) return {};
    Telemetry telemetry{.sm_clock_mhz = sm_clock_mhz(),
                        .memory_clock_mhz = number_of_kind("nvmlDeviceGetClockInfo", nvml::memory_clock),
                        .sm_clock_max_mhz = sm_clock_max,
                        .memory_clock_max_mhz = memory_clock_max};
    telemetry.power_w = power_w();
    telemetry.reasons = reasons();
    telemetry.link_generation = number("nvmlDeviceGetCurrPcieLinkGeneration");
    telemetry.link_width = number("nvmlDeviceGetCurrPcieLinkWidth");
    return telemetry;
}

// Of this moment where the driver says it: since Ampere the other function returns the mean over a second, in which the
// GPU was idle before a short row.
std::optional<double> Gauge::power_w() const {
    nvml::FieldValue now{.field = nvml_fields::power_at_this_moment};
    if (management.answered<nvml::FieldValues>("nvmlDeviceGetFieldValues", device, 1, &now) == 0)
        if (const auto milliwatts = whole_number(now); milliwatts && *milliwatts > 0)
            return static_cast<double>(*milliwatts) / 1000;
    const auto mean = number("nvmlDeviceGetPowerUsage");
    return mean ? std::optional(*mean / 1e3) : std::nullopt;
}

std::optional<int> Gauge::sm_clock_mhz() const {
    return state ? number_of_kind("nvmlDeviceGetClockInfo", nvml::sm_clock) : std::nullopt;
}

std::optional<int> Gauge::temperature_c() const {
    return state ? number_of_kind("nvmlDeviceGetTemperature", nvml::gpu_sensor) : std::nullopt;
}

std::optional<LinkMaximum> Gauge::link_maximum() const {
    if (!state) return std::nullopt;
    const auto generation = number("nvmlDeviceGetMaxPcieLinkGeneration");
    const auto width = number("nvmlDeviceGetMaxPcieLinkWidth");
    if (!generation || !width) return std::nullopt;
    return LinkMaximum{*generation, *width, number("nvmlDeviceGetGpuMaxPcieLinkGeneration")};
}

std::optional<NvLinkSent> Gauge::nvlink_sent() const {
    constexpr unsigned data_sent = 138;  // in KiB; of one link, or of all
    constexpr unsigned all_links = ~0U;
    std::array<nvml::FieldValue, 1 + 18> values{};
    for (unsigned i = 0; i < values.size(); ++i) {
        values[i].field = data_sent;
        values[i].scope = i == 0 ? all_links : i - 1;
    }
    if (!state || management.answered<nvml::FieldValues>("nvmlDeviceGetFieldValues", device,
                                                         static_cast<int>(values.size()), values.data()) != 0)
        return std::nullopt;
    const auto all = whole_number(values[0]);
    if (!all) return std::nullopt;
    NvLinkSent sent{.bytes = *all * 1024};
    for (std::size_t i = 1; i < values.size(); ++i)
        if (const auto one = whole_number(values[i])) sent.by_link.push_back(*one * 1024);
    return sent;
}

bool Gauge::is_divided() const {
    if (!state) return false;
    unsigned current = 0;
    unsigned pending = 0;
    if (management.answered<nvml::DevicePair>("nvmlDeviceGetMigMode", device, &current, &pending) == 0)
        return current != 0;
    return is_instance();  // which has no mode of its own
}

bool Gauge::is_instance() const { return number("nvmlDeviceIsMigDeviceHandle").value_or(0) != 0; }

std::optional<int> Gauge::number(const char* name) const {
    unsigned value = 0;
    if (management.answered<nvml::DeviceNumber>(name, device, &value) != 0) return std::nullopt;
    return static_cast<int>(value);
}

std::optional<int> Gauge::number_of_kind(const char* name, unsigned kind) const {
    unsigned value = 0;
    if (management.answered<nvml::NumberOfKind>(name, device, kind, &value) != 0) return std::nullopt;
    return static_cast<int>(value);
}

std::optional<std::vector<std::string>> Gauge::reasons() const {
    unsigned long long bits = 0;
    if (management.answered<nvml::DeviceLongNumber>("nvmlDeviceGetCurrentClocksEventReasons", device, &bits) != 0 &&
        management.answered<nvml::DeviceLongNumber>("nvmlDeviceGetCurrentClocksThrottleReasons", device, &bits) != 0)
        return std::nullopt;
    std::vector<std::string> words;
    for (std::size_t bit = 0; bit < reason_words.size(); ++bit)
        if ((bits >> bit & 1) != 0) words.emplace_back(reason_words[bit]);
    if (bits >> reason_words.size() != 0) words.emplace_back("unknown");
    return words;
}

void Gauge::read_violations(Telemetry& into) const {
    std::vector<nvml::FieldValue> values(counters.size());
    for (std::size_t i = 0; i < values.size(); ++i) values[i].field = counters[i].first;
    if (management.answered<nvml::FieldValues>("nvmlDeviceGetFieldValues", device, static_cast<int>(values.size()),
                                               values.data()) != 0)
        return;
    for (std::size_t i = 0; i < values.size(); ++i)
        if (const auto nanoseconds = whole_number(values[i])) into.violation_ns[counters[i].second] = *nanoseconds;
}

void Gauge::read_errors(Telemetry& into) {
    using ErrorCount = int(nvml::Handle device, unsigned kind, unsigned counter, unsigned long long* count);
    constexpr unsigned corrected = 0;
    constexpr unsigned uncorrected = 1;
    constexpr unsigned since_driver_load = 0;
    const auto count = [&](unsigned kind) -> std::optional<std::int64_t> {
        unsigned long long errors = 0;
        if (management.answered<ErrorCount>("nvmlDeviceGetTotalEccErrors", device, kind, since_driver_load, &errors) !=
            0)
            return std::nullopt;
        return static_cast<std::int64_t>(errors);
    };
    into.pcie_replays = number("nvmlDeviceGetPcieReplayCounter");
    into.ecc_corrected = count(corrected);
    into.ecc_uncorrected = count(uncorrected);
    into.xids = messages.read();
}

// In a container NVML may report the process ids of the host, so this process cannot be recognised by its own. It is
// one of those counted, because it has used the GPU before it asks.
std::optional<int> Gauge::count_others() const {
    std::vector<nvml::Process> processes(64);
    auto count = static_cast<unsigned>(processes.size());
    auto answer =
        management.answered<nvml::Processes>("nvmlDeviceGetComputeRunningProcesses_v3", ours, &count, processes.data());
    if (answer == nvml::too_little_room) return static_cast<int>(count) - 1;
    if (answer != 0) return std::nullopt;
    return std::max(0, static_cast<int>(count) - 1);
}

}  // namespace tocuda
