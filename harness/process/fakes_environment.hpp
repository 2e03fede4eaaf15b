// tocuda, Apache-2.0.
// Turns a variant's fakes ("driver absent", "driver 13000 init 999") into the environment that loads them. The
// loader finds these libraries, so the variables must be set before exec.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "model/problem.hpp"
#include "model/scenario.hpp"

namespace tocuda {

// Returns the changes to `of_this_process` (whose LD_LIBRARY_PATH is kept after ours). `folder` holds the built
// libraries.
//   driver absent                    no driver at all
//   driver VERSION [init CODE]       a driver of that version whose initialization returns CODE
//   driver VERSION visible [GPUS]    one that obeys CUDA_VISIBLE_DEVICES
//   runtime FILE                     the simulated GPUs of FILE, with the recorder
//   recorder                         the recorder alone
// A problem names the entry.
Expected<Environment> fakes_environment(const std::vector<std::string>& fakes, const std::filesystem::path& folder,
                                        const Environment& of_this_process);

}  // namespace tocuda
