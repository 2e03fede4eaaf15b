// tocuda, Apache-2.0.
// What the probe saw, put into the facts of the run line: pure.
#pragma once

#include <string>

#include "machine/facts.hpp"
#include "machine/probe_report.hpp"
#include "model/machine.hpp"

namespace tocuda {

// Fills driver.cuda, driver.kernel_module where only NVML knew it, and the GPUs; what is missing is named with its
// cause. `how_it_ended` is for a probe that did not finish: "ended by signal 11 (SIGSEGV) after 0.3 s".
void add_probe(RunLine& line, const ProbeReport& report, const std::string& how_it_ended);

void add_facts(RunLine& line, const Facts& facts);

}  // namespace tocuda
