// tocuda, Apache-2.0.
// How a process that measures is started: its program, its words, its environment and how long it may take.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "command/catalogue.hpp"
#include "model/benchmark.hpp"

namespace tocuda {

// The build of a worker whose kernels run on the CPU, where there is one and GPUs are simulated.
std::string program_of(const Worker& worker, bool simulated);

// What it reads from its standard input.
std::string words_for(const Protocol& protocol, const std::vector<Parameters>& sets);

// Long enough for the slowest machine: what is slow shows in its numbers, what hangs shows here.
double seconds_to_measure(const std::vector<Parameters>& sets, const Protocol& protocol);

// What CUDA_VISIBLE_DEVICES has to say so that a child sees these GPUs alone, where this process sees `all`, perhaps by
// a list of its own. None: it may stay as it is.
std::optional<std::string> visible_gpus(const std::vector<int>& gpus, int all, const std::optional<std::string>& ours);

// With these GPUs alone (none: all of them), simulated as the file says where there is one; or why that cannot be had.
std::variant<Environment, std::string> measuring_environment(const std::filesystem::path& simulation,
                                                             const std::vector<int>& gpus, int all);

}  // namespace tocuda
