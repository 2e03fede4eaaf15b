// tocuda, Apache-2.0.
// Graphs: nodes with their work and dependencies, and graphs made executable. All of it is used under the simulation's
// lock.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "runtime/kernel_launch.hpp"
#include "runtime/transfer.hpp"

namespace tocuda::simulator {

class Graph;

struct HostCall {
    cudaHostFn_t function = nullptr;
    void* data = nullptr;
};
struct EventRecord {
    Event* event = nullptr;
};
struct EventWait {
    Event* event = nullptr;
};
struct ChildGraph {
    std::shared_ptr<Graph> graph{};
};

// Memory that a graph allocates. It is taken from the pool when the node is made and given back when the last graph
// with the node is gone.
class GraphMemory {
public:
    GraphMemory(Simulation& simulation, const Allocation& allocation);
    GraphMemory(const GraphMemory&) = delete;
    GraphMemory& operator=(const GraphMemory&) = delete;
    ~GraphMemory();

    void* address() const { return reinterpret_cast<void*>(held.address); }
    std::size_t bytes() const { return held.bytes; }

private:
    Simulation& machine;
    const Allocation held;
};
struct MemoryTaken {
    std::shared_ptr<GraphMemory> memory{};
};
struct MemoryFreed {
    void* address = nullptr;
};

// What a node does at each launch; nothing if it is empty. An Operation is anything else that was queued in a stream
// under capture: it is repeated as it is.
using Work = std::variant<std::monostate, KernelWork, Transfer, Fill, HostCall, EventRecord, EventWait, ChildGraph,
                          MemoryTaken, MemoryFreed, Operation>;

cudaGraphNodeType type_of(const Work& work);
Work copy_of(const Work& work);  // with a copy of the graph within, if it is one

struct GraphNode {
    Graph* graph = nullptr;
    Work work{};
    int device = 0;
    std::vector<GraphNode*> after{};   // its dependencies
    std::vector<GraphNode*> before{};  // the nodes that depend on it
    bool enabled = true;

    void depend_on(GraphNode& other);
};

inline GraphNode* node_of(cudaGraphNode_t handle) { return reinterpret_cast<GraphNode*>(handle); }
inline cudaGraphNode_t handle_of(const GraphNode* node) {
    return reinterpret_cast<cudaGraphNode_t>(const_cast<GraphNode*>(node));
}

// A program's object with a reference count; its destructor runs when no graph and nobody else refers to it.
struct UserObject {
    cudaHostFn_t destroy = nullptr;
    void* data = nullptr;
    std::int64_t references = 0;
};

class Graph {
public:
    Graph();
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;
    ~Graph();

    GraphNode& add(Work work, int device, const std::vector<GraphNode*>& after);
    void remove(GraphNode& node);
    // A copy with graphs within it copied too. `copies` says which node became which.
    std::shared_ptr<Graph> clone(std::unordered_map<const GraphNode*, GraphNode*>& copies) const;

    const unsigned id;
    std::vector<std::unique_ptr<GraphNode>> nodes;
    std::map<UserObject*, std::int64_t> objects;                 // references that this graph holds
    std::unordered_map<const GraphNode*, GraphNode*> originals;  // of a clone: its nodes by those they were made from
};

// The nodes of a graph, and of the graphs within it, in an order that keeps all dependencies. Nodes that follow each
// other form chains: each chain becomes a stream of its own at a launch.
struct Step {
    const GraphNode* node = nullptr;  // null: where a graph within the graph begins or ends
    std::size_t chain = 0;
    bool begins_chain = false;
    bool awaited = false;              // by another chain or by the end of the graph
    std::vector<std::size_t> after{};  // steps of other chains
};
struct Plan {
    std::vector<Step> steps;
    std::vector<int> chains;  // the device of each
};

Plan plan_of(const Graph& graph, int device);

struct ExecutableGraph {
    std::shared_ptr<Graph> graph;                             // a copy, so that changes of the original do not matter
    std::unordered_map<const GraphNode*, GraphNode*> copies;  // its nodes by those of the original
    Plan plan;
    unsigned long long flags = 0;
    CompletionPointer last{};  // launches of the same graph run one after the other
};

cudaError_t launch_graph(const Call& call, ExecutableGraph& executable, Stream& stream);

// The handles that are valid now.
struct Graphs {
    static Graphs& here();

    std::unordered_map<const Graph*, std::shared_ptr<Graph>> made;
    std::unordered_set<const GraphNode*> nodes;
    std::unordered_map<const ExecutableGraph*, std::shared_ptr<ExecutableGraph>> executable;
    std::vector<std::shared_ptr<ExecutableGraph>> leaving;  // destroyed while a launch was under way
    std::unordered_set<UserObject*> objects;
    std::vector<std::pair<cudaHostFn_t, void*>> ended;  // destructors that drop_finished returns
    std::map<std::uintptr_t, GraphMemory*> memory;
    struct Amount {
        std::uint64_t now = 0;
        std::uint64_t high = 0;
    };
    std::map<int, Amount> used;  // memory of graphs, by device
    unsigned last_id = 0;

    void release(UserObject& object, std::int64_t references);
    // Drops destroyed graphs whose last launch is over. Returns the destructors that the caller must call once it has
    // given up the lock.
    std::vector<std::pair<cudaHostFn_t, void*>> drop_finished();
};

// From the handles of graphs and nodes to what they stand for, and back.
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
