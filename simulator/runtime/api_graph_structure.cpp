// tocuda, Apache-2.0.
// The runtime's functions for what a graph consists of: its nodes and edges, and a picture of it.
#include <algorithm>
#include <array>
#include <fstream>

#include "runtime/capture.hpp"
#include "runtime/graph.hpp"

namespace tocuda::simulator {
namespace {

struct Edge {
    const GraphNode* from = nullptr;
    const GraphNode* to = nullptr;
};

// Without room, only their number is returned; with room for more than there are, the rest becomes null.
template <typename Values, typename Handle>
cudaError_t list(const Values& values, Handle* into, size_t* count,
                 Handle (*handle)(const typename Values::value_type&)) {
    if (!count) return cudaErrorInvalidValue;
    if (!into) {
        *count = values.size();
        return cudaSuccess;
    }
    for (size_t i = 0; i < *count; ++i) into[i] = i < values.size() ? handle(values[i]) : Handle{};
    *count = std::min(*count, values.size());
    return cudaSuccess;
}

cudaError_t list_nodes(const std::vector<GraphNode*>& nodes, cudaGraphNode_t* into, cudaGraphEdgeData* edges,
                       size_t* count) {
    const cudaError_t listed = list<std::vector<GraphNode*>, cudaGraphNode_t>(
        nodes, into, count, [](GraphNode* const& node) { return handle_of(node); });
    if (listed == cudaSuccess && into && edges) std::fill_n(edges, *count, cudaGraphEdgeData{});
    return listed;
}

std::vector<GraphNode*> nodes_where(const Graph& graph, bool only_roots) {
    std::vector<GraphNode*> nodes;
    for (const auto& node : graph.nodes)
        if (!only_roots || node->after.empty()) nodes.push_back(node.get());
    return nodes;
}

std::vector<Edge> edges_of(const Graph& graph) {
    std::vector<Edge> edges;
    for (const auto& node : graph.nodes)
        for (const GraphNode* next : node->before) edges.push_back({node.get(), next});
    return edges;
}

bool reaches(const GraphNode& from, const GraphNode& to) {
    std::unordered_set<const GraphNode*> seen{&from};
    std::vector<const GraphNode*> open{&from};
    while (!open.empty()) {
        const GraphNode* node = open.back();
        open.pop_back();
        if (node == &to) return true;
        for (const GraphNode* next : node->before)
            if (seen.insert(next).second) open.push_back(next);
    }
    return false;
}

// Both ends of each dependency; nullopt if one is not a node of the graph.
std::optional<std::vector<std::pair<GraphNode*, GraphNode*>>> pairs_of(cudaGraph_t handle, const cudaGraphNode_t* from,
                                                                       const cudaGraphNode_t* to, size_t count) {
    const auto graph = graph_of(handle);
    const auto begins = nodes_of(graph, from, count);
    const auto ends = nodes_of(graph, to, count);
    if (!begins || !ends) return std::nullopt;
    std::vector<std::pair<GraphNode*, GraphNode*>> pairs;
    for (size_t i = 0; i < count; ++i) pairs.emplace_back((*begins)[i], (*ends)[i]);
    return pairs;
}

std::string label(const GraphNode& node) {
    constexpr std::array names{"KERNEL", "MEMCPY",       "MEMSET",     "HOST",     "GRAPH",     "EMPTY",
                               "WAIT",   "EVENT_RECORD", "SEM_SIGNAL", "SEM_WAIT", "MEM_ALLOC", "MEM_FREE"};
    const auto* kernel = std::get_if<KernelWork>(&node.work);
    if (kernel) return std::string("KERNEL ") + kernel->kernel->name;
    return names[static_cast<std::size_t>(type_of(node.work))];
}

bool draw(const Graph& graph, const char* path) {
    std::ofstream file(path);
    std::unordered_map<const GraphNode*, std::size_t> number;
    file << "digraph dot {\nsubgraph cluster_1 {\nlabel=\"graph_" << graph.id << "\" graph[style=\"dashed\"];\n";
    for (const auto& node : graph.nodes) {
        number[node.get()] = number.size();
        const std::string name = "graph_" + std::to_string(graph.id) + "_node_" + std::to_string(number[node.get()]);
        file << '"' << name << "\"[shape=\"rectangle\" label=\"" << number[node.get()] << "\\n"
             << label(*node) << "\"];\n";
    }
    for (const auto& [from, to] : edges_of(graph))
        file << "\"graph_" << graph.id << "_node_" << number[from] << "\" -> \"graph_" << graph.id << "_node_"
             << number[to] << "\";\n";
    file << "}\n}\n";
    return file.flush().good();
}

}  // namespace

extern "C" {

cudaError_t cudaGraphGetNodes(cudaGraph_t handle, cudaGraphNode_t* nodes, size_t* count) {
    return with_graph(__func__, handle, [&](const Call&, const Graph& graph) {
        return list_nodes(nodes_where(graph, false), nodes, nullptr, count);
    });
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t handle, cudaGraphNode_t* nodes, size_t* count) {
    return with_graph(__func__, handle, [&](const Call&, const Graph& graph) {
        return list_nodes(nodes_where(graph, true), nodes, nullptr, count);
    });
}

cudaError_t cudaGraphGetEdges(cudaGraph_t handle, cudaGraphNode_t* from, cudaGraphNode_t* to, cudaGraphEdgeData* data,
                              size_t* count) {
    return with_graph(__func__, handle, [&](const Call&, const Graph& graph) {
        if (!count || (!from) != (!to)) return cudaErrorInvalidValue;
        const auto edges = edges_of(graph);
        size_t room = *count;
        list<std::vector<Edge>, cudaGraphNode_t>(edges, from, &room,
                                                 [](const Edge& edge) { return handle_of(edge.from); });
        list<std::vector<Edge>, cudaGraphNode_t>(edges, to, count, [](const Edge& edge) { return handle_of(edge.to); });
        if (from && data) std::fill_n(data, *count, cudaGraphEdgeData{});
        return cudaSuccess;
    });
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t handle, cudaGraphNodeType* type) {
    return with_node(__func__, handle,
                     [&](const Call&, const GraphNode& node) { return write(type, type_of(node.work)); });
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t handle, cudaGraphNode_t* nodes, cudaGraphEdgeData* edges,
                                         size_t* count) {
    return with_node(__func__, handle,
                     [&](const Call&, const GraphNode& node) { return list_nodes(node.after, nodes, edges, count); });
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t handle, cudaGraphNode_t* nodes, cudaGraphEdgeData* edges,
                                           size_t* count) {
    return with_node(__func__, handle,
                     [&](const Call&, const GraphNode& node) { return list_nodes(node.before, nodes, edges, count); });
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                     const cudaGraphEdgeData*, size_t count) {
    return answer(__func__, [&](const Call&) {
        const auto pairs = pairs_of(graph, from, to, count);
        if (!pairs) return cudaErrorInvalidValue;
        for (const auto& [before, after] : *pairs) {
            const bool known = std::ranges::find(after->after, before) != after->after.end();
            if (known || reaches(*after, *before)) return cudaErrorInvalidValue;
            after->depend_on(*before);
        }
        return cudaSuccess;
    });
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                        const cudaGraphEdgeData*, size_t count) {
    return answer(__func__, [&](const Call&) {
        const auto pairs = pairs_of(graph, from, to, count);
        if (!pairs) return cudaErrorInvalidValue;
        for (const auto& [before, after] : *pairs) {
            if (std::erase(after->after, before) == 0) return cudaErrorInvalidValue;
            std::erase(before->before, after);
        }
        return cudaSuccess;
    });
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t handle) {
    return with_node(__func__, handle, [](const Call&, GraphNode& node) {
        if (captured_graph(node.graph)) return cudaErrorInvalidValue;  // streams and events may be behind the node
        const bool of_memory = type_of(node.work) == cudaGraphNodeTypeMemAlloc;
        if (of_memory || type_of(node.work) == cudaGraphNodeTypeMemFree) return cudaErrorNotSupported;
        node.graph->remove(node);
        return cudaSuccess;
    });
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* result, cudaGraphNode_t original, cudaGraph_t clone) {
    return with_graph(__func__, clone, [&](const Call&, const Graph& graph) {
        const auto found = graph.originals.find(node_of(original));
        if (found == graph.originals.end() || !Graphs::here().nodes.contains(found->second))
            return cudaErrorInvalidValue;
        return write(result, handle_of(found->second));
    });
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t handle, const char* path, unsigned) {
    return with_graph(__func__, handle, [&](const Call&, const Graph& graph) {
        return path && draw(graph, path) ? cudaSuccess : cudaErrorInvalidValue;
    });
}

}  // extern "C"
}  // namespace tocuda::simulator
