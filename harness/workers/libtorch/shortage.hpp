// tocuda, Apache-2.0.
// Tells what this machine lacks, so that a scenario that cannot ask its question here leaves its claims open instead of
// being broken.
#pragma once

#include <string>

#include "model/scenario.hpp"

namespace tocuda {

// What the current GPU lacks now of what a variant needs: "the GPU had only 0.31 of 15.75 GiB free; 1.1 GiB is needed".
// Empty if it lacks nothing, or if there is nothing to ask.
std::string lacking(const Needs& needs);

// Call where an exception is handled: what the GPU lacked if that caused the exception, otherwise empty.
std::string lacked_by_this_exception();

// The same for the text of an OutOfMemoryError. A cap that a scenario sets itself is no shortage.
std::string lacked_memory(const std::string& message);

}  // namespace tocuda
