// tocuda, Apache-2.0.
// The rank of this process, if a launcher started it.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "model/machine.hpp"
#include "model/problem.hpp"

namespace tocuda {

// Determines the rank of this process in a fleet, from the launcher's environment variables, and the rank's GPU. Pure.
using Variables = std::map<std::string, std::string>;

// The innermost launcher counts: inside a Slurm allocation, mpirun's ranks see the SLURM_PROCID of the daemon that
// started them. Returns nullopt if there is no rank, as in a batch script or an interactive shell. `host` is the node
// name if the launcher gives none.
std::optional<Fleet> fleet_place(const Variables& environment, const std::string& host);

// Returns the index of this rank's GPU among the `visible` ones, or why there is none: the first GPU if the launcher
// bound GPUs to each rank, else the one with the local rank's index.
Expected<int> own_gpu(const Fleet& fleet, const Variables& environment, int visible);

// "rank 5 of 8 (srun), local rank 1 on n3"
std::string fleet_text(const Fleet& fleet);

Variables variables_of_this_process();
std::optional<Fleet> this_rank();

// Whether this process prints results: rank 0 does for all ranks; the others only warn, and name their file.
bool speaks();

}  // namespace tocuda
