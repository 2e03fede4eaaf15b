// tocuda, Apache-2.0.
#include "command/gpu_health.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace tocuda {

std::string why_sick(const ProbeReport& report, const std::string& how_it_ended,
                     const std::optional<std::string>& uuid) {
    if (!report.finished) return "the driver's probe " + how_it_ended;
    if (report.init.value_or(-1) != 0)
        return fmt::format("cuInit returns {} {}", report.init.value_or(-1), report.init_text);
    if (report.devices.value_or(0) == 0) return "the driver no longer finds any GPU";
    if (!uuid) return "";
    // A GPU without a UUID may be the one.
    const bool there = std::any_of(report.gpus.begin(), report.gpus.end(),
                                   [&](const Gpu& gpu) { return !gpu.uuid || gpu.uuid == uuid; });
    return there ? "" : "the driver no longer finds it";
}

}  // namespace tocuda
