// tocuda, Apache-2.0.
// Turns a variant's stand_ins ("driver absent", "driver 13000 init 999") into the environment that loads them. The
// loader finds these libraries, so the variables must be set before exec.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/scenario.hpp"

namespace tocuda {

struct BadStandIn {
    std::string stand_in;
    std::string problem;  // a sentence that names the entry
};

using StandInEnvironment = std::variant<Environment, BadStandIn>;

// Returns the changes to `of_this_process` (whose LD_LIBRARY_PATH is kept after ours). `folder` holds the built
// libraries.
//   driver absent                    no driver at all
//   driver VERSION [init CODE]       a driver of that version whose initialization returns CODE
//   driver VERSION visible [GPUS]    one that obeys CUDA_VISIBLE_DEVICES
//   runtime FILE                     the simulated GPUs of FILE, with the recorder
//   recorder                         the recorder alone
StandInEnvironment stand_in_environment(const std::vector<std::string>& stand_ins, const std::filesystem::path& folder,
                                        const Environment& of_this_process);

}  // namespace tocuda
