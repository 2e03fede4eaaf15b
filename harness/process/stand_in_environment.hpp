// tocuda, Apache-2.0.
// From a variant's stand-ins ("driver absent", "driver 13000 init 999") to the environment that puts them in place. They are found by
// the loader, so they must be there before exec.
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
    std::string problem;  // a sentence that names it
};

using StandInEnvironment = std::variant<Environment, BadStandIn>;

// The changes to `of_this_process` (whose LD_LIBRARY_PATH is kept, behind ours). `folder` is the one the stand-ins were built in.
//   driver absent                    no driver at all
//   driver VERSION [init CODE]       a driver of that version, whose initialization answers CODE
//   driver VERSION visible [GPUS]    one that minds CUDA_VISIBLE_DEVICES
//   runtime FILE                     simulated GPUs, as FILE says, under the recorder
//   recorder                         the recorder alone
StandInEnvironment stand_in_environment(const std::vector<std::string>& stand_ins, const std::filesystem::path& folder,
                                        const Environment& of_this_process);

}  // namespace tocuda
