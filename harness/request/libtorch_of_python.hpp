// tocuda, Apache-2.0.
// Finds LibTorch for the workers of an installed tree, which holds none: that of $TOCUDA_PYTHON, otherwise of python3.
#pragma once

#include <filesystem>
#include <string>

#include "model/problem.hpp"
#include "model/scenario.hpp"

namespace tocuda {

struct FoundLibTorch {
    std::string version{};      // "2.15.0"
    Environment environment{};  // what workers that use it are started with
};

// Returns the version that the workers of `folder` were built for, "2.15". Empty for a build folder, whose workers know
// the path of their LibTorch.
std::string libtorch_needed_by(const std::filesystem::path& folder);

// A problem says what is needed, what was found, and what to do.
Expected<FoundLibTorch> libtorch_of_python(const std::string& needed, const std::filesystem::path& folder);

}  // namespace tocuda
