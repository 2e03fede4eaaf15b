// tocuda, Apache-2.0.
// Which rank of a fleet this process is, as the launcher that started it says in the environment, and which GPU is this
// rank's own: pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>

#include "model/machine.hpp"

namespace tocuda {

using Variables = std::map<std::string, std::string>;

// The innermost launcher counts: inside an allocation of Slurm, mpirun's ranks see the SLURM_PROCID of the daemon that
// started them. In a batch script or an interactive shell nobody has a rank. `host` is the node where the launcher
// names none.
std::optional<Fleet> fleet_place(const Variables& environment, const std::string& host);

// Of `visible` GPUs the one that this rank takes, or why there is none for it: the first where the launcher has bound
// GPUs to each rank, else that of its place on the node.
std::variant<int, std::string> own_gpu(const Fleet& fleet, const Variables& environment, int visible);

// "rank 5 of 8 (srun), local rank 1 on n3"
std::string fleet_text(const Fleet& fleet);

}  // namespace tocuda
