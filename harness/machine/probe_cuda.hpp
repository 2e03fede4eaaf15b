// tocuda, Apache-2.0.
// The probe's questions to the driver library. None of them makes a context, so no GPU memory is taken.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "machine/probe_report.hpp"

namespace tocuda {

using BeginStep = std::function<void(const std::string& step)>;

// Returns where each GPU of the report sits: its PCI bus id, by which NVML knows it.
std::vector<std::string> probe_cuda(const std::string& library, ProbeReport& report, const BeginStep& begin);

}  // namespace tocuda
