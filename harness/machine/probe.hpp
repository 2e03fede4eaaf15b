// tocuda, Apache-2.0.
// Asks the driver and NVML what they see. The only place in tocuda that loads either, and only in the re-executed
// `tocuda __probe`: a driver may hang or crash, so its caller gives it a deadline and reads what it had said until
// then.
#pragma once

#include <functional>
#include <string>

#include "machine/probe_report.hpp"

namespace tocuda {

struct ProbedLibraries {
    std::string driver = "libcuda.so.1";
    std::string management = "libnvidia-ml.so.1";
};

// `say` is called before each step that may not come back, and at the end with all of it.
void probe(const ProbedLibraries& libraries, const std::function<void(const ProbeReport&)>& say);

// `tocuda __probe`: the report's text on descriptor 3. Returns its exit code.
int probe_main(int count, char** arguments);

}  // namespace tocuda
