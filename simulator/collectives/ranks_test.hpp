// tocuda, Apache-2.0.
// For tests of collectives: two ranks in one process, each with a stream and memory of a GPU of its own.
#pragma once

#include <nccl.h>

#include <array>

#include "runtime/graph_test.hpp"

namespace tocuda::simulator {

struct Rank {
    ncclComm_t communicator = nullptr;
    cudaStream_t stream = nullptr;
    float* device = nullptr;  // sixteen numbers, and as many for results
    float* result() const { return device + 16; }

    void prepare(int gpu) {
        ASSERT_EQ(cudaSetDevice(gpu), cudaSuccess);
        stream = new_stream();
        ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&device), 32 * sizeof(float)), cudaSuccess);
    }
    void put(const std::vector<float>& values) const {
        ASSERT_EQ(cudaMemcpyAsync(device, values.data(), values.size() * 4, cudaMemcpyHostToDevice, stream),
                  cudaSuccess);
    }
    std::vector<float> got(std::size_t count) const {
        std::vector<float> values(count);
        EXPECT_EQ(cudaMemcpyAsync(values.data(), result(), count * 4, cudaMemcpyDeviceToHost, stream), cudaSuccess);
        return values;
    }
};

using Ranks = std::array<Rank, 2>;

inline Ranks two_ranks() {
    Ranks ranks;
    ncclComm_t communicators[2] = {};
    EXPECT_EQ(ncclCommInitAll(communicators, 2, nullptr), ncclSuccess);
    for (int i = 0; i < 2; ++i) {
        ranks[static_cast<std::size_t>(i)].prepare(i);
        ranks[static_cast<std::size_t>(i)].communicator = communicators[i];
    }
    return ranks;
}

template <typename Body>
void grouped(const Ranks& ranks, Body&& body) {
    ASSERT_EQ(ncclGroupStart(), ncclSuccess);
    for (int i = 0; i < 2; ++i) {
        ASSERT_EQ(cudaSetDevice(i), cudaSuccess);
        ASSERT_EQ(body(ranks[static_cast<std::size_t>(i)], i), ncclSuccess);
    }
    ASSERT_EQ(ncclGroupEnd(), ncclSuccess);
}

using Values = std::vector<float>;

}  // namespace tocuda::simulator
