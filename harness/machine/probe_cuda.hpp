// tocuda, Apache-2.0.
// The probe's calls to the driver library. None of them creates a context, so no GPU memory is allocated.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "machine/probe_report.hpp"

namespace tocuda {

using BeginStep = std::function<void(const std::string& step)>;

// Returns the PCI bus id of each GPU in the report, by which NVML identifies it.
std::vector<std::string> probe_cuda(const std::string& library, ProbeReport& report, const BeginStep& begin);

}  // namespace tocuda
