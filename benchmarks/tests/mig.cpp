// tocuda, Apache-2.0.
// A library that the tests preload before a CUDA runtime: its driver says of every GPU that this process has a MIG
// instance of it, whose UUID ends with another byte.
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <cstring>

namespace {

constexpr unsigned first_with_instances = 11040;
CUresult (*uuid_of_gpu)(CUuuid*, CUdevice) = nullptr;

CUresult uuid_of_instance(CUuuid* uuid, CUdevice device) {
    const auto answer = uuid_of_gpu(uuid, device);
    uuid->bytes[15] = 0x5a;
    return answer;
}

}  // namespace

extern "C" cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned version,
                                                        unsigned long long flags,
                                                        cudaDriverEntryPointQueryResult* status) {
    static const auto look_up = reinterpret_cast<decltype(&cudaGetDriverEntryPointByVersion)>(
        dlsym(RTLD_NEXT, "cudaGetDriverEntryPointByVersion"));
    const auto answer = look_up(name, function, version, flags, status);
    if (answer != cudaSuccess || version < first_with_instances || std::strcmp(name, "cuDeviceGetUuid") != 0)
        return answer;
    uuid_of_gpu = reinterpret_cast<decltype(uuid_of_gpu)>(*function);
    *function = reinterpret_cast<void*>(&uuid_of_instance);
    return answer;
}
