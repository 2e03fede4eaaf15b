// tocuda, Apache-2.0.
// Pools of the stream-ordered allocator.
#include <cuda_runtime_api.h>

#include <cstdint>

#include "runtime/answers_test.hpp"
#include "runtime/on_machine_test.hpp"

namespace tocuda::simulator {
namespace {

std::uint64_t number(cudaMemPool_t pool, cudaMemPoolAttr attribute) {
    std::uint64_t value = 0;
    EXPECT_EQ(cudaMemPoolGetAttribute(pool, attribute, &value), cudaSuccess);
    return value;
}

cudaMemPool_t default_pool() {
    cudaMemPool_t pool = nullptr;
    EXPECT_EQ(cudaDeviceGetDefaultMemPool(&pool, 0), cudaSuccess);
    return pool;
}

TEST(Pool, ReservesInStepsAndReleasesAfterWait) {
    on_machine(one_gpu, [] {
        void* pointer = nullptr;
        ASSERT_EQ(cudaMallocAsync(&pointer, 1000, nullptr), cudaSuccess);
        EXPECT_EQ(number(default_pool(), cudaMemPoolAttrReservedMemCurrent), 32 * MiB);
        EXPECT_EQ(number(default_pool(), cudaMemPoolAttrUsedMemCurrent), 1024U);
        ASSERT_EQ(cudaFreeAsync(pointer, nullptr), cudaSuccess);
        EXPECT_EQ(number(default_pool(), cudaMemPoolAttrUsedMemCurrent), 0U);
        EXPECT_EQ(free_bytes(), 992 * MiB);
        ASSERT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
        EXPECT_EQ(free_bytes(), 1024 * MiB);
        EXPECT_EQ(number(default_pool(), cudaMemPoolAttrReservedMemHigh), 32 * MiB);
    });
}

TEST(Pool, KeepsUpToThresholdUntilTrimmed) {
    on_machine(one_gpu, [] {
        std::uint64_t all = ~std::uint64_t{0};
        ASSERT_EQ(cudaMemPoolSetAttribute(default_pool(), cudaMemPoolAttrReleaseThreshold, &all), cudaSuccess);
        void* pointer = nullptr;
        ASSERT_EQ(cudaMallocAsync(&pointer, 100 * MiB, nullptr), cudaSuccess);
        ASSERT_EQ(cudaFreeAsync(pointer, nullptr), cudaSuccess);
        ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        EXPECT_EQ(free_bytes(), 896 * MiB);
        ASSERT_EQ(cudaMemPoolTrimTo(default_pool(), 0), cudaSuccess);
        EXPECT_EQ(free_bytes(), 1024 * MiB);
    });
}

TEST(Pool, BeyondBudgetIsOutOfMemory) {
    on_machine(one_gpu, [] {
        void* pointer = nullptr;
        EXPECT_EQ(cudaMallocAsync(&pointer, 1100 * MiB, nullptr), cudaErrorMemoryAllocation);
        EXPECT_EQ(cudaMallocAsync(&pointer, 1024 * MiB, nullptr), cudaSuccess);
    });
}

TEST(Pool, OwnPoolServesItsAllocations) {
    on_machine(one_gpu, [] {
        cudaMemPoolProps properties{};
        properties.allocType = cudaMemAllocationTypePinned;
        properties.location.type = cudaMemLocationTypeDevice;
        properties.location.id = 0;
        cudaMemPool_t pool = nullptr;
        ASSERT_EQ(cudaMemPoolCreate(&pool, &properties), cudaSuccess);
        void* pointer = nullptr;
        ASSERT_EQ(cudaMallocFromPoolAsync(&pointer, 512, pool, nullptr), cudaSuccess);
        EXPECT_EQ(number(pool, cudaMemPoolAttrUsedMemCurrent), 512U);
        EXPECT_EQ(number(default_pool(), cudaMemPoolAttrUsedMemCurrent), 0U);
        ASSERT_EQ(cudaFreeAsync(pointer, nullptr), cudaSuccess);
        ASSERT_EQ(cudaMemPoolDestroy(pool), cudaSuccess);
        EXPECT_EQ(cudaMemPoolTrimTo(pool, 0), cudaErrorInvalidValue);
    });
}

TEST(Pool, CannotBeAccessedAfterReservationIsReleased) {
    on_machine(one_gpu, [] {
        void* pointer = nullptr;
        char byte = 0;
        ASSERT_EQ(cudaMallocAsync(&pointer, 1, nullptr), cudaSuccess);
        ASSERT_EQ(cudaFreeAsync(pointer, nullptr), cudaSuccess);
        ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        EXPECT_EQ(cudaMemcpy(&byte, pointer, 1, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
        EXPECT_EQ(cudaFreeAsync(pointer, nullptr), cudaErrorInvalidValue);
    });
}

}  // namespace
}  // namespace tocuda::simulator
