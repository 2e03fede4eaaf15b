// tocuda, Apache-2.0.
// The probe's calls to NVML, the management library, for what CUDA does not report. A machine may lack NVML.
#pragma once

#include <string>
#include <vector>

#include "machine/probe_cuda.hpp"
#include "machine/probe_report.hpp"

namespace tocuda {

// `places[i]` is the PCI bus id of report.gpus[i].
void probe_nvml(const std::string& library, const std::vector<std::string>& places, ProbeReport& report,
                const BeginStep& begin);

}  // namespace tocuda
