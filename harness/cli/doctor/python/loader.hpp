// tocuda, Apache-2.0.
// Which libraries `import torch` would load, in the order of the dynamic loader, and what it would not find.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "doctor/python/rooted.hpp"
#include "doctor/python/seen_python.hpp"

namespace tocuda::doctor {

struct ImportPlan {
    std::string interpreter;                           // its RPATH counts for every library
    std::string torch;                                 // the package's folder
    std::string library_folder;                        // of LibTorch's libraries
    std::vector<std::string> search_path{};            // of Python
    std::map<std::string, std::string> environment{};  // LD_LIBRARY_PATH, LD_PRELOAD
};

// Those that are not found, lack symbols, or are taken though the packages bring another copy.
std::vector<LibraryTaken> troubled_libraries(const Rooted& root, const ImportPlan& plan);

}  // namespace tocuda::doctor
