// tocuda, Apache-2.0.
// The environment of a child: that of this process, without variables that would silently change evidence, plus the
// changes that the scenario's variant requests.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "model/problem.hpp"
#include "model/scenario.hpp"

namespace tocuda {

Environment environment_of_this_process();

// True for variables that change how the driver, LibTorch, the loader, our CUDA libraries or Google Benchmark behaves,
// so that users who have them set would get different evidence. Which GPUs exist (CUDA_VISIBLE_DEVICES) and where files
// are does not count.
bool changes_evidence(const std::string& variable);
Environment without_what_changes_evidence(Environment environment);

// A value sets a variable, nullopt removes it. Later changes win.
Environment with_changes(Environment environment, const Environment& changes);

// Returns "NAME=value" sorted by name, for Child::environment.
std::vector<std::string> as_list(const Environment& environment);

// Cleans `of_this_process`, then applies each of `changes` in turn (those for our CUDA libraries first, then the
// variant's).
std::vector<std::string> child_environment(const Environment& of_this_process, const std::vector<Environment>& changes);

// Returns the changes to `of_this_process` (whose LD_LIBRARY_PATH is kept after ours). `folder` holds the built
// libraries.
//   driver absent                    no driver at all
//   driver VERSION [init CODE]       a driver of that version whose initialization returns CODE
//   driver VERSION visible [GPUS]    one that obeys CUDA_VISIBLE_DEVICES
//   runtime FILE                     the simulated GPUs of FILE, with the recorder
//   recorder                         the recorder alone
//   blas                             beside a runtime: a cuBLAS for its GPUs
// A problem names the entry.
Expected<Environment> fakes_environment(const std::vector<std::string>& fakes, const std::filesystem::path& folder,
                                        const Environment& of_this_process);

}  // namespace tocuda
