// tocuda, Apache-2.0.
#include "telemetry/management.hpp"

namespace tocuda {

Management::Management(const std::string& name) : library(name) {
    if (library.loaded()) state = ask<nvml::Init>("nvmlInit_v2");
    else state = problem("no NVML: " + name + " cannot be loaded: " + library.error());
}

std::string Management::words_for(const char* name, int answer) const {
    if (answer == absent) return "NVML has no " + std::string(name);
    const auto text = library.function<nvml::ErrorString>("nvmlErrorString");
    const char* words = text == nullptr ? nullptr : text(answer);
    return std::string(name) + " answered " + std::to_string(answer) +
           (words == nullptr ? "" : " (" + std::string(words) + ")");
}

}  // namespace tocuda
