// tocuda, Apache-2.0.
// The fake driver (libcuda.so.1) of a machine that cannot use its GPU: the real runtime calls it and fails as it would
// there.
#include <cstring>

#include "fake_driver/broken_machine.hpp"

namespace {

using tocuda::simulator::BrokenMachine;

constexpr int invalid_value = 1;
constexpr int not_found = 500;
constexpr int not_supported = 801;

const BrokenMachine& machine() {
    static const BrokenMachine here = BrokenMachine::of_environment();
    return here;
}

int refuse() { return not_supported; }

}  // namespace

extern "C" {

int cuDriverGetVersion(int* version) {
    if (!version || !machine().understood) return invalid_value;
    *version = machine().version;
    return 0;
}

int cuInit(unsigned int) { return machine().understood ? machine().answer_to_init : invalid_value; }

int cuDeviceGetCount(int* count) {
    if (!count) return invalid_value;
    *count = machine().answer_to_init == 0 ? machine().devices : 0;
    return machine().answer_to_init;
}

// The runtime looks for private tables here; without them no fake driver can pass for a working device.
int cuGetExportTable(const void** table, const void*) {
    if (table) *table = nullptr;
    return not_found;
}

int cuGetProcAddress_v2(const char* name, void** function, int version, unsigned long long flags, int* status);

int cuGetProcAddress(const char* name, void** function, int version, unsigned long long flags) {
    return cuGetProcAddress_v2(name, function, version, flags, nullptr);
}

// Every name is found: the runtime takes a missing function for a sign of an older driver than the version reported.
int cuGetProcAddress_v2(const char* name, void** function, int version, unsigned long long, int* status) {
    if (!name || !function) return invalid_value;
    if (status) *status = 0;
    *function = reinterpret_cast<void*>(&refuse);
    if (std::strcmp(name, "cuInit") == 0) *function = reinterpret_cast<void*>(&cuInit);
    if (std::strcmp(name, "cuDriverGetVersion") == 0) *function = reinterpret_cast<void*>(&cuDriverGetVersion);
    if (std::strcmp(name, "cuDeviceGetCount") == 0) *function = reinterpret_cast<void*>(&cuDeviceGetCount);
    if (std::strcmp(name, "cuGetExportTable") == 0) *function = reinterpret_cast<void*>(&cuGetExportTable);
    if (std::strcmp(name, "cuGetProcAddress") == 0) {
        *function = version >= 12000 ? reinterpret_cast<void*>(&cuGetProcAddress_v2)
                                     : reinterpret_cast<void*>(&cuGetProcAddress);
    }
    return 0;
}

}  // extern "C"
