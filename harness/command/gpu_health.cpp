// tocuda, Apache-2.0.
// What a probe's report means for one GPU.
#include "command/gpu_health.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace tocuda {

std::string why_sick(const ProbeReport& report, const std::string& how_it_ended,
                     const std::optional<std::string>& uuid) {
    if (!report.finished) return "the driver's probe " + how_it_ended;
    if (report.init.value_or(-1) != 0)
        return fmt::format("cuInit answers {} {}", report.init.value_or(-1), report.init_text);
    if (report.devices.value_or(0) == 0) return "the driver finds no GPU any more";
    if (!uuid) return "";
    // One that does not say its name may be it.
    const bool there = std::any_of(report.gpus.begin(), report.gpus.end(),
                                   [&](const Gpu& gpu) { return !gpu.uuid || gpu.uuid == uuid; });
    return there ? "" : "the driver does not find it any more";
}

}  // namespace tocuda
