// tocuda, Apache-2.0.
// Asks the driver and NVML which GPUs they see. This is the only place in tocuda that loads either, and only in the
// child process `tocuda __probe`: a driver may hang or crash, so the parent sets a deadline and reads what was reported
// until then.
#pragma once

#include <functional>
#include <string>

#include "machine/probe_report.hpp"

namespace tocuda {

struct ProbedLibraries {
    std::string driver = "libcuda.so.1";
    std::string management = "libnvidia-ml.so.1";
};

// `say` is called before each step that may hang or crash, and at the end with the complete report.
void probe(const ProbedLibraries& libraries, const std::function<void(const ProbeReport&)>& say);

// `tocuda __probe`: writes the report to descriptor 3. Returns the exit code.
int probe_main(int count, char** arguments);

}  // namespace tocuda
