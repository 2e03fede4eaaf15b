// tocuda, Apache-2.0.
// Whether a GPU can go on after a process on it ended abnormally: what a probe saw, judged. Pure.
#pragma once

#include <optional>
#include <string>

#include "machine/probe_report.hpp"

namespace tocuda {

// Why nothing more is to be started on the GPU of this UUID, or nothing. `how_it_ended` is the probe's own end.
std::string why_sick(const ProbeReport& report, const std::string& how_it_ended,
                     const std::optional<std::string>& uuid);

}  // namespace tocuda
