// tocuda, Apache-2.0.
// Managed memory of a simulated GPU: its location, the cost of moving it, advice.
#include <cuda_runtime_api.h>

#include <vector>

#include "runtime/answers_test.hpp"
#include "runtime/on_machine_test.hpp"
#include "simulator/schema/simulation.h"

namespace tocuda::simulator {
namespace {

// Nothing costs anything except what a test sets.
const SimulatedMachine free_gpu = machine_of({.memory_bytes = 1073741824,
                                              .call_ns = 0,
                                              .kernel_ns = 0,
                                              .copy_latency_ns = 0,
                                              .host_to_device_bytes_per_second = 1000000000,
                                              .device_to_host_bytes_per_second = 500000000,
                                              .memset_bytes_per_second = 100000000000,
                                              .malloc_ns = 0,
                                              .managed_fault_ns = 0});

cudaMemLocation device_0() { return {.type = cudaMemLocationTypeDevice, .id = 0}; }
cudaMemLocation host() { return {.type = cudaMemLocationTypeHost, .id = 0}; }

struct ManagedMemory {
    char* data = nullptr;
    ManagedMemory() {
        EXPECT_EQ(cudaMallocManaged(reinterpret_cast<void**>(&data), MiB, cudaMemAttachGlobal), cudaSuccess);
    }
};

TEST(ManagedCosts, PrefetchMovesOnceAtRateOfLink) {
    on_machine(free_gpu, [] {
        const ManagedMemory memory;
        EXPECT_EQ(tocuda_simulation_host_touched(memory.data, MiB), 0);
        const auto prefetch = [&](cudaMemLocation where) {
            return microseconds([&] { return cudaMemPrefetchAsync(memory.data, MiB, where, 0, nullptr); });
        };
        EXPECT_NEAR(prefetch(device_0()), MiB / 1e3, 1e-3);
        EXPECT_NEAR(prefetch(device_0()), 0, 1e-3);
        EXPECT_NEAR(prefetch(host()), MiB / 5e2, 1e-3);
    });
}

TEST(ManagedCosts, OfCopyToOtherLocationIncludeFaults) {
    on_machine(with(free_gpu, {{&GpuFigures::managed_fault_ns, 1000000}}), [] {
        const ManagedMemory memory;
        void* pinned = nullptr;
        ASSERT_EQ(cudaMallocHost(&pinned, MiB), cudaSuccess);
        const auto copy = [&] {
            return microseconds(
                [&] { return cudaMemcpyAsync(memory.data, pinned, MiB, cudaMemcpyHostToDevice, nullptr); });
        };
        EXPECT_NEAR(copy(), 16 * 1000 + MiB / 1e3, 1e-3);
        EXPECT_NEAR(copy(), MiB / 1e3, 1e-3);
    });
}

TEST(ManagedCosts, OfHostAccessAreChargedWhenReported) {
    on_machine(with(free_gpu, {{&GpuFigures::managed_fault_ns, 1000000}}), [] {
        const ManagedMemory memory;
        microseconds([&] { return cudaMemPrefetchAsync(memory.data, MiB, device_0(), 0, nullptr); });
        const double before = virtual_seconds();
        EXPECT_EQ(tocuda_simulation_host_touched(memory.data, MiB / 2), 0);
        EXPECT_NEAR(1e6 * (virtual_seconds() - before), 8 * 1000 + MiB / 1e3, 1e-3);
        std::vector<char> own(1);
        EXPECT_EQ(tocuda_simulation_host_touched(own.data(), 1), 1);
    });
}

TEST(ManagedCosts, BetweenGpusFollowTheirLink) {
    auto machine = with(twice(free_gpu), {{&GpuFigures::peer_bytes_per_second, 20000000000}});
    machine.links = {{.from = 1, .to = 0, .bytes_per_second = 10000000000}};
    const auto both_ways = [](double to_1, double to_0) {
        const ManagedMemory memory;
        const auto prefetch = [&](int gpu) {
            return microseconds([&] {
                return cudaMemPrefetchAsync(memory.data, MiB, {.type = cudaMemLocationTypeDevice, .id = gpu}, 0,
                                            nullptr);
            });
        };
        prefetch(0);
        EXPECT_NEAR(prefetch(1), to_1, 1e-3);
        EXPECT_NEAR(prefetch(0), to_0, 1e-3);
    };
    on_machine(machine, [&] { both_ways(MiB / 2e4, MiB / 1e4); });
    machine.peer_access = false;
    on_machine(machine, [&] { both_ways(MiB / 5e2, MiB / 5e2); });
}

TEST(ManagedMemory, AdviceIsStored) {
    on_machine(free_gpu, [] {
        const ManagedMemory memory;
        const auto ask = [&](cudaMemRangeAttribute attribute) {
            int value = -7;
            EXPECT_EQ(cudaMemRangeGetAttribute(&value, sizeof value, attribute, memory.data, MiB), cudaSuccess);
            return value;
        };
        EXPECT_EQ(ask(cudaMemRangeAttributePreferredLocation), cudaInvalidDeviceId);
        ASSERT_EQ(cudaMemAdvise(memory.data, MiB, cudaMemAdviseSetPreferredLocation, host()), cudaSuccess);
        ASSERT_EQ(cudaMemAdvise(memory.data, MiB, cudaMemAdviseSetAccessedBy, device_0()), cudaSuccess);
        ASSERT_EQ(cudaMemAdvise(memory.data, MiB, cudaMemAdviseSetReadMostly, device_0()), cudaSuccess);
        ASSERT_EQ(cudaMemPrefetchAsync(memory.data, MiB, device_0(), 0, nullptr), cudaSuccess);
        EXPECT_EQ(ask(cudaMemRangeAttributePreferredLocation), cudaCpuDeviceId);
        EXPECT_EQ(ask(cudaMemRangeAttributeReadMostly), 1);
        EXPECT_EQ(ask(cudaMemRangeAttributeAccessedBy), 0);
        EXPECT_EQ(ask(cudaMemRangeAttributeLastPrefetchLocation), 0);
    });
}

TEST(ManagedMemory, RefusesUnmanagedMemoryAndUnknownDevices) {
    on_machine(free_gpu, [] {
        const ManagedMemory memory;
        void* device = nullptr;
        ASSERT_EQ(cudaMalloc(&device, MiB), cudaSuccess);
        EXPECT_EQ(cudaMemPrefetchAsync(device, 1, device_0(), 0, nullptr), cudaErrorInvalidValue);
        EXPECT_EQ(cudaMemPrefetchAsync(memory.data, MiB + 1, device_0(), 0, nullptr), cudaErrorInvalidValue);
        EXPECT_EQ(cudaMemPrefetchAsync(memory.data, 1, device_0(), 1, nullptr), cudaErrorInvalidValue);
        EXPECT_EQ(cudaMemPrefetchAsync(memory.data, 1, {.type = cudaMemLocationTypeDevice, .id = 1}, 0, nullptr),
                  cudaErrorInvalidDevice);
        EXPECT_EQ(
            cudaMemAdvise(memory.data, 1, cudaMemAdviseSetAccessedBy, {.type = cudaMemLocationTypeDevice, .id = 1}),
            cudaErrorInvalidDevice);
    });
}

}  // namespace
}  // namespace tocuda::simulator
