// tocuda, Apache-2.0.
// How tests call a function of the simulated NVML.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

namespace tocuda::simulator {

template <typename... Arguments>
int ask(const char* name, Arguments... arguments) {
    void* library = ::dlopen(TOCUDA_MANAGEMENT_LIBRARY, RTLD_NOW);
    EXPECT_NE(library, nullptr);
    auto* function = reinterpret_cast<int (*)(Arguments...)>(::dlsym(library, name));
    EXPECT_NE(function, nullptr) << name;
    return function == nullptr ? -1 : function(arguments...);
}

}  // namespace tocuda::simulator
