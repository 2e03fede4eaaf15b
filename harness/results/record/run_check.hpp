// tocuda, Apache-2.0.
// Finds impossible values in run lines and scenario rows.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "model/machine.hpp"
#include "model/problem.hpp"
#include "model/row.hpp"

namespace tocuda {

std::vector<std::string> wrong_with_run(const RunLine& run);

// Whether the run began more than a day after `now`, the time of the verifying machine: one of the two clocks is wrong.
// False for simulated machines, which may have their own clock.
bool is_to_come(const RunLine& run, std::chrono::sys_seconds now);

// What differs between a section and the one that it resumes: `--resume` refuses each of these.
std::vector<std::string> wrong_with_resuming(const RunLine& run, const RunLine& before);

// Whether a file of this name can start with this run. Any name will do that tocuda did not choose.
Expected<void> check_name(const std::string& file_name, const RunLine& run);

std::vector<std::string> wrong_with_scenario(const Row& row);

}  // namespace tocuda
