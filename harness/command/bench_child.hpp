// tocuda, Apache-2.0.
// How a measurement process is started: its program, input, environment and deadline.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "command/catalogue.hpp"
#include "model/benchmark.hpp"

namespace tocuda {

// The worker's program. If GPUs are simulated, the build whose kernels run on the CPU, if there is one.
std::string program_of(const Worker& worker, bool simulated);

// What the process reads from its standard input.
std::string words_for(const Protocol& protocol, const std::vector<Parameters>& sets);

// The deadline of a process: long enough for the slowest machine, because only a hang should reach it.
double seconds_to_measure(const std::vector<Parameters>& sets, const Protocol& protocol);

// The value of CUDA_VISIBLE_DEVICES that shows a child only `gpus`; `all` is how many this process sees and `ours` its
// own value of the variable. nullopt if the variable need not change.
std::optional<std::string> visible_gpus(const std::vector<int>& gpus, int all, const std::optional<std::string>& ours);

// The environment of a process that sees only `gpus` (all if empty), simulated as the file `simulation` says unless it
// is empty. Returns the reason as text if that is impossible.
std::variant<Environment, std::string> measuring_environment(const std::filesystem::path& simulation,
                                                             const std::vector<int>& gpus, int all);

}  // namespace tocuda
