// tocuda, Apache-2.0.
// Limits that no GPU reaches: wide enough that a wrong reading is one, and no more.
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
constexpr double most_of_power_limit = 2;  // a reading at a moment; the limit holds on average
constexpr int most_processes = 100000;

void look_at(const Telemetry& telemetry, const Gpu* gpu, const std::string& when, std::vector<std::string>& wrong) {
    const auto say = [&](bool so, const std::string& what) {
        if (so) wrong.emplace_back(when + ": " + what);
    };
    say(telemetry.sm_clock_mhz.value_or(0) > fastest_clock_mhz,
        "an SM clock of " + std::to_string(telemetry.sm_clock_mhz.value_or(0)) + " MHz");
    say(telemetry.memory_clock_mhz.value_or(0) > fastest_clock_mhz * 2,
        "a memory clock of " + std::to_string(telemetry.memory_clock_mhz.value_or(0)) + " MHz");
    const int temperature = telemetry.temperature_c.value_or(20);
    say(temperature < coldest_c || temperature > hottest_c, "a temperature of " + std::to_string(temperature) + " C");
    const auto limit = gpu && gpu->power_limit_w
                           ? std::clamp(most_of_power_limit * *gpu->power_limit_w, 0.0, most_power_w)
                           : most_power_w;
    const auto power = telemetry.power_w.value_or(0);
    const auto watts = [](double number) {
        return std::to_string(static_cast<long long>(std::min(number, 1e15))) + " W";
    };
    say(power > limit, watts(power) + ", and " + watts(limit) + " would be much");
    say(telemetry.foreign_processes.value_or(0) > most_processes, "more processes than a machine holds");
    if (!gpu) return;
    const auto above = [](const std::optional<int>& is, const std::optional<int>& most) {
        return is && most && *is > *most;
    };
    say(above(telemetry.link_generation, highest_generation(gpu->pcie)),
        "a link of a generation above the GPU's highest");
    say(above(telemetry.link_width, gpu->pcie.width_max), "a link wider than the GPU's widest");
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
                wrong.emplace_back("the counter of " + cause + " went back from " + std::to_string(before) + " to " +
                                   std::to_string(after->second) + " ns");
    if (samples.after && !samples.before)
        wrong.emplace_back("the GPU's state is known after the samples, and not before them");
    return wrong;
}

}  // namespace tocuda
