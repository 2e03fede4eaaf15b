// tocuda, Apache-2.0.
// For the tests of the probe: one library with a driver and an NVML for three GPUs. The second is a MIG instance, one
// of two of its GPU; the third is unknown to NVML.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr int devices = 3;
constexpr int invalid_value = 1;
constexpr int not_supported = 3;
constexpr int not_found = 6;
constexpr int gpu_is_lost = 15;

int written(char* text, unsigned length, const char* words) {
    std::snprintf(text, length, "%s", words);
    return 0;
}

int handle_values[devices] = {0, 1, 2};
int instance_values[2] = {10, 11};

int index_of(const void* handle) { return *static_cast<const int*>(handle); }

}  // namespace

extern "C" {

// Takes as long as the test requests, like a real cuInit that has to wake the GPU.
int cuInit(unsigned) {
    const char* seconds = std::getenv("FAKE_DRIVER_SECONDS");
    if (seconds != nullptr) ::sleep(static_cast<unsigned>(std::atoi(seconds)));
    return 0;
}

int cuDriverGetVersion(int* version) {
    const char* other = std::getenv("FAKE_DRIVER_CUDA");
    *version = other ? std::atoi(other) : 13010;
    return 0;
}

int cuDeviceGetCount(int* count) {
    *count = devices;
    return 0;
}

int cuDeviceGet(int* device, int ordinal) {
    *device = ordinal;
    return ordinal < devices ? 0 : invalid_value;
}

int cuDeviceGetName(char* name, int length, int) { return written(name, static_cast<unsigned>(length), "A Fine GPU"); }

int cuDeviceGetUuid(unsigned char* uuid, int device) {
    std::memset(uuid, 0x10 + device, 16);
    return 0;
}

int cuDeviceGetUuid_v2(unsigned char* uuid, int device) {
    std::memset(uuid, device == 1 ? 0xaa : 0x10 + device, 16);
    return 0;
}

int cuDeviceTotalMem_v2(std::size_t* bytes, int) {
    *bytes = std::size_t{150} << 30;
    return 0;
}

// 75 and 76 are the compute capability; 33, 34 and 50 are bus, device and domain. 88 is access to pageable memory, 100
// whether by the host's page tables: the first GPU has it by software, the others by hardware.
int cuDeviceGetAttribute(int* value, int attribute, int device) {
    if (attribute == 88 || attribute == 100) {
        *value = attribute == 88 || device > 0;
        return 0;
    }
    *value = attribute == 75 ? 9 : attribute == 76 ? 1 : attribute == 33 ? device : 0;
    return attribute == 75 || attribute == 76 || attribute == 33 || attribute == 34 || attribute == 50 ? 0
                                                                                                       : invalid_value;
}

int nvmlInit_v2() { return 0; }

const char* nvmlErrorString(int error) { return error == not_supported ? "Not Supported" : "Not Found"; }

int nvmlSystemGetDriverVersion(char* text, unsigned length) { return written(text, length, "590.44.01"); }

int nvmlDeviceGetCount_v2(unsigned* count) {
    *count = 2;
    return 0;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char* place, void** handle) {
    unsigned index = 0;
    if (std::sscanf(place, "00000000:%2x:00.0", &index) != 1 || index > 1) return not_found;
    *handle = &handle_values[index];
    return 0;
}

int nvmlDeviceGetVbiosVersion(void*, char* text, unsigned length) { return written(text, length, "96.00.AF"); }

int nvmlDeviceGetPowerManagementLimit(void* handle, unsigned* milliwatts) {
    *milliwatts = 700'500;
    return index_of(handle) == 0 ? 0 : not_supported;
}

int nvmlDeviceGetBAR1MemoryInfo(void*, unsigned long long* answer) {
    answer[0] = 256ULL << 30;
    return 0;
}

int nvmlDeviceGetGspFirmwareMode(void* handle, unsigned* enabled, unsigned* usual) {
    *enabled = index_of(handle) == 0 ? 1 : 0;
    *usual = 1;
    return 0;
}

int nvmlDeviceGetGspFirmwareVersion(void* handle, char* text) {
    return index_of(handle) == 0 ? written(text, 64, "590.44.01") : not_supported;
}

int nvmlDeviceGetEccMode(void*, unsigned* current, unsigned* pending) {
    *current = 1;
    *pending = 0;
    return 0;
}

int nvmlDeviceGetMigMode(void* handle, unsigned* current, unsigned* pending) {
    *current = index_of(handle) == 1 ? 1 : 0;
    *pending = 1;
    return 0;
}

int nvmlDeviceGetPersistenceMode(void*, unsigned* mode) {
    *mode = 1;
    return 0;
}

int nvmlDeviceGetCurrPcieLinkGeneration(void*, unsigned* value) {
    *value = 1;
    return 0;
}

int nvmlDeviceGetCurrPcieLinkWidth(void*, unsigned* value) {
    *value = 8;
    return 0;
}

int nvmlDeviceGetGpuMaxPcieLinkGeneration(void*, unsigned* value) {
    *value = 6;
    return 0;
}

int nvmlDeviceGetMaxPcieLinkGeneration(void*, unsigned* value) {
    *value = 5;
    return 0;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** handle) {
    *handle = &handle_values[index];
    return 0;
}

// The second GPU has fallen off the bus.
int nvmlDeviceGetTemperature(void* handle, unsigned, unsigned* degrees) {
    *degrees = 40;
    return index_of(handle) == 1 ? gpu_is_lost : 0;
}

int nvmlDeviceGetUUID(void* handle, char* text, unsigned length) {
    const int index = index_of(handle);
    return written(text, length,
                   index == 10   ? "MIG-aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa"
                   : index == 11 ? "MIG-bbbbbbbb-bbbb-bbbb-bbbb-bbbbbbbbbbbb"
                                 : "GPU-10101010");
}

int nvmlDeviceGetName(void* handle, char* text, unsigned length) {
    return index_of(handle) < 10 ? not_supported : written(text, length, "A Fine GPU MIG 1g.20gb");
}

int nvmlDeviceGetCudaComputeCapability(void*, int* major, int* minor) {
    *major = 9;
    *minor = 1;
    return 0;
}

int nvmlDeviceGetComputeMode(void*, unsigned* mode) {
    *mode = 3;
    return 0;
}

int nvmlDeviceGetMaxMigDeviceCount(void*, unsigned* count) {
    *count = 7;
    return 0;
}

int nvmlDeviceGetMigDeviceHandleByIndex(void*, unsigned index, void** instance) {
    if (index >= 2) return not_found;
    *instance = &instance_values[index];
    return 0;
}

int nvmlDeviceGetTotalEccErrors(void*, unsigned kind, unsigned counter, unsigned long long* count) {
    *count = kind == 1 && counter == 0 ? 5'000'000'000 : 1;
    return 0;
}

// The second GPU is too old for it, and retires pages instead.
int nvmlDeviceGetRemappedRows(void* handle, unsigned*, unsigned*, unsigned* pending, unsigned* failed) {
    *pending = 1;
    *failed = 0;
    return index_of(handle) == 1 ? not_supported : 0;
}

int nvmlDeviceGetRetiredPagesPendingStatus(void* handle, unsigned* pending) {
    *pending = 1;
    return index_of(handle) == 1 ? 0 : not_supported;
}

int nvmlDeviceGetUtilizationRates(void*, unsigned* gpu_memory) {
    gpu_memory[0] = 37;
    gpu_memory[1] = 5;
    return 0;
}

// Other programs compute on each GPU, or only on the one that a test names.
int nvmlDeviceGetComputeRunningProcesses_v3(void* handle, unsigned* count, void*) {
    const char* used = std::getenv("FAKE_DRIVER_USED");
    *count = used == nullptr || index_of(handle) == std::atoi(used) ? 2 : 0;
    return 0;
}

int nvmlDeviceGetPowerManagementDefaultLimit(void*, unsigned* milliwatts) {
    *milliwatts = 700'000;
    return 0;
}

int nvmlDeviceGetMemoryInfo(void* handle, unsigned long long* total_free_used) {
    total_free_used[0] = (index_of(handle) < 10 ? 150ULL : 20ULL) << 30;
    total_free_used[1] = 100ULL << 30;
    return 0;
}

// 16 bytes of the cluster, the status at 16, the clique at 20, the state at 24.
int nvmlDeviceGetGpuFabricInfo(void*, unsigned char* info) {
    std::memset(info, 0xee, 16);
    info[24] = 2;
    return 0;
}

// The address begins at 36, behind a shorter one and five numbers.
int nvmlDeviceGetPciInfo_v3(void* handle, char* info) {
    std::snprintf(info + 36, 32, "00000000:%02X:00.0", static_cast<unsigned>(index_of(handle)));
    return 0;
}

int nvmlSystemGetConfComputeState(unsigned* environment_enabled_tools) {
    environment_enabled_tools[1] = 1;
    return 0;
}

int nvmlSystemGetConfComputeGpusReadyState(unsigned* accepting) {
    *accepting = 0;
    return 0;
}

}  // extern "C"
