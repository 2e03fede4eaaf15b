// tocuda, Apache-2.0.
// The loader's cache of the libraries in its system folders, /etc/ld.so.cache.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace tocuda::doctor {

// From the name of a library to its path; of several paths the first. Empty if the text is no cache.
std::map<std::string, std::string, std::less<>> loader_cache_of(std::string_view text);

}  // namespace tocuda::doctor
