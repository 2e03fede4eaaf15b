// tocuda, Apache-2.0.
// What of a run line cannot be, by itself.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/machine.hpp"

namespace tocuda {

std::vector<std::string> wrong_with_run(const RunLine& run);

// What differs between a section and the one that it goes on with: `--resume` refuses each of these.
std::vector<std::string> wrong_with_resuming(const RunLine& run, const RunLine& before);

// Why a file of this name cannot begin with this run, or nothing: also where the name is none of ours.
std::string wrong_with_name(const std::string& file_name, const RunLine& run);

// "2026-11-21T10:00:00Z", and a moment that there was or will be.
bool is_moment(std::string_view text);

}  // namespace tocuda
