// tocuda, Apache-2.0.
// Injected faults as the program sees them.
#include <cuda_runtime_api.h>
#include <signal.h>

#include "runtime/on_machine_test.hpp"
#include "simulator/schema/simulation.h"

namespace tocuda::simulator {
namespace {

TEST(Faults, HitOnlyTheGivenCall) {
    on_machine(with_faults(one_gpu, {{.function = "cudaMalloc", .call = 2, .error = 2}}), [] {
        void* pointer = nullptr;
        EXPECT_EQ(cudaMalloc(&pointer, 1), cudaSuccess);
        EXPECT_EQ(cudaMalloc(&pointer, 1), cudaErrorMemoryAllocation);
        EXPECT_EQ(cudaMalloc(&pointer, 1), cudaSuccess);
    });
}

TEST(Faults, SingleFaultIsClearedByGetLastError) {
    on_machine(with_faults(one_gpu, {{.function = "cudaDeviceSynchronize", .call = 1, .error = 700}}), [] {
        EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
        EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
        EXPECT_EQ(cudaGetLastError(), cudaSuccess);
        EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    });
}

TEST(Faults, StickyFaultStays) {
    on_machine(with_faults(one_gpu, {{.function = "cudaStreamSynchronize", .call = 1, .error = 700, .sticky = true}}),
               [] {
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

TEST(Faults, SeveralMayBeGiven) {
    on_machine(with_faults(one_gpu, {{.function = "cudaMalloc", .call = 1, .error = 2},
                                     {.function = "cudaFree", .call = 1, .error = 1}}),
               [] {
                   void* pointer = nullptr;
                   EXPECT_EQ(cudaMalloc(&pointer, 1), cudaErrorMemoryAllocation);
                   EXPECT_EQ(cudaFree(nullptr), cudaErrorInvalidValue);
               });
}

// What computes in the stream's order fails as a kernel's assert() does.
void fail_an_assertion(void*) { tocuda_simulation_assertion_failed(); }

TEST(Faults, AreAnsweredByTheCallThatWaitsForAFailedAssertion) {
    on_machine(one_gpu, [] {
        cudaStream_t stream = nullptr;
        ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
        ASSERT_EQ(cudaLaunchHostFunc(stream, fail_an_assertion, nullptr), cudaSuccess);
        EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorAssert);
        EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorAssert) << "it stays";
    });
}

TEST(Faults, WrongCopyChangesOneByte) {
    on_machine(with_faults(one_gpu, {{.function = "cudaMemcpy", .call = 2, .wrong = true}}), [] {
        void* there = nullptr;
        ASSERT_EQ(cudaMalloc(&there, 4), cudaSuccess);
        for (const std::uint32_t expected : {0x01020304U, 0x010203fbU, 0x01020304U}) {
            const std::uint32_t sent = 0x01020304;
            std::uint32_t found = 0;
            EXPECT_EQ(cudaMemcpyAsync(there, &sent, 4, cudaMemcpyHostToDevice, nullptr), cudaSuccess);
            EXPECT_EQ(cudaMemcpy(&found, there, 4, cudaMemcpyDeviceToHost), cudaSuccess);
            EXPECT_EQ(found, expected);
        }
    });
}

TEST(Faults, HangNeverReturns) {
    const int status =
        status_on_machine(with_faults(one_gpu, {{.function = "cudaDeviceSynchronize", .call = 1, .hang = true}}), [] {
            ::alarm(1);
            cudaDeviceSynchronize();
        });
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), SIGALRM);
}

}  // namespace
}  // namespace tocuda::simulator
