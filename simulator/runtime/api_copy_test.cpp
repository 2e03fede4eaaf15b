// tocuda, Apache-2.0.
// Copies on the simulated GPUs: values, directions, bounds, and when an asynchronous copy is done.
#include <cuda_runtime_api.h>

#include <chrono>
#include <cstring>
#include <numeric>
#include <thread>
#include <vector>

#include "runtime/answers_test.hpp"
#include "runtime/on_machine_test.hpp"

namespace tocuda::simulator {
namespace {

std::vector<int> numbers(std::size_t count) {
    std::vector<int> values(count);
    std::iota(values.begin(), values.end(), 1);
    return values;
}

void* device_memory(std::size_t bytes) {
    void* pointer = nullptr;
    EXPECT_EQ(cudaMalloc(&pointer, bytes), cudaSuccess);
    return pointer;
}

TEST(Copy, RoundTripKeepsValuesOnEitherDevice) {
    on_machine(two_gpus, [] {
        const auto sent = numbers(100000);
        std::vector<int> back(sent.size());
        const std::size_t bytes = sent.size() * sizeof(int);
        for (const int device : {0, 1}) {
            ASSERT_EQ(cudaSetDevice(device), cudaSuccess);
            void* there = device_memory(bytes);
            ASSERT_EQ(cudaMemcpy(there, sent.data(), bytes, cudaMemcpyHostToDevice), cudaSuccess);
            ASSERT_EQ(cudaMemcpy(back.data(), there, bytes, cudaMemcpyDeviceToHost), cudaSuccess);
            EXPECT_EQ(back, sent);
        }
    });
}

TEST(Copy, BetweenDevicesKeepsValues) {
    on_machine(two_gpus, [] {
        const auto sent = numbers(1000);
        std::vector<int> back(sent.size());
        const std::size_t bytes = sent.size() * sizeof(int);
        void* first = device_memory(bytes);
        ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
        void* second = device_memory(bytes);
        ASSERT_EQ(cudaMemcpy(first, sent.data(), bytes, cudaMemcpyDefault), cudaSuccess);
        ASSERT_EQ(cudaMemcpyPeer(second, 1, first, 0, bytes), cudaSuccess);
        ASSERT_EQ(cudaMemcpy(back.data(), second, bytes, cudaMemcpyDefault), cudaSuccess);
        EXPECT_EQ(back, sent);
        EXPECT_EQ(cudaMemcpyPeer(second, 2, first, 0, bytes), cudaErrorInvalidDevice);
    });
}

TEST(Copy, BeyondAllocationFails) {
    on_machine(one_gpu, [] {
        std::vector<char> host(4 * MiB);
        auto* device = static_cast<char*>(device_memory(1000));
        EXPECT_EQ(cudaMemcpy(device, host.data(), 1000, cudaMemcpyHostToDevice), cudaSuccess);
        EXPECT_EQ(cudaMemcpy(device, host.data(), 1001, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
        EXPECT_EQ(cudaMemcpy(device + 999, host.data(), 1, cudaMemcpyHostToDevice), cudaSuccess);
        EXPECT_EQ(cudaMemcpy(device + 999, host.data(), 2, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
        EXPECT_EQ(cudaMemcpy(host.data(), device + 3 * MiB, 1, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
        EXPECT_EQ(cudaMemset(device, 1, 1001), cudaErrorInvalidValue);
    });
}

TEST(Copy, OfFreedMemoryFails) {
    on_machine(one_gpu, [] {
        char byte = 0;
        void* device = device_memory(100);
        ASSERT_EQ(cudaFree(device), cudaSuccess);
        EXPECT_EQ(cudaMemcpy(&byte, device, 1, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
        EXPECT_EQ(cudaMemcpy(&byte, device, 1, cudaMemcpyDefault), cudaErrorInvalidValue);
    });
}

TEST(Copy, AgainstItsDirectionFails) {
    on_machine(one_gpu, [] {
        std::vector<char> host(100);
        void* device = device_memory(100);
        EXPECT_EQ(cudaMemcpy(host.data(), host.data(), 10, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
        EXPECT_EQ(cudaMemcpy(host.data(), device, 10, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
        EXPECT_EQ(cudaMemcpy(device, host.data(), 10, static_cast<cudaMemcpyKind>(7)), cudaErrorInvalidMemcpyDirection);
        EXPECT_EQ(cudaMemcpy(nullptr, host.data(), 10, cudaMemcpyHostToHost), cudaErrorInvalidValue);
    });
}

TEST(Copy, OfRowsLeavesGapsUnchanged) {
    on_machine(one_gpu, [] {
        const auto sent = numbers(12);
        std::vector<int> back(12, 0);
        void* device = device_memory(sent.size() * sizeof(int));
        ASSERT_EQ(cudaMemset(device, 0, sent.size() * sizeof(int)), cudaSuccess);
        ASSERT_EQ(cudaMemcpy2D(device, 4 * sizeof(int), sent.data(), 4 * sizeof(int), 2 * sizeof(int), 3,
                               cudaMemcpyHostToDevice),
                  cudaSuccess);
        ASSERT_EQ(cudaMemcpy(back.data(), device, sent.size() * sizeof(int), cudaMemcpyDeviceToHost), cudaSuccess);
        EXPECT_EQ(back, (std::vector<int>{1, 2, 0, 0, 5, 6, 0, 0, 9, 10, 0, 0}));
        EXPECT_EQ(cudaMemcpy2D(device, 4, sent.data(), 16, 8, 3, cudaMemcpyHostToDevice), cudaErrorInvalidPitchValue);
    });
}

// Two slices of two rows of two numbers, from memory whose slices have three rows of four.
TEST(Copy, OfSlicesLeavesGapsUnchanged) {
    on_machine(two_gpus, [] {
        auto sent = numbers(24);
        std::vector<int> back(24, 0);
        const std::size_t row = 4 * sizeof(int);
        void* near = device_memory(6 * row);
        ASSERT_EQ(cudaMemset(near, 0, 6 * row), cudaSuccess);
        cudaMemcpy3DParms box{};
        box.srcPtr = {sent.data(), row, row, 3};
        box.dstPtr = {near, row, row, 3};
        box.dstPos = {row / 2, 0, 0};
        box.extent = {row / 2, 2, 2};
        box.kind = cudaMemcpyHostToDevice;
        ASSERT_EQ(cudaMemcpy3D(&box), cudaSuccess);
        ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
        void* far = device_memory(6 * row);
        ASSERT_EQ(cudaMemset(far, 0, 6 * row), cudaSuccess);
        cudaMemcpy3DPeerParms on{};
        on.srcPtr = box.dstPtr;
        on.srcPos = box.dstPos;
        on.dstPtr = {far, row, row, 3};
        on.dstDevice = 1;
        on.extent = box.extent;
        ASSERT_EQ(cudaMemcpy3DPeerAsync(&on, nullptr), cudaSuccess);
        ASSERT_EQ(cudaMemcpy(back.data(), far, 6 * row, cudaMemcpyDeviceToHost), cudaSuccess);
        EXPECT_EQ(back, (std::vector<int>{1, 2, 0, 0, 5, 6, 0, 0, 0, 0, 0, 0, 13, 14, 0, 0, 17, 18, 0, 0, 0, 0, 0, 0}));
        on.dstDevice = 2;
        EXPECT_EQ(cudaMemcpy3DPeerAsync(&on, nullptr), cudaErrorInvalidDevice);
        box.dstPtr.ysize = 1;
        EXPECT_EQ(cudaMemcpy3DAsync(&box, nullptr), cudaErrorInvalidValue) << "slices that overlap";
        EXPECT_EQ(cudaMemcpy3D(nullptr), cudaErrorInvalidValue);
    });
}

// Long copies of pinned memory, so that the call returns long before they are due.
const SimulatedMachine slow_gpu = machine_of(
    {.memory_bytes = 1073741824, .host_to_device_bytes_per_second = 1000, .device_to_host_bytes_per_second = 1000});

TEST(Copy, ToPinnedMemoryIsDoneOnlyAfterWaitForStream) {
    on_machine(slow_gpu, [] {
        cudaStream_t stream = nullptr;
        ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
        char* pinned = nullptr;
        ASSERT_EQ(cudaMallocHost(reinterpret_cast<void**>(&pinned), 1000), cudaSuccess);
        void* device = device_memory(1000);
        ASSERT_EQ(cudaMemset(device, 5, 1000), cudaSuccess);
        ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        ASSERT_EQ(cudaMemcpyAsync(pinned, device, 1000, cudaMemcpyDeviceToHost, stream), cudaSuccess);
        EXPECT_EQ(cudaStreamQuery(stream), cudaErrorNotReady);
        EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
        EXPECT_EQ(pinned[999], 5);
        EXPECT_EQ(cudaStreamQuery(stream), cudaSuccess);
    });
}

TEST(Copy, OfLittlePageableMemoryIsTakenAtOnceAndMadeInItsTurn) {
    on_machine(slow_gpu, [] {
        cudaStream_t stream = nullptr;
        ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
        char* pinned = nullptr;
        ASSERT_EQ(cudaMallocHost(reinterpret_cast<void**>(&pinned), 1000), cudaSuccess);
        std::vector<char> host(1000, 7);
        void* device = device_memory(1000);
        ASSERT_EQ(cudaMemcpyAsync(device, pinned, 1000, cudaMemcpyHostToDevice, stream), cudaSuccess);
        ASSERT_EQ(cudaMemcpyAsync(device, host.data(), 1000, cudaMemcpyHostToDevice, stream), cudaSuccess);
        EXPECT_EQ(cudaStreamQuery(stream), cudaErrorNotReady) << "it does not wait for the first";
        host.assign(1000, 8);
        std::vector<char> back(1000, 0);
        ASSERT_EQ(cudaMemcpyAsync(back.data(), device, 1000, cudaMemcpyDeviceToHost, stream), cudaSuccess);
        EXPECT_EQ(cudaStreamQuery(stream), cudaSuccess) << "the other way it does";
        EXPECT_EQ(back, std::vector<char>(1000, 7));
    });
}

TEST(Copy, OfMuchPageableMemoryIsDoneWhenCallReturns) {
    on_machine(slow_gpu, [] {
        cudaStream_t stream = nullptr;
        ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
        const std::vector<char> host((256 << 10) + 1, 7);
        void* device = device_memory(host.size());
        ASSERT_EQ(cudaMemcpyAsync(device, host.data(), host.size(), cudaMemcpyHostToDevice, stream), cudaSuccess);
        EXPECT_EQ(cudaStreamQuery(stream), cudaSuccess);
    });
}

// Real time passes too: a program that polls its own memory sees the copy eventually, as with a GPU.
TEST(Copy, BecomesVisibleToHostThatOnlyPollsMemory) {
    on_machine(slow_gpu, [] {
        volatile char* pinned = nullptr;
        void* place = nullptr;
        ASSERT_EQ(cudaMallocHost(&place, 10), cudaSuccess);
        pinned = static_cast<volatile char*>(place);
        void* device = device_memory(10);
        ASSERT_EQ(cudaMemset(device, 3, 10), cudaSuccess);
        ASSERT_EQ(cudaMemcpyAsync(place, device, 10, cudaMemcpyDeviceToHost, nullptr), cudaSuccess);
        while (pinned[9] != 3) std::this_thread::yield();
    });
}

TEST(Copy, BatchCopiesAllOrSaysWhatIsWrong) {
    on_machine(slow_gpu, [] {
        cudaStream_t stream = nullptr;
        ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
        const std::vector<char> source{1, 2, 3, 4};
        auto* const device = static_cast<char*>(device_memory(4));
        const std::vector<void*> to{device + 2, device};
        const std::vector<const void*> from{source.data(), source.data() + 2};
        const std::vector<std::size_t> sizes{2, 2};
        cudaMemcpyAttributes attributes{};
        std::size_t first = 0;
        const auto copy = [&](std::size_t count) {
            return cudaMemcpyBatchAsync(to.data(), from.data(), sizes.data(), count, &attributes, &first, 1, stream);
        };
        EXPECT_EQ(copy(2), cudaSuccess);
        EXPECT_EQ(copy(0), cudaErrorInvalidValue);
        std::vector<char> back(4, 0);
        ASSERT_EQ(cudaMemcpyAsync(back.data(), device, 4, cudaMemcpyDeviceToHost, stream), cudaSuccess);
        EXPECT_EQ(back, (std::vector<char>{3, 4, 1, 2}));
    });
}

}  // namespace
}  // namespace tocuda::simulator
