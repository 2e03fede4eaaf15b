// tocuda, Apache-2.0.
// How long graphs, their memory and their objects live; pictures of graphs; nodes that are refused.
#include <algorithm>
#include <atomic>
#include <fstream>
#include <sstream>
#include <thread>

#include "runtime/graph_test.hpp"

namespace tocuda::simulator {
namespace {

std::uint64_t memory_of_graphs() {
    std::uint64_t bytes = 0;
    EXPECT_EQ(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &bytes), cudaSuccess);
    return bytes;
}

TEST(Graph, MayBeDestroyedWhileLaunched) {
    on_machine(measured_gpu, [] {
        const Numbers numbers(1000);
        cudaStream_t stream = new_stream();
        numbers.host[0] = 6;
        void* inside = nullptr;
        const auto graph = captured(stream, [&] {
            ASSERT_EQ(cudaMallocAsync(&inside, 4096, stream), cudaSuccess);
            ASSERT_EQ(cudaMemcpyAsync(numbers.device, numbers.host, numbers.bytes, cudaMemcpyHostToDevice, stream),
                      cudaSuccess);
        });
        static std::atomic<bool> ended = false;
        cudaUserObject_t object = nullptr;
        const auto destroy = [](void*) { ended = true; };
        ASSERT_EQ(cudaUserObjectCreate(&object, nullptr, destroy, 1, cudaUserObjectNoDestructorSync), cudaSuccess);
        ASSERT_EQ(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove), cudaSuccess);
        const auto executable = instantiated(graph);
        ASSERT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
        ASSERT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
        ASSERT_EQ(cudaGraphDestroy(graph), cudaSuccess);
        ASSERT_EQ(cudaStreamDestroy(stream), cudaSuccess);
        ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        EXPECT_EQ(numbers.first(), 6);
        EXPECT_EQ(cudaGraphLaunch(executable, nullptr), cudaErrorInvalidValue);
        while (memory_of_graphs() != 0 || !ended) std::this_thread::yield();  // soon; otherwise the alarm ends the test
    });
}

TEST(Graph, CopyOfFreedMemoryIsRefusedAtLaunch) {
    on_machine(one_gpu, [] {
        const Numbers numbers(10);
        cudaStream_t stream = new_stream();
        const auto graph = new_graph();
        add_fill(graph, {}, numbers.device, 1);
        const auto executable = instantiated(graph);
        ASSERT_EQ(cudaFree(numbers.device), cudaSuccess);
        EXPECT_EQ(cudaGraphLaunch(executable, stream), cudaErrorInvalidValue);
    });
}

TEST(Graph, MemoryLivesAsLongAsItsGraphs) {
    on_machine(one_gpu, [] {
        cudaStream_t stream = new_stream();
        int value = 0;
        void* inside = nullptr;
        const auto graph = captured(stream, [&] {
            ASSERT_EQ(cudaMallocAsync(&inside, 4096, stream), cudaSuccess);
            ASSERT_EQ(cudaMemsetAsync(inside, 3, 4096, stream), cudaSuccess);
            ASSERT_EQ(cudaMemcpyAsync(&value, inside, 4, cudaMemcpyDeviceToHost, stream), cudaSuccess);
            ASSERT_EQ(cudaFreeAsync(inside, stream), cudaSuccess);
        });
        EXPECT_EQ(type_of(nodes_of(graph).front()), cudaGraphNodeTypeMemAlloc);
        EXPECT_EQ(type_of(nodes_of(graph).back()), cudaGraphNodeTypeMemFree);
        const auto executable = instantiated(graph);
        launch_and_wait(executable, stream);
        EXPECT_EQ(value, 0x03030303);
        EXPECT_EQ(memory_of_graphs(), 4096U);
        ASSERT_EQ(cudaGraphDestroy(graph), cudaSuccess);
        EXPECT_EQ(memory_of_graphs(), 4096U);
        ASSERT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
        EXPECT_EQ(memory_of_graphs(), 0U);
    });
}

TEST(Graph, UserObjectEndsWithLastGraph) {
    on_machine(one_gpu, [] {
        static int ended = 0;
        cudaUserObject_t object = nullptr;
        const auto destroy = [](void* data) { ended += *static_cast<int*>(data); };
        static int one = 1;
        ASSERT_EQ(cudaUserObjectCreate(&object, &one, destroy, 1, cudaUserObjectNoDestructorSync), cudaSuccess);
        const auto graph = new_graph();
        ASSERT_EQ(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove), cudaSuccess);
        const auto executable = instantiated(graph);
        ASSERT_EQ(cudaGraphDestroy(graph), cudaSuccess);
        EXPECT_EQ(ended, 0);
        ASSERT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
        EXPECT_EQ(ended, 1);
    });
}

TEST(Graph, PictureNamesNodesAndEdges) {
    on_machine(one_gpu, [] {
        const Numbers numbers(10);
        const auto graph = new_graph();
        add_fill(graph, {add_fill(graph, {}, numbers.device, 1)}, numbers.device, 2);
        char path[] = "/tmp/tocuda-graph-XXXXXX";
        ::close(::mkstemp(path));
        ASSERT_EQ(cudaGraphDebugDotPrint(graph, path, 0), cudaSuccess);
        std::stringstream text;
        text << std::ifstream(path).rdbuf();
        ::unlink(path);
        EXPECT_NE(text.str().find("MEMSET"), std::string::npos);
        EXPECT_EQ(std::ranges::count(text.str(), '>'), 1);
    });
}

TEST(Graph, ConditionalNodesAreRefusedAndReported) {
    on_machine(one_gpu, [] {
        cudaGraphConditionalHandle handle{};
        EXPECT_EQ(cudaGraphConditionalHandleCreate(&handle, new_graph(), 0, 0), cudaErrorNotSupported);
        cudaGraphNodeParams parameters{};
        parameters.type = cudaGraphNodeTypeConditional;
        cudaGraphNode_t node = nullptr;
        EXPECT_EQ(cudaGraphAddNode(&node, new_graph(), nullptr, nullptr, 0, &parameters), cudaErrorNotSupported);
        tocuda_simulation_state_t state{};
        state.version = 1;
        ASSERT_EQ(tocuda_simulation_state(&state), 0);
        EXPECT_EQ(state.unsupported_calls, 2U);
    });
}

}  // namespace
}  // namespace tocuda::simulator
