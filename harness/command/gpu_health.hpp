// tocuda, Apache-2.0.
// Decides from a probe's report whether a GPU is still usable after a process on it ended abnormally. Pure.
#pragma once

#include <optional>
#include <string>

#include "machine/probe_report.hpp"

namespace tocuda {

// Returns why nothing more should be started on the GPU with this UUID; empty if it is usable. `how_it_ended` describes
// the end of the probe itself.
std::string why_sick(const ProbeReport& report, const std::string& how_it_ended,
                     const std::optional<std::string>& uuid);

}  // namespace tocuda
