// tocuda, Apache-2.0.
// The environment of a child: that of this process, without what would change evidence behind a scenario's back, and with what the
// scenario's variant asks for.
#pragma once

#include <string>
#include <vector>

#include "model/scenario.hpp"

namespace tocuda {

Environment environment_of_this_process();

// A variable that changes how the driver, LibTorch, the loader, a stand-in or Google Benchmark behaves, so that a person who has it
// set would see other evidence than the next one. Which GPUs there are (CUDA_VISIBLE_DEVICES) and where files lie is none of these.
bool changes_evidence(const std::string& variable);
Environment without_what_changes_evidence(Environment environment);

// A value sets a variable, no value takes it away. The later ones win.
Environment with_changes(Environment environment, const Environment& changes);

// "NAME=value" by name, for Child::environment.
std::vector<std::string> as_list(const Environment& environment);

// All of the above: `of_this_process` cleaned, then changed by each of `changes` in turn (stand-ins first, then the variant's own).
std::vector<std::string> child_environment(const Environment& of_this_process, const std::vector<Environment>& changes);

}  // namespace tocuda
