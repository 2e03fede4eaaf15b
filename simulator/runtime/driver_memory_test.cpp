// tocuda, Apache-2.0.
// The driver's virtual memory and its lookup of functions by name.
#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstring>
#include <vector>

#include "runtime/answers_test.hpp"
#include "runtime/on_machine_test.hpp"
#include "simulator/schema/simulation.h"

namespace tocuda::simulator {
namespace {

CUmemAllocationProp on_device(int device) {
    CUmemAllocationProp properties{};
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    properties.location.id = device;
    return properties;
}

CUmemAccessDesc readable_by(int device) {
    CUmemAccessDesc access{};
    access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    access.location.id = device;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    return access;
}

TEST(Driver, ReportsSameUuidAsRuntime) {
    on_machine(one_gpu, [] {
        cudaDeviceProp properties{};
        CUuuid uuid{};
        EXPECT_EQ(cudaGetDeviceProperties(&properties, 0), cudaSuccess);
        EXPECT_EQ(cuDeviceGetUuid(&uuid, 0), CUDA_SUCCESS);
        EXPECT_EQ(std::memcmp(uuid.bytes, properties.uuid.bytes, sizeof uuid.bytes), 0);
        EXPECT_EQ(cuDeviceGetUuid(&uuid, 1), CUDA_ERROR_INVALID_VALUE);
    });
}

TEST(VirtualMemory, GrownSegmentCanBeCopiedToAsWhole) {
    on_machine(one_gpu, [] {
        CUdeviceptr address = 0;
        ASSERT_EQ(cuMemAddressReserve(&address, 64 * MiB, 0, 0, 0), CUDA_SUCCESS);
        const auto properties = on_device(0);
        const auto access = readable_by(0);
        for (std::size_t offset = 0; offset < 40 * MiB; offset += 20 * MiB) {
            CUmemGenericAllocationHandle handle = 0;
            ASSERT_EQ(cuMemCreate(&handle, 20 * MiB, &properties, 0), CUDA_SUCCESS);
            ASSERT_EQ(cuMemMap(address + offset, 20 * MiB, 0, handle, 0), CUDA_SUCCESS);
            ASSERT_EQ(cuMemSetAccess(address + offset, 20 * MiB, &access, 1), CUDA_SUCCESS);
            ASSERT_EQ(cuMemRelease(handle), CUDA_SUCCESS);
        }
        EXPECT_EQ(free_bytes(), 984 * MiB);
        const std::vector<char> sent(40 * MiB, 9);
        std::vector<char> back(40 * MiB, 0);
        auto* pointer = reinterpret_cast<void*>(address);
        ASSERT_EQ(cudaMemcpy(pointer, sent.data(), sent.size(), cudaMemcpyHostToDevice), cudaSuccess);
        ASSERT_EQ(cudaMemcpy(back.data(), pointer, back.size(), cudaMemcpyDeviceToHost), cudaSuccess);
        EXPECT_EQ(back, sent);
        EXPECT_EQ(cudaMemcpy(pointer, sent.data(), 1, cudaMemcpyHostToDevice), cudaSuccess);
        std::vector<char> too_much(41 * MiB, 0);
        EXPECT_EQ(cudaMemcpy(pointer, too_much.data(), too_much.size(), cudaMemcpyHostToDevice), cudaErrorInvalidValue);
        ASSERT_EQ(cuMemUnmap(address, 40 * MiB), CUDA_SUCCESS);
        EXPECT_EQ(free_bytes(), 1024 * MiB);
        EXPECT_EQ(cudaMemcpy(pointer, sent.data(), 1, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
        EXPECT_EQ(cuMemAddressFree(address, 64 * MiB), CUDA_SUCCESS);
    });
}

TEST(VirtualMemory, CannotBeAccessedBeforeAccessIsSet) {
    on_machine(one_gpu, [] {
        CUdeviceptr address = 0;
        CUmemGenericAllocationHandle handle = 0;
        const auto properties = on_device(0);
        char byte = 0;
        ASSERT_EQ(cuMemAddressReserve(&address, 2 * MiB, 0, 0, 0), CUDA_SUCCESS);
        ASSERT_EQ(cuMemCreate(&handle, 2 * MiB, &properties, 0), CUDA_SUCCESS);
        ASSERT_EQ(cuMemMap(address, 2 * MiB, 0, handle, 0), CUDA_SUCCESS);
        EXPECT_EQ(cudaMemcpy(&byte, reinterpret_cast<void*>(address), 1, cudaMemcpyDeviceToHost),
                  cudaErrorInvalidValue);
    });
}

TEST(VirtualMemory, CountsAgainstItsDevice) {
    on_machine(two_gpus, [] {
        CUmemGenericAllocationHandle handle = 0;
        const auto properties = on_device(1);
        EXPECT_EQ(cuMemCreate(&handle, 1026 * MiB, &properties, 0), CUDA_ERROR_OUT_OF_MEMORY);
        ASSERT_EQ(cuMemCreate(&handle, 1000 * MiB, &properties, 0), CUDA_SUCCESS);
        EXPECT_EQ(free_bytes(), 1024 * MiB);
        ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
        EXPECT_EQ(free_bytes(), 24 * MiB);
        EXPECT_EQ(cuMemRelease(handle), CUDA_SUCCESS);
        EXPECT_EQ(cuMemRelease(handle), CUDA_ERROR_INVALID_VALUE);
        EXPECT_EQ(free_bytes(), 1024 * MiB);
    });
}

TEST(DriverMulticast, IsForGpusThatHaveItAndWholeTeams) {
    auto machine = two_gpus;
    for (auto& gpu : machine.gpus) gpu.attributes[CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED] = 1;
    on_machine(machine, [] {
        ASSERT_EQ(cudaFree(nullptr), cudaSuccess);
        CUmulticastObjectProp wanted{};
        wanted.numDevices = 2;
        wanted.size = 2 * MiB;
        CUmemGenericAllocationHandle multicast = 0, memory = 0;
        ASSERT_EQ(cuMulticastCreate(&multicast, &wanted), CUDA_SUCCESS);
        CUmemAllocationProp of_first{};
        of_first.type = CU_MEM_ALLOCATION_TYPE_PINNED;
        of_first.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0};
        ASSERT_EQ(cuMemCreate(&memory, 2 * MiB, &of_first, 0), CUDA_SUCCESS);
        EXPECT_EQ(cuMulticastAddDevice(multicast, 0), CUDA_SUCCESS);
        EXPECT_EQ(cuMulticastAddDevice(multicast, 0), CUDA_ERROR_INVALID_VALUE) << "twice";
        const auto bind = [&] { return cuMulticastBindMem(multicast, 0, memory, 0, 2 * MiB, 0); };
        EXPECT_EQ(bind(), CUDA_ERROR_INVALID_VALUE) << "one of the two is missing";
        EXPECT_EQ(cuMulticastAddDevice(multicast, 1), CUDA_SUCCESS);
        EXPECT_EQ(bind(), CUDA_SUCCESS);
        EXPECT_EQ(bind(), CUDA_ERROR_INVALID_VALUE) << "twice";
        EXPECT_EQ(cuMulticastUnbind(multicast, 0, 0, 2 * MiB), CUDA_SUCCESS);
        EXPECT_EQ(cuMemRelease(multicast), CUDA_SUCCESS);
        EXPECT_EQ(cuMulticastUnbind(multicast, 0, 0, 2 * MiB), CUDA_ERROR_INVALID_VALUE) << "there is none";
    });
    on_machine(two_gpus, [] {
        ASSERT_EQ(cudaFree(nullptr), cudaSuccess);
        CUmulticastObjectProp wanted{};
        wanted.numDevices = 2;
        wanted.size = 2 * MiB;
        CUmemGenericAllocationHandle multicast = 0;
        EXPECT_EQ(cuMulticastCreate(&multicast, &wanted), CUDA_ERROR_NOT_SUPPORTED);
    });
}

TEST(DriverLookup, FindsFunctionForEveryName) {
    on_machine(one_gpu, [] {
        void* function = nullptr;
        cudaDriverEntryPointQueryResult found{};
        ASSERT_EQ(cudaGetDriverEntryPointByVersion("cuDeviceGetCount", &function, 13000, 0, &found), cudaSuccess);
        int count = 0;
        ASSERT_EQ(reinterpret_cast<CUresult (*)(int*)>(function)(&count), CUDA_SUCCESS);
        EXPECT_EQ(count, 1);
        for (const char* name : {"cuMulticastBindAddr", "cuStreamWaitValue32", "cuSomethingOfTheFuture"}) {
            ASSERT_EQ(cudaGetDriverEntryPointByVersion(name, &function, 13000, 0, &found), cudaSuccess);
            ASSERT_NE(function, nullptr);
            EXPECT_EQ(reinterpret_cast<int (*)()>(function)(), CUDA_ERROR_NOT_SUPPORTED) << name;
        }
        tocuda_simulation_state_t state{};
        state.version = 1;
        ASSERT_EQ(tocuda_simulation_state(&state), 0);
        EXPECT_NE(std::string(state.unsupported_names).find("cuMulticastBindAddr"), std::string::npos);
        EXPECT_EQ(cudaGetLastError(), cudaSuccess) << "errors of the driver are not the runtime's last error";
    });
}

}  // namespace
}  // namespace tocuda::simulator
