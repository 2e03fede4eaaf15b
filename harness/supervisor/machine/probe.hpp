// tocuda, Apache-2.0.
// Asks the driver and NVML which GPUs they see. This is the only place in tocuda that loads either, and only in the
// child process `tocuda __probe`: a driver may hang or crash, so the parent sets a deadline and reads what was reported
// until then.
#pragma once

#include <functional>
#include <string>

#include "machine/probe_report.hpp"

namespace tocuda {

// The probe's calls to the driver library. None of them creates a context, so no GPU memory is allocated.
using BeginStep = std::function<void(const std::string& step)>;

void probe_cuda(const std::string& library, ProbeReport& report, const BeginStep& begin);

// The probe's calls to NVML, the management library, for what CUDA does not report about the GPUs that it found. A
// machine may lack NVML.
void probe_nvml(const std::string& library, ProbeReport& report, const BeginStep& begin);

// The state of each GPU that NVML knows.
void probe_health(const std::string& library, ProbeReport& report, const BeginStep& begin);

// Whether the driver's device nodes in `folder` can be opened.
void probe_nodes(const std::string& folder, ProbeReport& report, const BeginStep& begin);

struct ProbedLibraries {
    std::string driver = "libcuda.so.1";
    std::string management = "libnvidia-ml.so.1";
    bool health = false;  // also asks for the state of the GPUs
};

// `say` is called before each step that may hang or crash, and at the end with the complete report.
void probe(const ProbedLibraries& libraries, const std::function<void(const ProbeReport&)>& say);

// `tocuda __probe [health]`: writes the report to descriptor 3. Returns the exit code.
int probe_main(int count, char** arguments);

}  // namespace tocuda
