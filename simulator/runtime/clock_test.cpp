// tocuda, Apache-2.0.
// The virtual clock as a benchmark uses it: timed work that only takes time, and the host's own time.
#include <cuda_runtime_api.h>

#include <array>
#include <cmath>
#include <limits>

#include "runtime/on_machine_test.hpp"
#include "simulator/schema/simulation.h"

namespace tocuda::simulator {
namespace {

const SimulatedMachine exact_gpu = machine_of({.memory_bytes = 1073741824,
                                               .call_ns = 1000,
                                               .kernel_ns = 5000,
                                               .copy_latency_ns = 2000,
                                               .host_to_device_bytes_per_second = 1000000000,
                                               .device_to_host_bytes_per_second = 1000000000,
                                               .memset_bytes_per_second = 1000000000});

double seconds() {
    tocuda_simulation_state_t state{};
    state.version = 1;
    EXPECT_EQ(tocuda_simulation_state(&state), 0);
    return state.seconds;
}

struct Pair {
    char* host = nullptr;
    char* device = nullptr;

    Pair() {
        EXPECT_EQ(cudaMallocHost(reinterpret_cast<void**>(&host), 1 << 20), cudaSuccess);
        EXPECT_EQ(cudaMalloc(reinterpret_cast<void**>(&device), 1 << 20), cudaSuccess);
        host[0] = 1;
        EXPECT_EQ(cudaMemcpy(device, host, 1 << 20, cudaMemcpyHostToDevice), cudaSuccess);
        host[0] = 2;
    }
};

TEST(ClockOnly, ReturnsPreviousSetting) {
    on_machine(exact_gpu, [] {
        EXPECT_EQ(tocuda_simulation_clock_only(1), 0);
        EXPECT_EQ(tocuda_simulation_clock_only(0), 1);
        EXPECT_EQ(tocuda_simulation_clock_only(0), 0);
    });
}

TEST(ClockOnly, CanBeQueriedWithoutChange) {
    on_machine(exact_gpu, [] {
        EXPECT_EQ(tocuda_simulation_clock_only(-1), 0);
        EXPECT_EQ(tocuda_simulation_clock_only(1), 0);
        EXPECT_EQ(tocuda_simulation_clock_only(-1), 1);
        EXPECT_EQ(tocuda_simulation_clock_only(0), 1);
    });
}

TEST(ClockOnly, CopiesTakeTimeAndMoveNothing) {
    on_machine(exact_gpu, [] {
        const Pair pair;
        tocuda_simulation_clock_only(1);
        const double before = seconds();
        EXPECT_EQ(cudaMemcpy(pair.device, pair.host, 1000000, cudaMemcpyHostToDevice), cudaSuccess);
        EXPECT_NEAR(seconds() - before, 0.001 + 2e-6 + 1e-6, 1e-12);
        tocuda_simulation_clock_only(0);
        EXPECT_EQ(pair.device[0], 1);
    });
}

TEST(ClockOnly, CopiesAreStillChecked) {
    on_machine(exact_gpu, [] {
        const Pair pair;
        tocuda_simulation_clock_only(1);
        EXPECT_EQ(cudaMemcpy(pair.device, pair.host, 1 << 20, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
        EXPECT_EQ(cudaMemcpy(pair.device + (4 << 20), pair.host, 1, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    });
}

TEST(ClockOnly, FaultsStillHappen) {
    on_machine(with_faults(exact_gpu, {{.function = "cudaMemcpy", .call = 2, .error = 700, .sticky = true}}), [] {
        const Pair pair;
        tocuda_simulation_clock_only(1);
        EXPECT_EQ(cudaMemcpy(pair.device, pair.host, 1, cudaMemcpyHostToDevice), cudaErrorIllegalAddress);
        EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    });
}

TEST(ClockOnly, FillsTakeTimeAndWriteNothing) {
    on_machine(exact_gpu, [] {
        const Pair pair;
        tocuda_simulation_clock_only(1);
        const double before = seconds();
        EXPECT_EQ(cudaMemset(pair.device, 7, 1000000), cudaSuccess);
        EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        EXPECT_GE(seconds() - before, 0.001);
        tocuda_simulation_clock_only(0);
        EXPECT_EQ(pair.device[0], 1);
    });
}

char doubling = 0;  // its address identifies the kernel

void run_doubling(void* const* arguments, const tocuda_launch*) { **static_cast<char**>(arguments[0]) *= 2; }
double seconds_of_doubling(void* const*, const tocuda_launch*) { return 0.25; }

void launch_doubling(char* where) {
    void* arguments[] = {&where};
    EXPECT_EQ(cudaLaunchKernel(&doubling, {1}, {32}, arguments, 0, nullptr), cudaSuccess);
}

TEST(ClockOnly, HostKernelsTakeTimeAndComputeNothing) {
    on_machine(exact_gpu, [] {
        const std::array<std::size_t, 1> sizes{sizeof(char*)};
        const tocuda_host_kernel kernel{1,       &doubling,           "doubling", 1, sizes.data(), &run_doubling,
                                        nullptr, &seconds_of_doubling};
        ASSERT_EQ(tocuda_simulation_host_kernel(&kernel), 0);
        const Pair pair;
        launch_doubling(pair.device);
        tocuda_simulation_clock_only(1);
        const double before = seconds();
        launch_doubling(pair.device);
        EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        EXPECT_GE(seconds() - before, 0.25);
        tocuda_simulation_clock_only(0);
        EXPECT_EQ(pair.device[0], 2);
    });
}

TEST(Pass, AdvancesClockOfHost) {
    on_machine(exact_gpu, [] {
        const double before = seconds();
        EXPECT_EQ(tocuda_simulation_pass(0.125), 0);
        EXPECT_DOUBLE_EQ(seconds() - before, 0.125);
    });
}

TEST(Pass, RefusesInvalidTimes) {
    on_machine(exact_gpu, [] {
        EXPECT_EQ(tocuda_simulation_pass(-1), 1);
        EXPECT_EQ(tocuda_simulation_pass(std::nan("")), 1);
        EXPECT_EQ(tocuda_simulation_pass(std::numeric_limits<double>::infinity()), 1);
        EXPECT_EQ(seconds(), 0);
    });
}

}  // namespace
}  // namespace tocuda::simulator
