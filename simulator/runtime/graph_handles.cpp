// tocuda, Apache-2.0.
#include "runtime/graph_handles.hpp"

#include "runtime/capture.hpp"

namespace tocuda::simulator {

std::shared_ptr<Graph> graph_of(cudaGraph_t handle) {
    const auto* graph = reinterpret_cast<const Graph*>(handle);
    const Graphs& graphs = Graphs::here();
    if (const auto found = graphs.made.find(graph); found != graphs.made.end()) return found->second;
    if (auto capturing = captured_graph(graph)) return capturing;
    for (const GraphNode* node : graphs.nodes) {
        const auto* child = std::get_if<ChildGraph>(&node->work);
        if (child && child->graph.get() == graph) return child->graph;
    }
    return nullptr;
}

std::optional<std::vector<GraphNode*>> nodes_of(const std::shared_ptr<Graph>& graph, const cudaGraphNode_t* handles,
                                                std::size_t count) {
    if (!graph || (!handles && count > 0)) return std::nullopt;
    std::vector<GraphNode*> nodes;
    for (std::size_t i = 0; i < count; ++i) {
        GraphNode* node = node_of(handles[i]);
        if (!Graphs::here().nodes.contains(node) || node->graph != graph.get()) return std::nullopt;
        nodes.push_back(node);
    }
    return nodes;
}

}  // namespace tocuda::simulator
