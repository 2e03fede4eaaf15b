// tocuda, Apache-2.0.
// Where captures end, what they say about themselves, and several at once.
#include <thread>

#include "runtime/graph_test.hpp"

namespace tocuda::simulator {
namespace {

TEST(Capture, EndsInItsOwnStreamAndThread) {
    on_machine(one_gpu, [] {
        cudaStream_t stream = new_stream();
        cudaStream_t side = new_stream();
        cudaEvent_t fork = new_event();
        cudaGraph_t graph = nullptr;
        EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaErrorIllegalState);
        ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
        EXPECT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaErrorIllegalState);
        std::thread([&] { EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureWrongThread); }).join();
        ASSERT_EQ(cudaEventRecord(fork, stream), cudaSuccess);
        ASSERT_EQ(cudaStreamWaitEvent(side, fork, 0), cudaSuccess);
        EXPECT_EQ(cudaStreamEndCapture(side, &graph), cudaErrorStreamCaptureUnmatched);
        EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
        EXPECT_EQ(graph, nullptr);
        ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), cudaSuccess);
        std::thread([&] { EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess); }).join();
    });
}

TEST(Capture, InfoNamesGraphAndNodesAndCanBeChanged) {
    on_machine(one_gpu, [] {
        const Numbers numbers(2);
        cudaStream_t stream = new_stream();
        cudaGraph_t inside = nullptr;
        const auto graph = captured(stream, [&] {
            ASSERT_EQ(cudaMemsetAsync(numbers.device, 1, 4, stream), cudaSuccess);
            cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
            unsigned long long id = 0;
            const cudaGraphNode_t* nodes = nullptr;
            std::size_t count = 0;
            ASSERT_EQ(cudaStreamGetCaptureInfo(stream, &status, &id, &inside, &nodes, nullptr, &count), cudaSuccess);
            EXPECT_EQ(status, cudaStreamCaptureStatusActive);
            EXPECT_NE(id, 0U);
            ASSERT_EQ(count, 1U);
            EXPECT_EQ(cudaGraphDestroyNode(nodes[0]), cudaErrorInvalidValue) << "the stream is behind it";
            cudaGraphNode_t added = nullptr;
            ASSERT_EQ(cudaGraphAddEmptyNode(&added, inside, nodes, count), cudaSuccess);
            ASSERT_EQ(cudaStreamUpdateCaptureDependencies(stream, &added, nullptr, 1, cudaStreamSetCaptureDependencies),
                      cudaSuccess);
            ASSERT_EQ(cudaMemsetAsync(numbers.device, 2, 4, stream), cudaSuccess);
        });
        EXPECT_EQ(graph, inside);
        const auto nodes = nodes_of(graph);
        ASSERT_EQ(nodes.size(), 3U);
        cudaGraphNode_t before = nullptr;
        std::size_t count = 1;
        ASSERT_EQ(cudaGraphNodeGetDependencies(nodes[2], &before, nullptr, &count), cudaSuccess);
        EXPECT_EQ(before, nodes[1]);
        ASSERT_EQ(cudaStreamBeginCaptureToGraph(stream, graph, &nodes[2], nullptr, 1, cudaStreamCaptureModeGlobal),
                  cudaSuccess);
        ASSERT_EQ(cudaMemsetAsync(numbers.device, 3, 4, stream), cudaSuccess);
        ASSERT_EQ(cudaStreamEndCapture(stream, &inside), cudaSuccess);
        EXPECT_EQ(graph, inside);
        EXPECT_EQ(node_count(graph), 4U);
        launch_and_wait(instantiated(graph), stream);
        EXPECT_EQ(numbers.first(), 0x03030303);
    });
}

TEST(Capture, ThreadsCaptureAtOnce) {
    on_machine(two_gpus, [] {
        std::vector<std::thread> threads;
        for (int number = 0; number < 4; ++number)
            threads.emplace_back([number] {
                ASSERT_EQ(cudaSetDevice(number % 2), cudaSuccess);
                const Numbers numbers(10);
                cudaStream_t stream = new_stream();
                for (int round = 1; round <= 20; ++round) {
                    const auto fill = [&] {
                        ASSERT_EQ(cudaMemsetAsync(numbers.device, round + number, 4, stream), cudaSuccess);
                    };
                    const auto graph = captured(stream, fill, cudaStreamCaptureModeRelaxed);
                    const auto executable = instantiated(graph);
                    launch_and_wait(executable, stream);
                    ASSERT_EQ(cudaGraphDestroy(graph), cudaSuccess);
                    ASSERT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
                    EXPECT_EQ(numbers.first(), 0x01010101 * (round + number));
                }
            });
        for (auto& thread : threads) thread.join();
    });
}

}  // namespace
}  // namespace tocuda::simulator
