// tocuda, Apache-2.0.
// Scenarios as this machine sees them, without asking a driver: `list` has to answer at once.
#pragma once

#include <vector>

#include "command/plan.hpp"
#include "lines/documents.hpp"

namespace tocuda {

// The GPUs that the kernel module names (what a driver makes of them only a run finds out), or those that a run would
// simulate.
Available gpus_for_the_list();

std::vector<ListedBenchmark> list_for_this_machine(const std::vector<SelectedBenchmark>& selected);
std::vector<Listed> list_for_this_machine(const std::vector<Selected>& selected);

}  // namespace tocuda
