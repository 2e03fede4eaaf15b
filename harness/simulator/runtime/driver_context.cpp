// tocuda, Apache-2.0.
// The driver's functions for devices and contexts that LibTorch uses: one primary context per device, and the thread's
// current one.
#include <cuda.h>

#include <cstdio>
#include <cstring>

#include "runtime/answer.hpp"
#include "runtime/properties.hpp"

using tocuda::simulator::Device;
using tocuda::simulator::Simulation;
using tocuda::simulator::Thread;

namespace {

CUresult refusal() { return static_cast<CUresult>(Simulation::here().refusal()); }

Device* device_at(int device) {
    auto& devices = Simulation::here().devices;
    return device >= 0 && device < static_cast<int>(devices.size()) ? devices[static_cast<std::size_t>(device)].get()
                                                                    : nullptr;
}

CUcontext context_of(Device& device) { return reinterpret_cast<CUcontext>(&device); }

bool has_context(Device& device) {
    const std::lock_guard lock(Simulation::here().mutex);
    return device.has_context();
}

}  // namespace

extern "C" {

CUresult cuInit(unsigned) { return refusal(); }

CUresult cuDriverGetVersion(int* version) {
    if (version == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *version = Simulation::here().profile.driver_version;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int* count) {
    if (count == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *count = static_cast<int>(Simulation::here().devices.size());
    return refusal();
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
    if (refusal() != CUDA_SUCCESS) return refusal();
    if (device == nullptr || device_at(ordinal) == nullptr) return CUDA_ERROR_INVALID_DEVICE;
    *device = ordinal;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
    if (device_at(device) == nullptr || name == nullptr || length < 1) return CUDA_ERROR_INVALID_VALUE;
    std::snprintf(name, static_cast<std::size_t>(length), "%s", device_at(device)->profile.name.c_str());
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) {
    if (device_at(device) == nullptr || uuid == nullptr) return CUDA_ERROR_INVALID_VALUE;
    tocuda::simulator::write_uuid(device_at(device)->profile.uuid, *uuid);
    return CUDA_SUCCESS;
}

// In the header this name stands for the newer of two functions; this defines the older.
CUresult uuid_by_the_older_name(CUuuid* uuid, CUdevice device) __asm__("cuDeviceGetUuid");
CUresult uuid_by_the_older_name(CUuuid* uuid, CUdevice device) { return cuDeviceGetUuid(uuid, device); }

CUresult cuDeviceTotalMem(size_t* bytes, CUdevice device) {
    if (device_at(device) == nullptr || bytes == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *bytes = static_cast<std::size_t>(device_at(device)->profile.memory_bytes);
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
    if (device_at(device) == nullptr || value == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *value = tocuda::simulator::attribute_of(device_at(device)->profile, static_cast<int>(attribute)).value_or(0);
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
    if (refusal() != CUDA_SUCCESS) return refusal();
    if (device_at(device) == nullptr) return CUDA_ERROR_INVALID_DEVICE;
    if (flags != nullptr) *flags = 0;
    if (active != nullptr) *active = has_context(*device_at(device)) ? 1 : 0;
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
    if (refusal() != CUDA_SUCCESS) return refusal();
    if (device_at(device) == nullptr || context == nullptr) return CUDA_ERROR_INVALID_DEVICE;
    const std::lock_guard lock(Simulation::here().mutex);
    device_at(device)->make_context();
    *context = context_of(*device_at(device));
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice) { return CUDA_SUCCESS; }

CUresult cuCtxGetCurrent(CUcontext* context) {
    if (refusal() != CUDA_SUCCESS) return refusal();
    if (context == nullptr) return CUDA_ERROR_INVALID_VALUE;
    Device* device = device_at(Thread::mine().device);
    *context = has_context(*device) ? context_of(*device) : nullptr;
    return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context) {
    if (refusal() != CUDA_SUCCESS) return refusal();
    if (context == nullptr) return CUDA_SUCCESS;
    for (const auto& device : Simulation::here().devices) {
        if (context_of(*device) != context) continue;
        Thread::mine().device = device->legacy->kind.device;
        return CUDA_SUCCESS;
    }
    return CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuCtxGetDevice(CUdevice* device) {
    if (refusal() != CUDA_SUCCESS) return refusal();
    *device = Thread::mine().device;
    return CUDA_SUCCESS;
}

CUresult cuPointerGetAttribute(void* value, CUpointer_attribute attribute, CUdeviceptr address) {
    if (refusal() != CUDA_SUCCESS) return refusal();
    Simulation& simulation = Simulation::here();
    const std::lock_guard lock(simulation.mutex);
    const auto* found = simulation.memory.around(reinterpret_cast<const void*>(address));
    if (found == nullptr || value == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (attribute != CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL) return CUDA_ERROR_NOT_SUPPORTED;
    *static_cast<int*>(value) = found->device;
    return CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult code, const char** text) {
    if (text == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *text = cudaGetErrorString(static_cast<cudaError_t>(code));
    return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult code, const char** name) {
    if (name == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *name = cudaGetErrorName(static_cast<cudaError_t>(code));
    return CUDA_SUCCESS;
}

// The simulated driver keeps no log, so the callback is never called.
CUresult cuLogsRegisterCallback(CUlogsCallback, void*, CUlogsCallbackHandle* handle) {
    if (handle != nullptr) *handle = nullptr;
    return CUDA_SUCCESS;
}
CUresult cuLogsUnregisterCallback(CUlogsCallbackHandle) { return CUDA_SUCCESS; }

// A second runtime needs the driver's private tables; without them it reports at once that it cannot work.
CUresult cuGetExportTable(const void** table, const CUuuid*) {
    if (table != nullptr) *table = nullptr;
    return CUDA_ERROR_NOT_FOUND;
}

}  // extern "C"
