// tocuda, Apache-2.0.
// Another build of tocuda beside this one: where it is, what it says of itself, what its workers hold.
#pragma once

#include <filesystem>
#include <string>
#include <variant>

#include "command/catalogue.hpp"
#include "model/build.hpp"

namespace tocuda {

struct OtherBuild {
    std::filesystem::path folder{};
    Build build{};
    Catalogue catalogue{};
};

Build this_build();

// In this folder, or in build/default of it: a clone's root. Or what is wrong with it, for people.
std::variant<OtherBuild, std::string> other_build(const std::filesystem::path& named);

}  // namespace tocuda
