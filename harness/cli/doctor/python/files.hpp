// tocuda, Apache-2.0.
// What the files of a Python installation say.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "doctor/python/rooted.hpp"
#include "doctor/python/seen_python.hpp"

namespace tocuda::doctor {

// Finds an interpreter and the folders in which it looks for packages, from files alone.

// Fills everything but torch; `problem` says why the rest is empty.
PythonSeen see_interpreter(const Rooted& root, const std::string& python,
                           const std::map<std::string, std::string>& environment);

// What the folders of installed packages say about torch and NVIDIA's libraries.

// The torch that `import torch` finds first; nullopt if there is none. Its libraries are not looked at.
std::optional<TorchSeen> see_torch(const Rooted& root, const PythonSeen& python);

// The architectures that torch.cuda.get_arch_list() reports: LibTorch keeps them as a text in libtorch_python.so.
std::vector<std::string> architectures_in(std::string_view bytes);

// The loader's cache of the libraries in its system folders, /etc/ld.so.cache.

// From the name of a library to its path; of several paths the first. Empty if the text is no cache.
std::map<std::string, std::string, std::less<>> loader_cache_of(std::string_view text);

// Which libraries `import torch` would load, in the order of the dynamic loader, and what it would not find.
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
