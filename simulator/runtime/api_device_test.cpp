// tocuda, Apache-2.0.
// Simulated devices: number, order, properties, current device, errors per thread, fork, peers.
#include <cuda_runtime_api.h>

#include <cstring>
#include <thread>

#include "runtime/on_machine_test.hpp"

namespace tocuda::simulator {
namespace {

int count_of_devices(cudaError_t expected = cudaSuccess) {
    int count = -1;
    EXPECT_EQ(cudaGetDeviceCount(&count), expected);
    return count;
}

TEST(Device, CountMatchesFile) {
    on_machine(two_gpus, [] { EXPECT_EQ(count_of_devices(), 2); });
}

TEST(Device, EveryCallReportsNoDevice) {
    on_machine(SimulatedMachine{}, [] {
        EXPECT_EQ(count_of_devices(cudaErrorNoDevice), 0);
        void* pointer = nullptr;
        EXPECT_EQ(cudaMalloc(&pointer, 1), cudaErrorNoDevice);
        int version = 0;
        EXPECT_EQ(cudaDriverGetVersion(&version), cudaSuccess);
        EXPECT_EQ(version, 13000);
    });
}

TEST(Device, BadFileDiffersFromNoDevice) {
    const auto text = compiled(complete(one_gpu));
    for (const auto& bad :
         {text + "colour blue\n", std::string("gpu\nmemory_bytes 1073741824\n"), text.substr(0, text.size() - 1)})
        on_machine(bad, [] { EXPECT_EQ(count_of_devices(cudaErrorUnknown), 0); });
}

TEST(Device, DriverOlderThanRuntimeIsInsufficient) {
    auto machine = one_gpu;
    machine.driver_version = 12080;
    on_machine(machine, [] { EXPECT_EQ(count_of_devices(cudaErrorInsufficientDriver), 0); });
}

TEST(Device, VisibleDevicesKeepOrderOfList) {
    auto machine = two_gpus;
    machine.gpus[1].name = "second";
    on_machine(machine, [] {
        ::setenv("CUDA_VISIBLE_DEVICES", "1,0", 1);
        ASSERT_EQ(count_of_devices(), 2);
        cudaDeviceProp properties{};
        ASSERT_EQ(cudaGetDeviceProperties(&properties, 0), cudaSuccess);
        EXPECT_STREQ(properties.name, "second");
    });
}

TEST(Device, ReportsFiguresOfProfile) {
    auto machine = machine_of({.memory_bytes = std::int64_t{4} << 30, .multiprocessors = 84});
    auto& gpu = machine.gpus.front();
    gpu.name = "Some GPU";
    gpu.uuid = "GPU-01020304-0506-0708-090a-0b0c0d0e0f10";
    gpu.compute_major = 8;
    gpu.compute_minor = 6;
    gpu.pci_bus = 65;
    gpu.attributes = {{13, 1695000}};
    on_machine(machine, [] {
        cudaDeviceProp properties{};
        ASSERT_EQ(cudaGetDeviceProperties(&properties, 0), cudaSuccess);
        EXPECT_STREQ(properties.name, "Some GPU");
        EXPECT_EQ(properties.totalGlobalMem, std::size_t{4} << 30);
        EXPECT_EQ(properties.major * 10 + properties.minor, 86);
        EXPECT_EQ(properties.multiProcessorCount, 84);
        EXPECT_EQ(properties.uuid.bytes[15], 0x10);
        int value = 0;
        ASSERT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrClockRate, 0), cudaSuccess);
        EXPECT_EQ(value, 1695000);
        char bus[32] = {};
        ASSERT_EQ(cudaDeviceGetPCIBusId(bus, sizeof bus, 0), cudaSuccess);
        EXPECT_STREQ(bus, "0000:41:00.0");
    });
}

TEST(Device, HostPageTablesAreReportedAsAttributeAndAsProperty) {
    auto machine = machine_of({.pageable_memory_access = 1, .host_page_tables = 1});
    on_machine(machine, [] {
        int value = 0;
        ASSERT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrPageableMemoryAccessUsesHostPageTables, 0), cudaSuccess);
        EXPECT_EQ(value, 1);
        cudaDeviceProp properties{};
        ASSERT_EQ(cudaGetDeviceProperties(&properties, 0), cudaSuccess);
        EXPECT_EQ(properties.pageableMemoryAccessUsesHostPageTables, 1);
        EXPECT_EQ(properties.pageableMemoryAccess, 1);
    });
}

TEST(Device, UnknownAttributeIsNotSupported) {
    on_machine(one_gpu, [] {
        int value = 77;
        EXPECT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrMaxTexture3DDepth, 0), cudaErrorNotSupported);
        EXPECT_EQ(value, 77);
    });
}

TEST(Device, OutOfRangeDeviceIsRefusedAndCurrentOneStays) {
    on_machine(two_gpus, [] {
        ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
        EXPECT_EQ(cudaSetDevice(2), cudaErrorInvalidDevice);
        EXPECT_EQ(cudaSetDevice(-1), cudaErrorInvalidDevice);
        int device = -1;
        ASSERT_EQ(cudaGetDevice(&device), cudaSuccess);
        EXPECT_EQ(device, 1);
    });
}

TEST(Device, CurrentDeviceAndLastErrorArePerThread) {
    on_machine(two_gpus, [] {
        ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
        ASSERT_EQ(cudaSetDevice(9), cudaErrorInvalidDevice);
        std::thread([] {
            int device = -1;
            EXPECT_EQ(cudaGetDevice(&device), cudaSuccess);
            EXPECT_EQ(device, 0);
            EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
        }).join();
        EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidDevice);
    });
}

TEST(Device, ForkedChildCannotUseGpuThatParentUsed) {
    on_machine(one_gpu, [] {
        ASSERT_EQ(count_of_devices(), 1);
        const pid_t child = ::fork();
        if (child == 0) {
            int count = -1;
            const bool refused = cudaGetDeviceCount(&count) == cudaErrorInitializationError;
            ::_exit(refused && cudaGetLastError() == cudaErrorInitializationError ? 0 : 1);
        }
        int status = -1;
        ::waitpid(child, &status, 0);
        EXPECT_EQ(status, 0);
        EXPECT_EQ(count_of_devices(), 1) << "in the parent, which is not affected";
    });
}

TEST(Device, ForkedChildCanUseGpuThatParentDidNotUse) {
    on_machine(one_gpu, [] {
        const pid_t child = ::fork();
        if (child == 0) {
            int count = -1;
            ::_exit(cudaGetDeviceCount(&count) == cudaSuccess && count == 1 ? 0 : 1);
        }
        int status = -1;
        ::waitpid(child, &status, 0);
        EXPECT_EQ(status, 0);
    });
}

TEST(Device, PeerAccessIsEnabledOnce) {
    on_machine(two_gpus, [] {
        int possible = -1;
        ASSERT_EQ(cudaDeviceCanAccessPeer(&possible, 0, 1), cudaSuccess);
        EXPECT_EQ(possible, 1);
        EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaSuccess);
        EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaErrorPeerAccessAlreadyEnabled);
        EXPECT_EQ(cudaDeviceEnablePeerAccess(0, 0), cudaErrorInvalidDevice);
    });
}

TEST(Device, ReportsMissingPeerAccess) {
    auto machine = two_gpus;
    machine.peer_access = false;
    on_machine(machine, [] {
        int possible = -1;
        ASSERT_EQ(cudaDeviceCanAccessPeer(&possible, 0, 1), cudaSuccess);
        EXPECT_EQ(possible, 0);
        EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaErrorPeerAccessUnsupported);
    });
}

TEST(Device, RemembersFlags) {
    on_machine(two_gpus, [] {
        unsigned flags = 1;
        EXPECT_EQ(cudaGetDeviceFlags(&flags), cudaSuccess);
        EXPECT_EQ(flags, 0U);
        EXPECT_EQ(cudaSetDeviceFlags(cudaDeviceScheduleYield), cudaSuccess);
        EXPECT_EQ(cudaGetDeviceFlags(&flags), cudaSuccess);
        EXPECT_EQ(flags, unsigned{cudaDeviceScheduleYield});
        EXPECT_EQ(cudaSetDevice(1), cudaSuccess);
        EXPECT_EQ(cudaGetDeviceFlags(&flags), cudaSuccess);
        EXPECT_EQ(flags, 0U) << "of the other device";
    });
}

TEST(Device, ResetReleasesItsMemoryOnly) {
    on_machine(two_gpus, [] {
        void* here = nullptr;
        void* there = nullptr;
        ASSERT_EQ(cudaMalloc(&here, 4096), cudaSuccess);
        ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
        ASSERT_EQ(cudaMalloc(&there, 4096), cudaSuccess);
        std::size_t free_before = 0;
        std::size_t free_after = 0;
        std::size_t total = 0;
        ASSERT_EQ(cudaMemGetInfo(&free_before, &total), cudaSuccess);
        EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
        EXPECT_EQ(cudaMemset(there, 0, 4096), cudaErrorInvalidValue);
        EXPECT_EQ(cudaMemset(here, 0, 4096), cudaSuccess);
        ASSERT_EQ(cudaMemGetInfo(&free_after, &total), cudaSuccess);
        EXPECT_GT(free_after, free_before);
    });
}

TEST(Device, ResetIsRefusedWithStreams) {
    on_machine(one_gpu, [] {
        cudaStream_t stream = nullptr;
        ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
        EXPECT_EQ(cudaDeviceReset(), cudaErrorNotSupported);
    });
}

TEST(Device, ErrorsHaveTextsOfRealRuntimeUnlessProfileHasOwn) {
    auto machine = one_gpu;
    machine.error_texts = {{46, "the house is full"}};
    on_machine(machine, [] {
        EXPECT_STREQ(cudaGetErrorName(cudaErrorMemoryAllocation), "cudaErrorMemoryAllocation");
        EXPECT_STREQ(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory");
        EXPECT_STREQ(cudaGetErrorString(static_cast<cudaError_t>(4711)), "unrecognized error code");
        EXPECT_EQ(count_of_devices(), 1);
        EXPECT_STREQ(cudaGetErrorString(cudaErrorDevicesUnavailable), "the house is full");
    });
}

}  // namespace
}  // namespace tocuda::simulator
