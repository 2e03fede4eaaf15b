// tocuda, Apache-2.0.
// Operations that the host computes: their order in the stream, and bytes that were not computed.
#include <cuda_runtime_api.h>

#include <array>

#include "runtime/answers_test.hpp"
#include "runtime/on_machine_test.hpp"
#include "simulator/schema/counts.hpp"
#include "simulator/schema/simulation.h"

namespace tocuda::simulator {
namespace {

// Adds one to a number in device memory.
struct Increment {
    int* number;
    int* dropped;
};

tocuda_computation increment(int* number, int* dropped, const std::array<tocuda_touch, 2>& touches) {
    return {.version = 1,
            .run = [](void* it) { ++*static_cast<Increment*>(it)->number; },
            .ready = nullptr,
            .drop =
                [](void* it) {
                    auto* const done = static_cast<Increment*>(it);
                    ++*done->dropped;
                    delete done;
                },
            .state = new Increment{number, dropped},
            .touches = touches.data(),
            .count = touches.size(),
            .link_seconds = 0};
}

std::array<tocuda_touch, 2> reads_and_writes(const int* number) {
    return {{{number, sizeof *number, 0}, {number, sizeof *number, 1}}};
}

int* device_number() {
    void* pointer = nullptr;
    EXPECT_EQ(cudaMalloc(&pointer, sizeof(int)), cudaSuccess);
    return static_cast<int*>(pointer);
}

int read(const int* number) {
    int value = -1;
    EXPECT_EQ(cudaMemcpy(&value, number, sizeof value, cudaMemcpyDeviceToHost), cudaSuccess);
    return value;
}

std::uint64_t read_back() { return static_cast<SharedCounts*>(tocuda_simulation_counts())->read_back_not_computed; }

TEST(Computation, HappensAtOnceIfNothingIsPending) {
    on_machine(one_gpu, [] {
        int* number = device_number();
        int dropped = 0;
        const auto touches = reads_and_writes(number);
        const auto what = increment(number, &dropped, touches);
        EXPECT_EQ(tocuda_simulation_compute(0, nullptr, &what), 0);
        EXPECT_EQ(*number, 1);
        EXPECT_EQ(dropped, 1);
        EXPECT_EQ(read(number), 1) << "bytes that the host wrote are there";
    });
}

TEST(Computation, WaitsForWhatIsQueuedBefore) {
    on_machine(with(one_gpu, {{&GpuFigures::device_to_host_bytes_per_second, 1}}), [] {
        int* number = device_number();
        void* pinned = nullptr;
        ASSERT_EQ(cudaMallocHost(&pinned, sizeof(int)), cudaSuccess);
        cudaStream_t stream = nullptr;
        ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
        const int seven = 7;
        ASSERT_EQ(cudaMemcpy(number, &seven, sizeof seven, cudaMemcpyHostToDevice), cudaSuccess);
        ASSERT_EQ(cudaMemcpyAsync(pinned, number, sizeof(int), cudaMemcpyDeviceToHost, stream), cudaSuccess);
        int dropped = 0;
        const auto touches = reads_and_writes(number);
        const auto what = increment(number, &dropped, touches);
        ASSERT_EQ(tocuda_simulation_compute(0, stream, &what), 0);
        ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
        EXPECT_EQ(*static_cast<int*>(pinned), 7) << "copied before the number changed";
        EXPECT_EQ(read(number), 8);
        EXPECT_EQ(dropped, 1);
    });
}

TEST(Computation, PassesOnThatItsInputWasNotComputed) {
    on_machine(one_gpu, [] {
        int* source = device_number();
        int* target = device_number();
        const tocuda_touch lost{source, sizeof *source, 1};
        tocuda_simulation_not_computed("lost", "train.py:3", &lost, 1);
        EXPECT_EQ(read(target), 0);
        EXPECT_EQ(read_back(), 0);
        int dropped = 0;
        const std::array<tocuda_touch, 2> touches{{{source, sizeof *source, 0}, {target, sizeof *target, 1}}};
        const auto what = increment(target, &dropped, touches);
        ASSERT_EQ(tocuda_simulation_compute(0, nullptr, &what), 0);
        read(target);
        EXPECT_EQ(read_back(), 1);
        ASSERT_EQ(cudaMemset(target, 0, sizeof *target), cudaSuccess);
        read(target);
        EXPECT_EQ(read_back(), 1) << "overwritten";
        ASSERT_EQ(cudaMemcpy(target, source, sizeof *target, cudaMemcpyDeviceToDevice), cudaSuccess);
        read(target);
        EXPECT_EQ(read_back(), 2) << "copied";
        const auto& counts = *static_cast<SharedCounts*>(tocuda_simulation_counts());
        EXPECT_STREQ(counts.not_computed[0].name.data(), "lost");
        EXPECT_EQ(counts.not_computed_kinds, 1);
    });
}

TEST(Computation, RefusesUnknownStreamsAndDropsWhatItWasGiven) {
    on_machine(one_gpu, [] {
        int* number = device_number();
        int dropped = 0;
        const auto touches = reads_and_writes(number);
        const auto what = increment(number, &dropped, touches);
        EXPECT_EQ(tocuda_simulation_compute(1, nullptr, &what), cudaErrorInvalidDevice);
        EXPECT_EQ(dropped, 1);
        EXPECT_EQ(*number, 0);
    });
}

}  // namespace
}  // namespace tocuda::simulator
