// tocuda, Apache-2.0.
// What overlaps on a simulated GPU, and what waits for what: copy engines, the link, peers, the gate.
#include <cuda_runtime_api.h>

#include <array>
#include <atomic>
#include <vector>

#include "runtime/answers_test.hpp"
#include "runtime/lane.hpp"
#include "runtime/on_machine_test.hpp"
#include "simulator/schema/simulation.h"

namespace tocuda::simulator {
namespace {

// A megabyte per second in each direction; nothing else costs anything.
const SimulatedMachine slow_link = machine_of({.memory_bytes = 1073741824,
                                               .call_ns = 0,
                                               .kernel_ns = 0,
                                               .copy_latency_ns = 0,
                                               .host_to_device_bytes_per_second = 1000000,
                                               .device_to_host_bytes_per_second = 1000000,
                                               .peer_bytes_per_second = 10000000});

constexpr std::size_t half_second = 500000;

struct Side {
    char* host = nullptr;
    char* device = nullptr;
    cudaStream_t stream = nullptr;
    cudaEvent_t begin = nullptr;
    cudaEvent_t end = nullptr;

    Side() {
        EXPECT_EQ(cudaMallocHost(reinterpret_cast<void**>(&host), 1 << 20), cudaSuccess);
        EXPECT_EQ(cudaMalloc(reinterpret_cast<void**>(&device), 1 << 20), cudaSuccess);
        EXPECT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
        EXPECT_EQ(cudaEventCreate(&begin), cudaSuccess);
        EXPECT_EQ(cudaEventCreate(&end), cudaSuccess);
    }
    void in(int times = 1) const {
        for (int i = 0; i < times; ++i) {
            EXPECT_EQ(cudaMemcpyAsync(device, host, half_second, cudaMemcpyHostToDevice, stream), cudaSuccess);
        }
    }
    void out(int times = 1) const {
        for (int i = 0; i < times; ++i) {
            EXPECT_EQ(cudaMemcpyAsync(host, device, half_second, cudaMemcpyDeviceToHost, stream), cudaSuccess);
        }
    }
    void start() const { EXPECT_EQ(cudaEventRecord(begin, stream), cudaSuccess); }
    void stop() const { EXPECT_EQ(cudaEventRecord(end, stream), cudaSuccess); }
    float seconds() const {
        float milliseconds = -1;
        EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        EXPECT_EQ(cudaEventElapsedTime(&milliseconds, begin, end), cudaSuccess);
        return milliseconds / 1000;
    }
};

// A kernel that polls a flag, and one that only takes a second.
std::atomic<int> flag = 0;
char gate = 0;  // their addresses identify the kernels
char second_long = 0;

void register_kernels(double patience = 0) {
    tocuda_host_kernel kernel{};
    kernel.version = 1;
    kernel.function = &gate;
    kernel.run = [](void* const*, const tocuda_launch*) {};
    kernel.ready = [](void* const*, const tocuda_launch*) { return flag.load(); };
    const tocuda_host_kernel_more more{1, patience, nullptr, nullptr, nullptr};
    ASSERT_EQ(tocuda_simulation_host_kernel_with(&kernel, &more), 0);
    kernel.function = &second_long;
    kernel.ready = nullptr;
    kernel.seconds = [](void* const*, const tocuda_launch*) { return 1.0; };
    ASSERT_EQ(tocuda_simulation_host_kernel(&kernel), 0);
}

void launch(const char* kernel, cudaStream_t stream) {
    EXPECT_EQ(cudaLaunchKernel(kernel, {1}, {1}, nullptr, 0, stream), cudaSuccess);
}

TEST(Lane, UsesLongEnoughGap) {
    Lane lane;
    lane.take(1, 1, 0);
    EXPECT_EQ(lane.free_from(0, 1), 0);
    EXPECT_EQ(lane.free_from(0, 1.5), 2);
    EXPECT_EQ(lane.free_from(1.5, 0.1), 2);
}

TEST(Lane, MergesAdjacentStretches) {
    Lane lane;
    lane.take(0, 1, 0);
    lane.take(2, 1, 0);
    lane.take(1, 1, 0);
    EXPECT_EQ(lane.free_from(0, 0.5), 3);
}

TEST(Contention, OppositeDirectionsOverlap) {
    on_machine(slow_link, [] {
        const Side one, other;
        one.start();
        one.in();
        one.stop();
        other.out();
        other.stop();
        EXPECT_FLOAT_EQ(one.seconds(), 0.5);
        EXPECT_NEAR(virtual_seconds(), 0.5, 0.01);
    });
}

TEST(Contention, OneCopyEngineSerialisesDirections) {
    on_machine(with(slow_link, {{&GpuFigures::copy_engines, 1}}), [] {
        const Side one, other;
        one.start();
        one.in();
        other.out();
        other.stop();
        EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        EXPECT_NEAR(virtual_seconds(), 1, 0.01);
    });
}

TEST(Contention, CopiesInOneDirectionShareLink) {
    on_machine(slow_link, [] {
        const Side one, other;
        one.in();
        other.in();
        EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        EXPECT_NEAR(virtual_seconds(), 1, 0.01);
    });
}

TEST(Contention, KernelAndCopyOverlap) {
    on_machine(slow_link, [] {
        register_kernels();
        const Side one, other;
        launch(&second_long, one.stream);
        other.in(2);
        EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        EXPECT_NEAR(virtual_seconds(), 1, 0.01);
    });
}

TEST(Contention, KernelAndCopyDoNotOverlapWithoutCopyEngine) {
    on_machine(with(slow_link, {{&GpuFigures::copy_engines, 0}}), [] {
        register_kernels();
        const Side one, other;
        launch(&second_long, one.stream);
        other.in(2);
        EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        EXPECT_NEAR(virtual_seconds(), 2, 0.01);
    });
}

TEST(Contention, StreamsBehindOneGateTakeTurns) {
    on_machine(slow_link, [] {
        register_kernels();
        const Side one, other;
        launch(&gate, one.stream);
        one.start();
        EXPECT_EQ(cudaStreamWaitEvent(other.stream, one.begin, 0), cudaSuccess);
        one.in(4);
        one.stop();
        other.start();
        other.in(4);
        other.stop();
        flag = 1;
        EXPECT_NEAR(one.seconds(), 3.5, 0.01);
        EXPECT_NEAR(other.seconds(), 4, 0.01);
    });
}

TEST(Contention, OverlappingTrafficDoesNotSlowOtherDirection) {
    on_machine(slow_link, [] {
        register_kernels();
        const Side one, other;
        launch(&gate, one.stream);
        one.start();
        EXPECT_EQ(cudaStreamWaitEvent(other.stream, one.begin, 0), cudaSuccess);
        other.out(8);
        one.in(4);
        one.stop();
        flag = 1;
        EXPECT_FLOAT_EQ(one.seconds(), 2);
        EXPECT_NEAR(virtual_seconds(), 4, 0.01);
    });
}

TEST(Contention, PeerAccessIsFasterThanCopyThroughHost) {
    on_machine(twice(slow_link), [] {
        const Side one;
        char* far = nullptr;
        ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
        ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&far), 1 << 20), cudaSuccess);
        ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
        const auto copy = [&] {
            one.start();
            EXPECT_EQ(cudaMemcpyPeerAsync(far, 1, one.device, 0, half_second, one.stream), cudaSuccess);
            one.stop();
            return one.seconds();
        };
        EXPECT_NEAR(copy(), 0.5, 0.001);
        ASSERT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaSuccess);
        EXPECT_NEAR(copy(), 0.05, 0.001);
    });
}

TEST(Contention, EachDirectionBetweenTwoGpusHasTheRateOfItsLink) {
    auto machine = twice(slow_link);
    machine.links = {{.from = 0, .to = 1, .bytes_per_second = 2000000}, {.from = 1, .to = 0, .latency_ns = 5}};
    on_machine(machine, [] {
        ASSERT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaSuccess);
        const Side here;
        ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
        const Side there;
        const auto copy = [](const Side& from, int source, const Side& to, int target) {
            EXPECT_EQ(cudaSetDevice(source), cudaSuccess);
            from.start();
            EXPECT_EQ(cudaMemcpyPeerAsync(to.device, target, from.device, source, half_second, from.stream),
                      cudaSuccess);
            from.stop();
            return from.seconds();
        };
        EXPECT_NEAR(copy(here, 0, there, 1), 0.25, 0.001);
        EXPECT_NEAR(copy(there, 1, here, 0), 0.05, 0.001);
    });
}

TEST(Gate, HoldsFiveHundredOperationsWithExactTimes) {
    on_machine(
        machine_of(
            {.memory_bytes = 1073741824, .copy_latency_ns = 1000, .host_to_device_bytes_per_second = 1000000000}),
        [] {
            register_kernels();
            const Side one;
            launch(&gate, one.stream);
            one.start();
            for (int i = 0; i < 510; ++i) {
                ASSERT_EQ(cudaMemcpyAsync(one.device, one.host, 1000, cudaMemcpyHostToDevice, one.stream), cudaSuccess);
            }
            one.stop();
            EXPECT_EQ(cudaEventQuery(one.begin), cudaErrorNotReady);
            EXPECT_EQ(cudaStreamQuery(one.stream), cudaErrorNotReady);
            flag = 1;
            EXPECT_NEAR(one.seconds(), 510 * 2e-6, 1e-9);
            EXPECT_EQ(cudaStreamQuery(one.stream), cudaSuccess);
        });
}

TEST(Gate, OpensByItselfInVirtualTime) {
    on_machine(slow_link, [] {
        register_kernels(0.1);
        const Side one;
        launch(&gate, one.stream);
        one.stop();
        EXPECT_EQ(cudaEventSynchronize(one.end), cudaSuccess);
        EXPECT_NEAR(virtual_seconds(), 0.1, 0.01);
    });
}

TEST(Gate, OpensByItselfIfEventIsOnlyQueried) {
    on_machine(slow_link, [] {
        register_kernels(2);
        const Side one;
        launch(&gate, one.stream);
        one.stop();
        EXPECT_EQ(tocuda_simulation_pass(1), 0);
        EXPECT_EQ(cudaEventQuery(one.end), cudaErrorNotReady);
        EXPECT_EQ(tocuda_simulation_pass(1.1), 0);
        EXPECT_EQ(cudaEventQuery(one.end), cudaSuccess);
    });
}

// As on a GPU, the launch that finds the queue full waits, here until the gate's patience ends.
TEST(Gate, HostWaitsIfQueueBehindItIsFull) {
    on_machine(slow_link, [] {
        register_kernels(0.1);
        const Side one;
        launch(&gate, one.stream);
        for (int i = 0; i < 1100; ++i) ASSERT_EQ(cudaMemsetAsync(one.device, 1, 1, one.stream), cudaSuccess);
        EXPECT_NEAR(virtual_seconds(), 0.1, 0.01);
    });
}

TEST(Events, HaveResolutionOfProfile) {
    on_machine(with(slow_link, {{&GpuFigures::event_resolution_ns, 500000000}}), [] {
        const Side one;
        one.start();
        EXPECT_EQ(cudaMemcpyAsync(one.device, one.host, 700000, cudaMemcpyHostToDevice, one.stream), cudaSuccess);
        one.stop();
        EXPECT_FLOAT_EQ(one.seconds(), 0.5);
    });
}

}  // namespace
}  // namespace tocuda::simulator
