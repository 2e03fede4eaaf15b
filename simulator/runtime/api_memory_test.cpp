// tocuda, Apache-2.0.
// Device memory of the simulated GPUs: budget, granules, freed memory, attributes of pointers.
#include <cuda_runtime_api.h>
#include <signal.h>

#include <vector>

#include "runtime/answers_test.hpp"
#include "runtime/on_machine_test.hpp"

namespace tocuda::simulator {
namespace {

TEST(DeviceMemory, IsAllocatedInStepsOfTwoMebibytes) {
    on_machine(one_gpu, [] {
        void* one = nullptr;
        ASSERT_EQ(cudaMalloc(&one, 1), cudaSuccess);
        EXPECT_EQ(free_bytes(), 1022 * MiB);
        ASSERT_EQ(cudaFree(one), cudaSuccess);
        EXPECT_EQ(free_bytes(), 1024 * MiB);
    });
}

TEST(DeviceMemory, BeyondBudgetIsOutOfMemoryAndSetsLastError) {
    on_machine(one_gpu, [] {
        void* pointer = nullptr;
        EXPECT_EQ(cudaMalloc(&pointer, 1025 * MiB), cudaErrorMemoryAllocation);
        EXPECT_EQ(pointer, nullptr);
        EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
        EXPECT_EQ(cudaGetLastError(), cudaSuccess);
        EXPECT_EQ(cudaMalloc(&pointer, 1024 * MiB), cudaSuccess);
    });
}

TEST(DeviceMemory, ContextCountsOnce) {
    on_machine(with(one_gpu, {{&GpuFigures::context_bytes, 536870912}}), [] {
        EXPECT_EQ(free_bytes(), 512 * MiB);
        EXPECT_EQ(free_bytes(), 512 * MiB);
        void* pointer = nullptr;
        EXPECT_EQ(cudaMalloc(&pointer, 513 * MiB), cudaErrorMemoryAllocation);
    });
}

TEST(DeviceMemory, OfAbsurdSizeIsOutOfMemory) {
    on_machine(one_gpu, [] {
        void* pointer = nullptr;
        EXPECT_EQ(cudaMalloc(&pointer, ~std::size_t{0}), cudaErrorMemoryAllocation);
        EXPECT_EQ(cudaMalloc(&pointer, std::size_t{1} << 60), cudaErrorMemoryAllocation);
    });
}

TEST(DeviceMemory, FreeingTwiceOrUnknownMemoryFails) {
    on_machine(one_gpu, [] {
        int on_host = 0;
        void* pointer = nullptr;
        ASSERT_EQ(cudaMalloc(&pointer, 100), cudaSuccess);
        EXPECT_EQ(cudaFree(static_cast<char*>(pointer) + 1), cudaErrorInvalidValue);
        EXPECT_EQ(cudaFree(pointer), cudaSuccess);
        EXPECT_EQ(cudaFree(pointer), cudaErrorInvalidValue);
        EXPECT_EQ(cudaFree(&on_host), cudaErrorInvalidValue);
        EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
    });
}

TEST(DeviceMemory, CannotBeAccessedOnceFreed) {
    const int status = status_on_machine(one_gpu, [] {
        void* pointer = nullptr;
        if (cudaMalloc(&pointer, 100) != cudaSuccess || cudaFree(pointer) != cudaSuccess) return;
        *static_cast<volatile char*>(pointer) = 1;
    });
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), SIGSEGV);
}

TEST(DeviceMemory, FreedAddressesAreNotReusedSoon) {
    on_machine(one_gpu, [] {
        void* first = nullptr;
        void* second = nullptr;
        ASSERT_EQ(cudaMalloc(&first, 100), cudaSuccess);
        ASSERT_EQ(cudaFree(first), cudaSuccess);
        for (int i = 0; i < 1000; ++i) {
            ASSERT_EQ(cudaMalloc(&second, 100), cudaSuccess);
            ASSERT_NE(first, second);
            ASSERT_EQ(cudaFree(second), cudaSuccess);
        }
    });
}

TEST(DeviceMemory, IsZeroAfterReallocation) {
    on_machine(machine_of({.memory_bytes = 4194304}), [] {
        const std::vector<char> ones(MiB, 1);
        std::vector<char> back(MiB, 1);
        void* pointer = nullptr;
        ASSERT_EQ(cudaMalloc(&pointer, MiB), cudaSuccess);
        ASSERT_EQ(cudaMemcpy(pointer, ones.data(), MiB, cudaMemcpyHostToDevice), cudaSuccess);
        ASSERT_EQ(cudaFree(pointer), cudaSuccess);
        ASSERT_EQ(cudaMalloc(&pointer, MiB), cudaSuccess);
        ASSERT_EQ(cudaMemcpy(back.data(), pointer, MiB, cudaMemcpyDeviceToHost), cudaSuccess);
        EXPECT_EQ(back, std::vector<char>(MiB, 0));
    });
}

// More live ranges than the kernel has mappings for.
TEST(DeviceMemory, HoldsManyAllocationsAtOnce) {
    on_machine(machine_of({.memory_bytes = 274877906944}), [] {
        constexpr int count = 100000;
        int refused = 0;
        for (int i = 0; i < count; ++i) {
            void* pointer = nullptr;
            if (cudaMalloc(&pointer, 1) != cudaSuccess) ++refused;
        }
        EXPECT_EQ(refused, 0);
    });
}

TEST(DeviceMemory, IsOutOfMemoryIfHostHasNoneLeft) {
    auto machine = one_gpu;
    machine.host_memory_bytes = 16777216;
    on_machine(machine, [] {
        const std::vector<char> source(32 * MiB, 1);
        void* pointer = nullptr;
        ASSERT_EQ(cudaMalloc(&pointer, 512 * MiB), cudaSuccess);
        EXPECT_EQ(cudaMemcpy(pointer, source.data(), 8 * MiB, cudaMemcpyHostToDevice), cudaSuccess);
        EXPECT_EQ(cudaMemcpy(pointer, source.data(), 32 * MiB, cudaMemcpyHostToDevice), cudaErrorMemoryAllocation);
        void* pinned = nullptr;
        EXPECT_EQ(cudaMallocHost(&pinned, 32 * MiB), cudaErrorMemoryAllocation);
        EXPECT_EQ(cudaFree(pointer), cudaSuccess);
        ASSERT_EQ(cudaMalloc(&pointer, 512 * MiB), cudaSuccess);
        EXPECT_EQ(cudaMemcpy(pointer, source.data(), 16 * MiB, cudaMemcpyHostToDevice), cudaSuccess);
    });
}

TEST(DeviceMemory, ClearingTouchesNoHostMemory) {
    auto machine = one_gpu;
    machine.host_memory_bytes = 2097152;
    on_machine(machine, [] {
        void* pointer = nullptr;
        ASSERT_EQ(cudaMalloc(&pointer, 1024 * MiB), cudaSuccess);
        EXPECT_EQ(cudaMemset(pointer, 0, 1024 * MiB), cudaSuccess);
        EXPECT_EQ(cudaMemset(pointer, 1, 1024 * MiB), cudaErrorMemoryAllocation);
    });
}

TEST(DeviceMemory, ReportsAttributesOfPointers) {
    on_machine(two_gpus, [] {
        void* device = nullptr;
        void* pinned = nullptr;
        void* managed = nullptr;
        int on_host = 0;
        ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
        ASSERT_EQ(cudaMalloc(&device, 100), cudaSuccess);
        ASSERT_EQ(cudaMallocHost(&pinned, 100), cudaSuccess);
        ASSERT_EQ(cudaMallocManaged(&managed, 100), cudaSuccess);
        cudaPointerAttributes attributes{};
        ASSERT_EQ(cudaPointerGetAttributes(&attributes, static_cast<char*>(device) + 99), cudaSuccess);
        EXPECT_EQ(attributes.type, cudaMemoryTypeDevice);
        EXPECT_EQ(attributes.device, 1);
        EXPECT_EQ(attributes.hostPointer, nullptr);
        ASSERT_EQ(cudaPointerGetAttributes(&attributes, pinned), cudaSuccess);
        EXPECT_EQ(attributes.type, cudaMemoryTypeHost);
        ASSERT_EQ(cudaPointerGetAttributes(&attributes, managed), cudaSuccess);
        EXPECT_EQ(attributes.type, cudaMemoryTypeManaged);
        ASSERT_EQ(cudaPointerGetAttributes(&attributes, &on_host), cudaSuccess);
        EXPECT_EQ(attributes.type, cudaMemoryTypeUnregistered);
        EXPECT_EQ(attributes.devicePointer, nullptr);
    });
}

}  // namespace
}  // namespace tocuda::simulator
