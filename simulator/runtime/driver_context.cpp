// tocuda, Apache-2.0.
// The driver's functions for devices and contexts that LibTorch uses: one primary context per device, and the thread's
// current one; and those that look driver functions up by name.
#include <cuda.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstring>
#include <string>

#include "runtime/call_frame.hpp"
#include "runtime/properties.hpp"
#include "runtime/unsupported.hpp"

namespace tocuda::simulator {
namespace {

CUresult refusal() { return static_cast<CUresult>(Simulation::here().refusal()); }

Device* device_at(int device) {
    const Simulation& simulation = Simulation::here();
    return simulation.has_device(device) ? &simulation.device(device) : nullptr;
}

CUcontext context_of(Device& device) { return reinterpret_cast<CUcontext>(&device); }

bool has_context(Device& device) {
    const std::lock_guard lock(Simulation::here().mutex);
    return device.has_context();
}

template <typename Value>
CUresult give(Value* to, const std::type_identity_t<Value>& value) {
    return static_cast<CUresult>(write(to, value));
}

constexpr unsigned char table_of_profilers[16] = {0x7c, 0xb6, 0x3f, 0x9b, 0x9c, 0xa4, 0x8e, 0x42,
                                                  0xa4, 0x84, 0xbe, 0xb6, 0x6e, 0x6a, 0xed, 0x7f};

int refuse_unnamed() { return unsupported("a driver function of unknown name"); }

// This library, however it was loaded.
void* own_handle() {
    static void* const handle = [] {
        Dl_info here{};
        ::dladdr(reinterpret_cast<const void*>(&refuse_unnamed), &here);
        return ::dlopen(here.dli_fname, RTLD_NOW | RTLD_NOLOAD);
    }();
    return handle;
}

// Every name is found: LibTorch gives up if one is missing, even if it would never call it.
void* find(const char* name) {
    void* found = ::dlsym(own_handle(), (std::string(name) + "_v2").c_str());
    if (!found) found = ::dlsym(own_handle(), name);
    return found ? found : reinterpret_cast<void*>(&refuse_unnamed);
}

}  // namespace

extern "C" {

CUresult cuInit(unsigned) { return refusal(); }

CUresult cuDriverGetVersion(int* version) { return give(version, Simulation::here().profile.driver_version); }

CUresult cuDeviceGetCount(int* count) {
    if (!count) return CUDA_ERROR_INVALID_VALUE;
    *count = static_cast<int>(Simulation::here().devices.size());
    return refusal();
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
    if (refusal() != CUDA_SUCCESS) return refusal();
    if (!device || !device_at(ordinal)) return CUDA_ERROR_INVALID_DEVICE;
    *device = ordinal;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
    if (!device_at(device) || !name || length < 1) return CUDA_ERROR_INVALID_VALUE;
    std::snprintf(name, static_cast<std::size_t>(length), "%s", device_at(device)->profile.name.c_str());
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) {
    if (!device_at(device) || !uuid) return CUDA_ERROR_INVALID_VALUE;
    write_uuid(device_at(device)->profile.uuid, *uuid);
    return CUDA_SUCCESS;
}

// In the header this name stands for the newer of two functions; this defines the older.
CUresult uuid_by_the_older_name(CUuuid* uuid, CUdevice device) __asm__("cuDeviceGetUuid");
// Of a MIG instance it returns the UUID of the whole GPU.
CUresult uuid_by_the_older_name(CUuuid* uuid, CUdevice device) {
    const CUresult result = cuDeviceGetUuid(uuid, device);
    if (result == CUDA_SUCCESS && device_at(device)->profile.mig == 1) uuid->bytes[0] ^= 1;
    return result;
}

CUresult cuDeviceTotalMem(size_t* bytes, CUdevice device) {
    if (!device_at(device)) return CUDA_ERROR_INVALID_VALUE;
    return give(bytes, static_cast<std::size_t>(device_at(device)->profile.memory_bytes));
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
    if (!device_at(device)) return CUDA_ERROR_INVALID_VALUE;
    return give(value, attribute_of(device_at(device)->profile, static_cast<int>(attribute)).value_or(0));
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
    if (refusal() != CUDA_SUCCESS) return refusal();
    if (!device_at(device)) return CUDA_ERROR_INVALID_DEVICE;
    if (flags) *flags = 0;
    if (active) *active = has_context(*device_at(device)) ? 1 : 0;
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
    if (refusal() != CUDA_SUCCESS) return refusal();
    if (!device_at(device) || !context) return CUDA_ERROR_INVALID_DEVICE;
    const std::lock_guard lock(Simulation::here().mutex);
    try {
        Simulation::here().use(*device_at(device));
    } catch (const DeviceUnavailable&) {
        return CUDA_ERROR_DEVICE_UNAVAILABLE;
    }
    *context = context_of(*device_at(device));
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice) { return CUDA_SUCCESS; }

CUresult cuCtxGetCurrent(CUcontext* context) {
    if (refusal() != CUDA_SUCCESS) return refusal();
    Device& device = *device_at(Thread::mine().device);
    return give(context, has_context(device) ? context_of(device) : nullptr);
}

CUresult cuCtxSetCurrent(CUcontext context) {
    if (refusal() != CUDA_SUCCESS) return refusal();
    if (!context) return CUDA_SUCCESS;
    for (const auto& device : Simulation::here().devices) {
        if (context_of(*device) != context) continue;
        Thread::mine().device = device->number;
        return CUDA_SUCCESS;
    }
    return CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuCtxGetDevice(CUdevice* device) {
    return refusal() != CUDA_SUCCESS ? refusal() : give(device, Thread::mine().device);
}

CUresult cuPointerGetAttribute(void* value, CUpointer_attribute attribute, CUdeviceptr address) {
    if (refusal() != CUDA_SUCCESS) return refusal();
    Simulation& simulation = Simulation::here();
    const std::lock_guard lock(simulation.mutex);
    simulation.spend(*simulation.devices.front(), simulation.devices.front()->profile.call_ns);
    const auto* found = simulation.memory.around(address);
    if (!found) return CUDA_ERROR_INVALID_VALUE;
    switch (attribute) {
        case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
            return give(static_cast<int*>(value), found->device);
        case CU_POINTER_ATTRIBUTE_MEMORY_TYPE: {
            const bool on_host = found->kind == MemoryKind::pinned || found->kind == MemoryKind::registered;
            return give(static_cast<unsigned*>(value), unsigned{on_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE});
        }
        default:
            return CUDA_ERROR_NOT_SUPPORTED;
    }
}

CUresult cuGetErrorString(CUresult code, const char** text) {
    return give(text, cudaGetErrorString(static_cast<cudaError_t>(code)));
}

CUresult cuGetErrorName(CUresult code, const char** name) {
    return give(name, cudaGetErrorName(static_cast<cudaError_t>(code)));
}

// The simulated driver keeps no log, so the callback is never called.
CUresult cuLogsRegisterCallback(CUlogsCallback, void*, CUlogsCallbackHandle* handle) {
    if (handle) *handle = nullptr;
    return CUDA_SUCCESS;
}
CUresult cuLogsUnregisterCallback(CUlogsCallbackHandle) { return CUDA_SUCCESS; }

// A second runtime needs the driver's private tables; without them it reports at once that it cannot work. CUPTI, which
// the profiler loads, calls itself without end if it finds no table of its own: it gets one without entries, and
// reports that it cannot work.
CUresult cuGetExportTable(const void** table, const CUuuid* id) {
    if (!table || !id) return CUDA_ERROR_INVALID_VALUE;
    static constexpr std::size_t without_entries = sizeof without_entries;  // a table begins with its size
    const bool of_profilers = std::memcmp(id->bytes, table_of_profilers, sizeof id->bytes) == 0;
    *table = of_profilers ? &without_entries : nullptr;
    if (of_profilers) unsupported("CUPTI (profilers see what the host does, and nothing of the GPUs)");
    return of_profilers ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned version, unsigned long long,
                                             cudaDriverEntryPointQueryResult* status) {
    if (!name || !function) return remembered(cudaErrorInvalidValue);
    const bool older = std::strcmp(name, "cuDeviceGetUuid") == 0 && version < 11040;
    *function = older ? reinterpret_cast<void*>(&uuid_by_the_older_name) : find(name);
    if (status) *status = cudaDriverEntryPointSuccess;
    return cudaSuccess;
}

cudaError_t cudaGetDriverEntryPoint(const char* name, void** function, unsigned long long flags,
                                    cudaDriverEntryPointQueryResult* status) {
    return cudaGetDriverEntryPointByVersion(name, function, CUDART_VERSION, flags, status);
}

CUresult cuGetProcAddress(const char* name, void** function, int, cuuint64_t, CUdriverProcAddressQueryResult* status) {
    if (!name || !function) return CUDA_ERROR_INVALID_VALUE;
    *function = find(name);
    if (status) *status = CU_GET_PROC_ADDRESS_SUCCESS;
    return CUDA_SUCCESS;
}

}  // extern "C"
}  // namespace tocuda::simulator
