// tocuda, Apache-2.0.
// Streams of the simulated GPUs: order, waits, events in virtual time, host functions, flags that a kernel polls.
#include <cuda_runtime_api.h>

#include <atomic>
#include <thread>
#include <vector>

#include "runtime/on_machine_test.hpp"
#include "simulator/schema/simulation.h"

namespace tocuda::simulator {
namespace {

// A megabyte per second in each direction; nothing else costs anything.
const SimulatedMachine measured_gpu = machine_of({.memory_bytes = 1073741824,
                                                  .call_ns = 0,
                                                  .kernel_ns = 0,
                                                  .copy_latency_ns = 0,
                                                  .host_to_device_bytes_per_second = 1000000,
                                                  .device_to_host_bytes_per_second = 1000000});

struct Pinned {
    explicit Pinned(std::size_t bytes) {
        EXPECT_EQ(cudaMallocHost(&host, bytes), cudaSuccess);
        EXPECT_EQ(cudaMalloc(&device, bytes), cudaSuccess);
    }
    void* host = nullptr;
    void* device = nullptr;
};

cudaStream_t new_stream() {
    cudaStream_t stream = nullptr;
    EXPECT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    return stream;
}

cudaEvent_t new_event() {
    cudaEvent_t event = nullptr;
    EXPECT_EQ(cudaEventCreate(&event), cudaSuccess);
    return event;
}

float elapsed(cudaEvent_t start, cudaEvent_t end) {
    float milliseconds = -1;
    EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, end), cudaSuccess);
    return milliseconds;
}

TEST(Stream, TakesTimeOfItsCopies) {
    on_machine(measured_gpu, [] {
        const Pinned memory(500000);
        cudaStream_t stream = new_stream();
        cudaEvent_t start = new_event();
        cudaEvent_t end = new_event();
        ASSERT_EQ(cudaEventRecord(start, stream), cudaSuccess);
        ASSERT_EQ(cudaMemcpyAsync(memory.device, memory.host, 500000, cudaMemcpyHostToDevice, stream), cudaSuccess);
        ASSERT_EQ(cudaEventRecord(end, stream), cudaSuccess);
        EXPECT_EQ(cudaEventQuery(start), cudaSuccess);
        EXPECT_EQ(cudaEventQuery(end), cudaErrorNotReady);
        ASSERT_EQ(cudaEventSynchronize(end), cudaSuccess);
        EXPECT_FLOAT_EQ(elapsed(start, end), 500);
    });
}

TEST(Stream, OverlapsAnotherAndWaitsForItsEvent) {
    on_machine(measured_gpu, [] {
        const Pinned memory(1000000);
        cudaStream_t slow = new_stream();
        cudaStream_t quick = new_stream();
        cudaStream_t waiting = new_stream();
        cudaEvent_t start = new_event();
        cudaEvent_t of_slow = new_event();
        cudaEvent_t of_quick = new_event();
        cudaEvent_t of_waiting = new_event();
        ASSERT_EQ(cudaEventRecord(start, slow), cudaSuccess);
        ASSERT_EQ(cudaMemcpyAsync(memory.device, memory.host, 1000000, cudaMemcpyHostToDevice, slow), cudaSuccess);
        ASSERT_EQ(cudaEventRecord(of_slow, slow), cudaSuccess);
        ASSERT_EQ(cudaMemcpyAsync(memory.host, memory.device, 100000, cudaMemcpyDeviceToHost, quick), cudaSuccess);
        ASSERT_EQ(cudaEventRecord(of_quick, quick), cudaSuccess);
        ASSERT_EQ(cudaStreamWaitEvent(waiting, of_slow, 0), cudaSuccess);
        ASSERT_EQ(cudaMemcpyAsync(memory.device, memory.host, 250000, cudaMemcpyHostToDevice, waiting), cudaSuccess);
        ASSERT_EQ(cudaEventRecord(of_waiting, waiting), cudaSuccess);
        ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        EXPECT_FLOAT_EQ(elapsed(start, of_slow), 1000);
        EXPECT_FLOAT_EQ(elapsed(start, of_quick), 100);
        EXPECT_FLOAT_EQ(elapsed(start, of_waiting), 1250);
    });
}

TEST(Stream, DefaultStreamWaitsForBlockingOnes) {
    on_machine(measured_gpu, [] {
        const Pinned memory(1000000);
        cudaStream_t blocking = nullptr;
        ASSERT_EQ(cudaStreamCreate(&blocking), cudaSuccess);
        cudaEvent_t start = new_event();
        cudaEvent_t of_default = new_event();
        ASSERT_EQ(cudaEventRecord(start, blocking), cudaSuccess);
        ASSERT_EQ(cudaMemcpyAsync(memory.device, memory.host, 1000000, cudaMemcpyHostToDevice, blocking), cudaSuccess);
        ASSERT_EQ(cudaEventRecord(of_default, nullptr), cudaSuccess);
        ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        EXPECT_FLOAT_EQ(elapsed(start, of_default), 1000);
    });
}

TEST(Stream, NoiseDependsOnSeed) {
    const auto milliseconds = [](std::uint64_t seed) {
        int ends[2];
        if (::pipe(ends) != 0) std::abort();
        auto machine = measured_gpu;
        machine.seed = seed;
        machine.gpus.front().noise = 0.1;
        on_machine(machine, [&] {
            const Pinned memory(1000);
            cudaEvent_t start = new_event();
            cudaEvent_t end = new_event();
            EXPECT_EQ(cudaEventRecord(start, nullptr), cudaSuccess);
            EXPECT_EQ(cudaMemcpyAsync(memory.device, memory.host, 1000, cudaMemcpyHostToDevice, nullptr), cudaSuccess);
            EXPECT_EQ(cudaEventRecord(end, nullptr), cudaSuccess);
            EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
            const float taken = elapsed(start, end);
            EXPECT_EQ(::write(ends[1], &taken, sizeof taken), static_cast<ssize_t>(sizeof taken));
        });
        float taken = -1;
        EXPECT_EQ(::read(ends[0], &taken, sizeof taken), static_cast<ssize_t>(sizeof taken));
        ::close(ends[0]);
        ::close(ends[1]);
        return taken;
    };
    const float first = milliseconds(1);
    EXPECT_EQ(first, milliseconds(1));
    EXPECT_NE(first, milliseconds(2));
    EXPECT_NEAR(first, 1, 0.5);
}

TEST(Stream, RunsHostFunctionsOnAnotherThreadInOrder) {
    on_machine(one_gpu, [] {
        static std::vector<int> seen;
        static std::thread::id where;
        cudaStream_t stream = new_stream();
        for (static int next = 0; next < 3; ++next) {
            auto* number = new int(next);
            const auto note = [](void* data) {
                seen.push_back(*static_cast<int*>(data));
                where = std::this_thread::get_id();
            };
            ASSERT_EQ(cudaLaunchHostFunc(stream, note, number), cudaSuccess);
        }
        ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
        EXPECT_EQ(seen, (std::vector<int>{0, 1, 2}));
        EXPECT_NE(where, std::this_thread::get_id());
    });
}

TEST(Stream, IsBlockedByWaitingHostFunction) {
    on_machine(one_gpu, [] {
        static std::atomic<bool> open = false;
        cudaStream_t stream = new_stream();
        const auto wait = [](void*) {
            while (!open) std::this_thread::yield();
        };
        ASSERT_EQ(cudaLaunchHostFunc(stream, wait, nullptr), cudaSuccess);
        cudaEvent_t after = new_event();
        ASSERT_EQ(cudaEventRecord(after, stream), cudaSuccess);
        EXPECT_EQ(cudaEventQuery(after), cudaErrorNotReady);
        open = true;
        EXPECT_EQ(cudaEventSynchronize(after), cudaSuccess);
    });
}

TEST(Stream, RefusesInvalidHandles) {
    on_machine(two_gpus, [] {
        cudaStream_t stream = new_stream();
        ASSERT_EQ(cudaStreamDestroy(stream), cudaSuccess);
        EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorInvalidResourceHandle);
        EXPECT_EQ(cudaStreamDestroy(nullptr), cudaErrorInvalidResourceHandle);
        cudaEvent_t event = new_event();
        ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
        EXPECT_EQ(cudaEventRecord(event, nullptr), cudaErrorInvalidResourceHandle);
    });
}

TEST(Stream, UnsupportedCallsAreReported) {
    on_machine(one_gpu, [] {
        EXPECT_EQ(cudaStreamAttachMemAsync(new_stream(), nullptr, 0, cudaMemAttachSingle), cudaErrorNotSupported);
        EXPECT_EQ(cudaGetLastError(), cudaErrorNotSupported);
        tocuda_simulation_state_t state{};
        state.version = 1;
        ASSERT_EQ(tocuda_simulation_state(&state), 0);
        EXPECT_EQ(state.unsupported_calls, 1U);
        EXPECT_STREQ(state.unsupported_names, "cudaStreamAttachMemAsync");
    });
}

TEST(Stream, LongQueueIsBoundedAndCompletes) {
    on_machine(machine_of({.memory_bytes = 1073741824, .call_ns = 0, .host_to_device_bytes_per_second = 1}), [] {
        const Pinned memory(100000);
        cudaStream_t stream = new_stream();
        for (int i = 0; i < 5000; ++i) {
            ASSERT_EQ(cudaMemcpyAsync(memory.device, memory.host, 100000, cudaMemcpyHostToDevice, stream), cudaSuccess);
        }
        EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    });
}

}  // namespace
}  // namespace tocuda::simulator
