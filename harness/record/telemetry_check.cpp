// tocuda, Apache-2.0.
// The limits are beyond what any GPU reaches, so that only wrong readings exceed them.
#include "record/telemetry_check.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace tocuda {
namespace {

constexpr int fastest_clock_mhz = 10000;
constexpr int coldest_c = -60;
constexpr int hottest_c = 150;
constexpr double most_power_w = 5000;
constexpr double most_of_power_limit = 2;  // a reading is momentary; the limit holds on average
constexpr int most_processes = 100000;

void look_at(const Telemetry& telemetry, const Gpu* gpu, const std::string& when, std::vector<std::string>& wrong) {
    const auto say = [&](bool so, const std::string& what) {
        if (so) wrong.emplace_back("telemetry " + when + " the samples: " + what);
    };
    say(telemetry.sm_clock_mhz.value_or(0) > fastest_clock_mhz,
        "SM clock of " + std::to_string(telemetry.sm_clock_mhz.value_or(0)) + " MHz is impossible");
    say(telemetry.memory_clock_mhz.value_or(0) > fastest_clock_mhz * 2,
        "memory clock of " + std::to_string(telemetry.memory_clock_mhz.value_or(0)) + " MHz is impossible");
    const int temperature = telemetry.temperature_c.value_or(20);
    say(temperature < coldest_c || temperature > hottest_c,
        "temperature of " + std::to_string(temperature) + " C is impossible");
    const auto limit = gpu && gpu->power_limit_w
                           ? std::clamp(most_of_power_limit * *gpu->power_limit_w, 0.0, most_power_w)
                           : most_power_w;
    const auto power = telemetry.power_w.value_or(0);
    const auto watts = [](double number) {
        return std::to_string(static_cast<long long>(std::min(number, 1e15))) + " W";
    };
    say(power > limit, "power of " + watts(power) + " exceeds the plausible maximum of " + watts(limit));
    say(telemetry.foreign_processes.value_or(0) > most_processes, "more foreign processes than a machine can hold");
    if (!gpu) return;
    const auto above = [](const std::optional<int>& is, const std::optional<int>& most) {
        return is && most && *is > *most;
    };
    say(above(telemetry.link_generation, highest_generation(gpu->pcie)), "PCIe generation above the GPU's maximum");
    say(above(telemetry.link_width, gpu->pcie.width_max), "PCIe link wider than the GPU's maximum");
}

}  // namespace

std::vector<std::string> wrong_with_telemetry(const Samples& samples, const Gpu* gpu) {
    std::vector<std::string> wrong;
    for (const auto& [reading, when] :
         {std::pair{&samples.before, "before"}, {&samples.during, "during"}, {&samples.after, "after"}})
        if (*reading) look_at(**reading, gpu, when, wrong);
    if (samples.before && samples.after)
        for (const auto& [cause, before] : samples.before->violation_ns)
            if (const auto after = samples.after->violation_ns.find(cause);
                after != samples.after->violation_ns.end() && after->second < before)
                wrong.emplace_back("the " + cause + " counter decreased from " + std::to_string(before) + " to " +
                                   std::to_string(after->second) + " ns");
    if (samples.after && !samples.before)
        wrong.emplace_back("there is telemetry after the samples but none before them");
    return wrong;
}

}  // namespace tocuda
