// tocuda, Apache-2.0.
// From the handles of graphs and nodes to what they stand for, and back.
#pragma once

#include <optional>

#include "runtime/graph.hpp"

namespace tocuda::simulator {

inline cudaGraph_t handle_of(const Graph& graph) { return reinterpret_cast<cudaGraph_t>(const_cast<Graph*>(&graph)); }
inline cudaGraph_t give_handle(const std::shared_ptr<Graph>& graph) {
    Graphs::here().made[graph.get()] = graph;
    return handle_of(*graph);
}

// Null if there is no such graph. A graph within a node has a handle, too, but belongs to its node.
std::shared_ptr<Graph> graph_of(cudaGraph_t handle);

// Nullopt if one of them is not a node of this graph, or if there is no graph.
std::optional<std::vector<GraphNode*>> nodes_of(const std::shared_ptr<Graph>& graph, const cudaGraphNode_t* handles,
                                                std::size_t count);

template <typename Body>
cudaError_t with_graph(const char* function, cudaGraph_t handle, Body&& body) {
    return answer(function, [&](const Call& call) -> cudaError_t {
        const auto graph = graph_of(handle);
        return graph ? body(call, *graph) : cudaErrorInvalidValue;
    });
}

template <typename Body>
cudaError_t with_node(const char* function, cudaGraphNode_t handle, Body&& body) {
    return answer(function, [&](const Call& call) -> cudaError_t {
        GraphNode* node = node_of(handle);
        return Graphs::here().nodes.contains(node) ? body(call, *node) : cudaErrorInvalidValue;
    });
}

template <typename Body>
cudaError_t with_executable(const char* function, cudaGraphExec_t handle, Body&& body) {
    return answer(function, [&](const Call& call) -> cudaError_t {
        const auto& known = Graphs::here().executable;
        const auto found = known.find(reinterpret_cast<const ExecutableGraph*>(handle));
        if (found == known.end()) return cudaErrorInvalidValue;
        const auto kept = found->second;  // another thread may destroy it while this one waits
        return body(call, *kept);
    });
}

}  // namespace tocuda::simulator
