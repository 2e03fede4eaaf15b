// tocuda, Apache-2.0.
// Finds impossible values in a run line.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "model/machine.hpp"

namespace tocuda {

std::vector<std::string> wrong_with_run(const RunLine& run);

// Whether the run began more than a day after `now`, the time of the verifying machine: one of the two clocks is wrong.
// False for simulated machines, which may have their own clock.
bool is_to_come(const RunLine& run, std::chrono::sys_seconds now);

// What differs between a section and the one that it resumes: `--resume` refuses each of these.
std::vector<std::string> wrong_with_resuming(const RunLine& run, const RunLine& before);

// Returns why a file of this name cannot start with this run; "" if it can or if tocuda did not choose the name.
std::string wrong_with_name(const std::string& file_name, const RunLine& run);

}  // namespace tocuda
