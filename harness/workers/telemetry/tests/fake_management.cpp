// tocuda, Apache-2.0.
// A fake NVML for the tests of Gauge, with two GPUs and an instance. The first GPU supports everything; the second,
// found only by its PCI bus id, behaves as with an older driver, and MIG divides it; the instance is found by its UUID.
#include <cstring>

namespace {

constexpr int not_supported = 3;
constexpr int not_found = 6;
constexpr int insufficient_size = 7;

int handle_values[3] = {0, 1, 2};
int processes_asked_for = 0;
const char* driver = "580.95.05";
unsigned power_now_mw = 310'250;

bool is_new(const void* handle) { return *static_cast<const int*>(handle) == 0; }

bool is_instance(const void* handle) { return *static_cast<const int*>(handle) == 2; }

struct FieldValue {
    unsigned field, scope;
    long long timestamp, latency;
    int type, answer;
    unsigned long long value;
};

struct Process {
    unsigned pid;
    unsigned long long bytes;
    unsigned gpu_instance, compute_instance;
};

}  // namespace

extern "C" {

int fake_management_processes_asked_for() { return processes_asked_for; }

void fake_management_use_driver(const char* version) { driver = version; }
void fake_management_draw_now(unsigned milliwatts) { power_now_mw = milliwatts; }

int nvmlSystemGetDriverVersion(char* text, unsigned) {
    std::strcpy(text, driver);
    return 0;
}

int nvmlInit_v2() { return 0; }
const char* nvmlErrorString(int error) { return error == not_supported ? "Not Supported" : "Not Found"; }

int nvmlDeviceGetHandleByUUID(const char* uuid, void** handle) {
    const bool instance = std::strcmp(uuid, "MIG-part") == 0;
    *handle = &handle_values[instance ? 2 : 0];
    return instance || std::strcmp(uuid, "GPU-new") == 0 ? 0 : not_found;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char* place, void** handle) {
    *handle = &handle_values[1];
    return std::strcmp(place, "0000:02:00.0") == 0 ? 0 : not_found;
}

int nvmlDeviceGetMigMode(void* handle, unsigned* current, unsigned* pending) {
    *current = is_new(handle) ? 0 : 1;
    *pending = *current;
    return is_instance(handle) ? not_supported : 0;
}

int nvmlDeviceIsMigDeviceHandle(void* handle, unsigned* value) {
    *value = is_instance(handle) ? 1 : 0;
    return 0;
}

int nvmlDeviceGetDeviceHandleFromMigDeviceHandle(void* part, void** whole) {
    *whole = &handle_values[1];
    return is_instance(part) ? 0 : not_found;
}

int nvmlDeviceGetClockInfo(void* handle, unsigned kind, unsigned* megahertz) {
    *megahertz = kind == 1 ? 1980 : 3201;
    return is_instance(handle) ? not_supported : 0;
}

int nvmlDeviceGetMaxClockInfo(void* handle, unsigned kind, unsigned* megahertz) {
    *megahertz = kind == 1 ? 2100 : 3300;
    return is_new(handle) ? 0 : not_supported;
}

int nvmlDeviceGetTemperature(void* handle, unsigned, unsigned* degrees) {
    *degrees = 41;
    return is_new(handle) ? 0 : not_supported;
}

int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) {
    *milliwatts = 123'500;
    return 0;
}

int nvmlDeviceGetCurrentClocksEventReasons(void* handle, unsigned long long* bits) {
    *bits = 0x4 | 0x40 | 0x4000;
    return is_new(handle) ? 0 : not_supported;
}

int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* bits) {
    *bits = 0x1;
    return 0;
}

// Like a real NVML, gives each field a result of its own, so that one unsupported field does not fail the others.
int nvmlDeviceGetFieldValues(void* handle, int count, FieldValue* values) {
    if (!is_new(handle)) return not_supported;
    for (int i = 0; i < count; ++i) {
        values[i].type = values[i].field == 74 ? 1 : 3;
        values[i].value = values[i].field;
        values[i].answer = values[i].field == 77 ? not_supported : 0;
        if (values[i].field == 186) {  // the power at this moment, which older drivers do not know
            values[i].type = 1;
            values[i].value = power_now_mw;
            values[i].answer = power_now_mw == 0 ? not_supported : 0;
        }
        if (values[i].field != 138) continue;
        const auto link = values[i].scope;  // three links, which have sent 100, 200 and 300 KiB
        values[i].value = link == ~0U ? 600 : 100 * (link + 1);
        values[i].answer = link == ~0U || link < 3 ? 0 : not_supported;
    }
    return 0;
}

int nvmlDeviceGetComputeRunningProcesses_v3(void* handle, unsigned* count, Process*) {
    ++processes_asked_for;
    *count = is_new(handle) ? 3 : 0;
    return *count > 64 ? insufficient_size : 0;
}

int nvmlDeviceGetCurrPcieLinkGeneration(void*, unsigned* value) {
    *value = 1;
    return 0;
}

int nvmlDeviceGetCurrPcieLinkWidth(void*, unsigned* value) {
    *value = 8;
    return 0;
}

int nvmlDeviceGetPcieReplayCounter(void* handle, unsigned* replays) {
    *replays = 3;
    return is_new(handle) ? 0 : not_supported;
}

// Corrected and uncorrected errors are of kind 0 and 1, those since the driver was loaded of counter 0.
int nvmlDeviceGetTotalEccErrors(void* handle, unsigned kind, unsigned counter, unsigned long long* errors) {
    *errors = 20 + kind + 100 * counter;
    return is_new(handle) ? 0 : not_supported;
}

int nvmlDeviceGetMaxPcieLinkGeneration(void*, unsigned* value) {
    *value = 5;
    return 0;
}

int nvmlDeviceGetGpuMaxPcieLinkGeneration(void* handle, unsigned* value) {
    *value = 6;
    return is_new(handle) ? 0 : not_supported;
}

int nvmlDeviceGetMaxPcieLinkWidth(void* handle, unsigned* value) {
    *value = 16;
    return is_new(handle) ? 0 : not_supported;
}

}  // extern "C"
