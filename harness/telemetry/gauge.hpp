// tocuda, Apache-2.0.
// What a GPU does at this moment, as NVML tells: clocks, temperature, power, what holds the clock down, the link. Where
// a machine has no NVML, or NVML does not know, fields are absent.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "model/benchmark.hpp"
#include "telemetry/management.hpp"

namespace tocuda {

struct LinkMaximum {
    int generation = 0;  // of GPU and slot together
    int width = 0;
    std::optional<int> gpu_generation{};  // of the GPU alone
};

class Gauge {
public:
    // By the GPU's UUID ("GPU-..." or "MIG-..."), or where NVML does not know that, by its PCI bus id.
    Gauge(const std::string& uuid, const std::string& bus_id, const std::string& library = Management::usual_name);

    // Why nothing is known of this GPU; empty where something is.
    const std::string& refusal() const { return why_not; }

    // Everything. Who else uses the GPU is asked at most once a second, for it takes long: the answer may be as old.
    Telemetry read();
    // What changes under load, and is read in little time: clocks, power, reasons, link.
    Telemetry read_quickly() const;
    std::optional<int> sm_clock_mhz() const;
    std::optional<int> sm_clock_max_mhz() const { return sm_clock_max; }
    std::optional<LinkMaximum> link_maximum() const;

private:
    std::optional<int> number(const char* name) const;
    std::optional<int> number_of_kind(const char* name, unsigned kind) const;
    std::optional<std::vector<std::string>> reasons() const;
    void read_violations(Telemetry& into) const;
    std::optional<int> count_others() const;

    Management management;
    nvml::Handle device = nullptr;
    std::string why_not;
    std::optional<int> sm_clock_max{};  // these stay what they are
    std::optional<int> memory_clock_max{};
    std::optional<int> others{};
    std::optional<std::chrono::steady_clock::time_point> others_counted{};
};

}  // namespace tocuda
