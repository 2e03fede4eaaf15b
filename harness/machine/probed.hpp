// tocuda, Apache-2.0.
// Copies facts and probe report into the run line. Pure.
#pragma once

#include <string>

#include "machine/facts.hpp"
#include "machine/probe_report.hpp"
#include "model/machine.hpp"

namespace tocuda {

// Fills driver.cuda, the GPUs, and driver.kernel_module if only NVML reported it; records the causes of missing fields.
// `how_it_ended` is for a probe that did not finish: "ended by signal 11 (SIGSEGV) after 0.3 s".
void add_probe(RunLine& line, const ProbeReport& report, const std::string& how_it_ended);

void add_facts(RunLine& line, const Facts& facts);

}  // namespace tocuda
