// tocuda, Apache-2.0.
// Faults on demand, seen from the program that meets them.
#include <cuda_runtime_api.h>
#include <signal.h>

#include "runtime/on_machine.hpp"

namespace tocuda::stand_in {
namespace {

TEST(Faults, StrikeOnTheCallTheyAreMeantForAndOnNoOther) {
    on_machine("fault cudaMalloc 2 2\n" + one_gpu, [] {
        void* pointer = nullptr;
        EXPECT_EQ(cudaMalloc(&pointer, 1), cudaSuccess);
        EXPECT_EQ(cudaMalloc(&pointer, 1), cudaErrorMemoryAllocation);
        EXPECT_EQ(cudaMalloc(&pointer, 1), cudaSuccess);
    });
}

TEST(Faults, ASingleOneIsForgottenOnceAskedFor) {
    on_machine("fault cudaDeviceSynchronize 1 700\n" + one_gpu, [] {
        EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
        EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
        EXPECT_EQ(cudaGetLastError(), cudaSuccess);
        EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    });
}

TEST(Faults, AStickyOneStays) {
    on_machine("fault cudaStreamSynchronize 1 700 sticky\n" + one_gpu, [] {
        void* pointer = nullptr;
        EXPECT_EQ(cudaMalloc(&pointer, 1), cudaSuccess);
        EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaErrorIllegalAddress);
        EXPECT_EQ(cudaMalloc(&pointer, 1), cudaErrorIllegalAddress);
        EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
        EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
        int device = -1;
        EXPECT_EQ(cudaGetDevice(&device), cudaSuccess);
        EXPECT_EQ(device, 0);
    });
}

TEST(Faults, SeveralMayBeAsked) {
    on_machine("fault cudaMalloc 1 2\nfault cudaFree 1 1\n" + one_gpu, [] {
        void* pointer = nullptr;
        EXPECT_EQ(cudaMalloc(&pointer, 1), cudaErrorMemoryAllocation);
        EXPECT_EQ(cudaFree(nullptr), cudaErrorInvalidValue);
    });
}

TEST(Faults, AHangNeverReturnsAndHoldsNobodyElse) {
    const int status = status_on_machine("fault cudaDeviceSynchronize 1 hang\n" + one_gpu, [] {
        ::alarm(1);
        cudaDeviceSynchronize();
    });
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), SIGALRM);
}

}  // namespace
}  // namespace tocuda::stand_in
