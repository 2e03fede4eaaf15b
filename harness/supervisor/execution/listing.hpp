// tocuda, Apache-2.0.
// Determines whether this machine can run each scenario and benchmark. Asks no driver, because `list` must answer at
// once.
#pragma once

#include <vector>

#include "execution/run_plan.hpp"
#include "json_lines/documents.hpp"

namespace tocuda {

// Returns the GPUs that the kernel module lists (only a run finds out whether the driver can use them), or those that a
// run would simulate.
Available gpus_for_the_list();

std::vector<ListedBenchmark> list_for_this_machine(const std::vector<SelectedBenchmark>& selected);
std::vector<Listed> list_for_this_machine(const std::vector<Selected>& selected);

}  // namespace tocuda
