// tocuda, Apache-2.0.
#include "telemetry/management.hpp"

#include <dlfcn.h>
#include <link.h>

namespace tocuda {

SharedLibrary::SharedLibrary(const std::string& name) : handle(dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (handle) return;
    const char* text = dlerror();
    reason = text ? text : "the loader gave no reason";
}

void* SharedLibrary::address(const char* name) const { return handle ? dlsym(handle, name) : nullptr; }

std::string SharedLibrary::file() const {
    link_map* map = nullptr;
    if (!handle || dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || !map || !map->l_name) return {};
    return map->l_name;
}

Management::Management(const std::string& name) : library(name) {
    if (library.loaded()) state = ask<nvml::Init>("nvmlInit_v2");
    else state = problem("no NVML: " + name + " cannot be loaded: " + library.error());
}

std::string Management::words_for(const char* name, int answer) const {
    if (answer == absent) return "NVML has no " + std::string(name);
    const auto text = library.function<nvml::ErrorString>("nvmlErrorString");
    const char* words = text ? text(answer) : nullptr;
    return std::string(name) + " answered " + std::to_string(answer) + (words ? " (" + std::string(words) + ")" : "");
}

}  // namespace tocuda
