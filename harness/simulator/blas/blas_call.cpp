// tocuda, Apache-2.0.
#include "blas/blas_call.hpp"

#include <dlfcn.h>

#include <cstring>
#include <initializer_list>

namespace tocuda::simulator {
namespace {

// Functions with these words in their names only describe or set up something; all others compute.
bool computes(const char* name) {
    for (const char* word : {"Create", "Destroy", "Get", "Set", "Log", "Init", "Check", "Alloc", "Free", "Shutdown",
                             "Xerbla", "Disable"}) {
        if (std::strstr(name, word) != nullptr) return false;
    }
    return true;
}

}  // namespace

int blas_called(const char* name) {
    using Tell = void (*)(const char*);
    static const auto tell = reinterpret_cast<Tell>(::dlsym(RTLD_DEFAULT, "tocuda_simulation_not_executed"));
    if (tell != nullptr && computes(name)) tell(name);
    return blas_success;
}

}  // namespace tocuda::simulator

// Called by the functions that are generated from the real library's list of names.
extern "C" int tocuda_blas_called(const char* name) { return tocuda::simulator::blas_called(name); }
