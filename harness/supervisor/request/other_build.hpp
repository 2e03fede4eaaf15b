// tocuda, Apache-2.0.
// Another build of tocuda beside this one: its folder, its version and its workers.
#pragma once

#include <filesystem>
#include <string>

#include "model/machine.hpp"
#include "model/problem.hpp"
#include "request/catalogue.hpp"

namespace tocuda {

struct OtherBuild {
    std::filesystem::path folder{};
    Build build{};
    Catalogue catalogue{};
};

Build this_build();

// Looks in this folder and in its build/default (a clone's root). Returns what is wrong if it finds no usable build.
Expected<OtherBuild> other_build(const std::filesystem::path& named);

}  // namespace tocuda
