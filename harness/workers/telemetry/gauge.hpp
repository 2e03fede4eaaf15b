// tocuda, Apache-2.0.
// Reads a GPU's current state from NVML: clocks, temperature, power, throttle reasons, the link. A field is absent if
// the machine has no NVML or NVML does not know it.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/benchmark.hpp"
#include "telemetry/management.hpp"
#include "telemetry/xid_log.hpp"

namespace tocuda {

struct LinkMaximum {
    int generation = 0;  // what GPU and slot support together
    int width = 0;
    std::optional<int> gpu_generation{};  // what the GPU alone supports
};

struct NvLinkSent {
    std::int64_t bytes = 0;
    std::vector<std::int64_t> by_link{};
};

class Gauge {
public:
    // Looks the GPU up by its UUID ("GPU-..." or "MIG-..."), or by its PCI bus id if NVML does not know the UUID.
    // `log`: the kernel's, empty for simulated GPUs.
    Gauge(const std::string& uuid, const std::string& bus_id, const std::string& library = Management::usual_name,
          const std::string& log = XidLog::usual_log);

    // Whether anything can be read from this GPU.
    const Expected<void>& usable() const { return state; }

    // Reads everything. Counting other processes takes long, so it is done at most once a second: that count may be as
    // old.
    Telemetry read();
    // Reads what changes under load and can be read quickly: clocks, power, reasons, link.
    Telemetry read_quickly() const;
    std::optional<int> sm_clock_mhz() const;
    std::optional<int> temperature_c() const;
    std::optional<int> sm_clock_max_mhz() const { return sm_clock_max; }
    std::optional<LinkMaximum> link_maximum() const;
    // What the GPU has sent over NVLink since its counters began.
    std::optional<NvLinkSent> nvlink_sent() const;
    // Whether MIG divides this GPU, so that what runs on it has a part.
    bool is_divided() const;

private:
    bool is_instance() const;
    std::optional<int> number(const char* name) const;
    std::optional<int> number_of_kind(const char* name, unsigned kind) const;
    std::optional<double> power_w() const;
    std::optional<std::vector<std::string>> reasons() const;
    void read_violations(Telemetry& into) const;
    void read_errors(Telemetry& into);
    std::optional<int> count_others() const;

    Management management;
    nvml::Handle device = nullptr;  // the whole GPU: NVML tells no clocks, power or link of a MIG instance
    nvml::Handle ours = nullptr;    // the same, or the instance of it
    Expected<void> state;
    XidLog messages;
    std::vector<std::pair<unsigned, const char*>> counters{};  // the field of each, and our name of it
    std::optional<int> sm_clock_max{};                         // read once: the maxima never change
    std::optional<int> memory_clock_max{};
    std::optional<int> others{};
    std::optional<std::chrono::steady_clock::time_point> others_counted{};
};

}  // namespace tocuda
