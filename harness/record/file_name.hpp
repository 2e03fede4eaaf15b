// tocuda, Apache-2.0.
// What the file is called that begins with a run: it is written under this name, and verified against it.
#pragma once

#include <string>

#include "model/machine.hpp"

namespace tocuda {

// "20261121T100000Z-bench-real-11111111.jsonl"
std::string result_file_name(const RunLine& run);

}  // namespace tocuda
