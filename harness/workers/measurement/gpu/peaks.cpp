// tocuda, Apache-2.0.
// Computes the peaks from what the driver, NVML or the system reports, once, because none of it changes while a process
// runs.
#include "measurement/peaks.hpp"

#include <filesystem>
#include <map>
#include <utility>

#include "measurement/first_line.hpp"
#include "measurement/gpu/gpu_facts.hpp"
#include "measurement/host_time.hpp"
#include "model/words.hpp"
#include "telemetry/gauge.hpp"

namespace tocuda {
namespace {

int compute_capability() {
    return 10 * attribute(cudaDevAttrComputeCapabilityMajor) + attribute(cudaDevAttrComputeCapabilityMinor);
}

std::string rate_in_words(int kilohertz, int capability) {
    const auto millions = std::to_string((kilohertz + 500) / 1000);
    return reported_in_transfers(capability) ? millions + " MT/s" : "2 x " + millions + " MHz";
}

Peak memory_peak_now() {
    const auto kilohertz = attribute(cudaDevAttrMemoryClockRate);
    const auto bits = attribute(cudaDevAttrGlobalMemoryBusWidth);
    if (kilohertz <= 0 || bits <= 0) return {};
    const auto capability = compute_capability();
    return {
        .bytes_per_second = memory_bytes_per_second(kilohertz, bits, capability),
        .source = rate_in_words(kilohertz, capability) + " x " + std::to_string(bits) + " bits, reported by the driver",
        .counted = Counted::touched};
}

// A simulated GPU does not appear in sysfs.
std::optional<LinkWord> link_by_the_system(const std::string& bus_id) {
    if (virtual_seconds()) return std::nullopt;
    const auto folder = std::filesystem::path("/sys/bus/pci/devices") / lower(bus_id);
    const auto generation = generation_of(first_line(folder / "max_link_speed").value_or(""));
    const auto width = whole_number<int>(first_line(folder / "max_link_width").value_or("")).value_or(0);
    return generation ? std::optional(LinkWord{*generation, width, "the maximum of the device, from sysfs"})
                      : std::nullopt;
}

Peak link_peak_now() {
    if (attribute(cudaDevAttrPageableMemoryAccessUsesHostPageTables) != 0) return {};
    const auto bus_id = bus_id_of_current_device();
    std::vector<LinkWord> words;
    if (const auto maximum = Gauge(uuid_of_current_device(), bus_id).link_maximum()) {
        words.push_back({maximum->generation, maximum->width, "the maximum of GPU and slot, from NVML"});
        if (maximum->gpu_generation)
            words.push_back({*maximum->gpu_generation, maximum->width, "the maximum of the GPU, from NVML"});
    }
    if (auto word = link_by_the_system(bus_id)) words.push_back(std::move(*word));
    return largest_link_peak(words);
}

// Cached for each device, because the calls take time on simulated GPUs too.
template <class Ask>
const Peak& once(std::map<int, Peak>& known, const Ask& ask) {
    const auto device = current_device();
    const auto found = known.find(device);
    return found != known.end() ? found->second : known.emplace(device, ask()).first->second;
}

}  // namespace

Peak memory_peak() {
    static std::map<int, Peak> known;
    return once(known, memory_peak_now);
}

Peak link_peak() {
    static std::map<int, Peak> known;
    return once(known, link_peak_now);
}

bool fits_in_cache(std::size_t bytes) { return bytes <= static_cast<std::size_t>(attribute(cudaDevAttrL2CacheSize)); }

}  // namespace tocuda
