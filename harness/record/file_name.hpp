// tocuda, Apache-2.0.
// The name of a result file, derived from its first run: used to create the file and to verify it.
#pragma once

#include <string>

#include "model/machine.hpp"

namespace tocuda {

// "20261121T100000Z-bench-real-11111111.jsonl"
std::string result_file_name(const RunLine& run);

}  // namespace tocuda
