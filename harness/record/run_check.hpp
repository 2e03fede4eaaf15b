// tocuda, Apache-2.0.
// What of a run line cannot be, by itself.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "model/machine.hpp"

namespace tocuda {

std::vector<std::string> wrong_with_run(const RunLine& run);

// It began more than a day after `now`, of the clock of who looks: one of the two is wrong. A simulated machine may
// have a clock of its own.
bool is_to_come(const RunLine& run, std::chrono::sys_seconds now);

// What differs between a section and the one that it goes on with: `--resume` refuses each of these.
std::vector<std::string> wrong_with_resuming(const RunLine& run, const RunLine& before);

// Why a file of this name cannot begin with this run, or nothing: also where the name is none of ours.
std::string wrong_with_name(const std::string& file_name, const RunLine& run);

}  // namespace tocuda
