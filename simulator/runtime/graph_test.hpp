// tocuda, Apache-2.0.
// For tests of graphs: streams, captures, memory, and what a launch leaves behind.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <vector>

#include "runtime/answers_test.hpp"
#include "runtime/on_machine_test.hpp"

namespace tocuda::simulator {

// A megabyte per second in each direction; nothing else costs anything.
inline const SimulatedMachine measured_gpu = machine_of({.memory_bytes = 1073741824,
                                                         .call_ns = 0,
                                                         .kernel_ns = 0,
                                                         .graph_launch_ns = 0,
                                                         .graph_launch_ns_per_node = 0,
                                                         .copy_latency_ns = 0,
                                                         .host_to_device_bytes_per_second = 1000000,
                                                         .device_to_host_bytes_per_second = 1000000});

inline cudaStream_t new_stream(unsigned flags = cudaStreamNonBlocking) {
    cudaStream_t stream = nullptr;
    EXPECT_EQ(cudaStreamCreateWithFlags(&stream, flags), cudaSuccess);
    return stream;
}

inline cudaEvent_t new_event() {
    cudaEvent_t event = nullptr;
    EXPECT_EQ(cudaEventCreate(&event), cudaSuccess);
    return event;
}

// Pinned host memory and device memory of this many numbers.
struct Numbers {
    explicit Numbers(std::size_t count) : bytes(count * sizeof(int)) {
        EXPECT_EQ(cudaMallocHost(reinterpret_cast<void**>(&host), bytes), cudaSuccess);
        EXPECT_EQ(cudaMalloc(reinterpret_cast<void**>(&device), bytes), cudaSuccess);
    }
    // The first number on the device now.
    int first() const {
        int value = -1;
        EXPECT_EQ(cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost), cudaSuccess);
        return value;
    }
    std::size_t bytes;
    int* host = nullptr;
    int* device = nullptr;
};

inline cudaGraph_t captured(cudaStream_t stream, const std::function<void()>& body,
                            cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal) {
    EXPECT_EQ(cudaStreamBeginCapture(stream, mode), cudaSuccess);
    body();
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    EXPECT_NE(graph, nullptr);
    return graph;
}

inline cudaGraphExec_t instantiated(cudaGraph_t graph) {
    cudaGraphExec_t executable = nullptr;
    EXPECT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
    return executable;
}

inline void launch_and_wait(cudaGraphExec_t executable, cudaStream_t stream) {
    EXPECT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
}

inline std::size_t node_count(cudaGraph_t graph) {
    std::size_t count = 0;
    EXPECT_EQ(cudaGraphGetNodes(graph, nullptr, &count), cudaSuccess);
    return count;
}

inline std::vector<cudaGraphNode_t> nodes_of(cudaGraph_t graph) {
    std::vector<cudaGraphNode_t> nodes(node_count(graph));
    std::size_t count = nodes.size();
    EXPECT_EQ(cudaGraphGetNodes(graph, nodes.data(), &count), cudaSuccess);
    return nodes;
}

inline cudaGraphNodeType type_of(cudaGraphNode_t node) {
    cudaGraphNodeType type = cudaGraphNodeTypeCount;
    EXPECT_EQ(cudaGraphNodeGetType(node, &type), cudaSuccess);
    return type;
}

inline cudaGraphNode_t add_fill(cudaGraph_t graph, const std::vector<cudaGraphNode_t>& after, int* to, unsigned value) {
    const cudaMemsetParams parameters{to, 0, value, 4, 1, 1};
    cudaGraphNode_t node = nullptr;
    EXPECT_EQ(cudaGraphAddMemsetNode(&node, graph, after.data(), after.size(), &parameters), cudaSuccess);
    return node;
}

inline cudaGraph_t new_graph() {
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
    return graph;
}

// What a capture into `stream` ends with if `body` is captured.
inline cudaError_t end_after(cudaStream_t stream, const std::function<void()>& body,
                             cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal) {
    EXPECT_EQ(cudaStreamBeginCapture(stream, mode), cudaSuccess);
    body();
    cudaGraph_t graph = nullptr;
    const cudaError_t ended = cudaStreamEndCapture(stream, &graph);
    EXPECT_EQ(graph != nullptr, ended == cudaSuccess);
    return ended;
}

}  // namespace tocuda::simulator
