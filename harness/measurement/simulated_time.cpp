// tocuda, Apache-2.0.
// Calls the simulated runtime if it is loaded in this process.
#include "measurement/simulated_time.hpp"

#include <dlfcn.h>

#include "simulator/simulation.h"

namespace tocuda {
namespace {

template <class Function>
Function* named(const char* name) {
    return reinterpret_cast<Function*>(::dlsym(RTLD_DEFAULT, name));
}

}  // namespace

void move_simulated_bytes(bool on) {
    static auto* const clock_only = named<decltype(tocuda_simulation_clock_only)>("tocuda_simulation_clock_only");
    if (clock_only) clock_only(on ? 0 : 1);
}

void pass_host_seconds(double seconds) {
    static auto* const pass = named<decltype(tocuda_simulation_pass)>("tocuda_simulation_pass");
    if (pass) pass(seconds);
}

}  // namespace tocuda
