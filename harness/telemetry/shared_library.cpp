// tocuda, Apache-2.0.
#include "telemetry/shared_library.hpp"

#include <dlfcn.h>
#include <link.h>

namespace tocuda {

SharedLibrary::SharedLibrary(const std::string& name) : handle(dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (handle != nullptr) return;
    const char* text = dlerror();
    reason = text == nullptr ? "the loader gave no reason" : text;
}

void* SharedLibrary::address(const char* name) const { return handle == nullptr ? nullptr : dlsym(handle, name); }

std::string SharedLibrary::file() const {
    link_map* map = nullptr;
    if (handle == nullptr || dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr || map->l_name == nullptr)
        return {};
    return map->l_name;
}

}  // namespace tocuda
