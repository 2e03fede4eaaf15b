// tocuda, Apache-2.0.
#include "runtime/graph.hpp"

#include <algorithm>

#include "runtime/capture.hpp"
#include "runtime/pool.hpp"

namespace tocuda::simulator {
namespace {

constexpr std::array types{cudaGraphNodeTypeEmpty,     cudaGraphNodeTypeKernel, cudaGraphNodeTypeMemcpy,
                           cudaGraphNodeTypeMemset,    cudaGraphNodeTypeHost,   cudaGraphNodeTypeEventRecord,
                           cudaGraphNodeTypeWaitEvent, cudaGraphNodeTypeGraph,  cudaGraphNodeTypeMemAlloc,
                           cudaGraphNodeTypeMemFree,   cudaGraphNodeTypeKernel};
static_assert(types.size() == std::variant_size_v<Work>);

}  // namespace

cudaGraphNodeType type_of(const Work& work) { return types[work.index()]; }

Work copy_of(const Work& work) {
    const auto* child = std::get_if<ChildGraph>(&work);
    if (!child) return work;
    std::unordered_map<const GraphNode*, GraphNode*> copies;
    return ChildGraph{child->graph->clone(copies)};
}

GraphMemory::GraphMemory(Simulation& simulation, const Allocation& allocation) : machine(simulation), held(allocation) {
    Graphs& graphs = Graphs::here();
    graphs.memory[allocation.address] = this;
    auto& used = graphs.used[allocation.device];
    used.now += Pool::rounded(allocation.bytes);
    used.high = std::max(used.high, used.now);
}

GraphMemory::~GraphMemory() {
    Graphs& graphs = Graphs::here();
    graphs.memory.erase(held.address);
    graphs.used[held.device].now -= Pool::rounded(held.bytes);
    held.pool->give_back(held.address);
    machine.memory.remove(held.address);
}

void GraphNode::depend_on(GraphNode& other) {
    if (std::ranges::find(after, &other) != after.end()) return;
    after.push_back(&other);
    other.before.push_back(this);
}

Graph::Graph() : id(++Graphs::here().last_id) {}

Graph::~Graph() {
    Graphs& graphs = Graphs::here();
    for (const auto& node : nodes) graphs.nodes.erase(node.get());
    for (const auto& [object, references] : objects) graphs.release(*object, references);
}

GraphNode& Graph::add(Work work, int device, const std::vector<GraphNode*>& after) {
    nodes.push_back(std::make_unique<GraphNode>(GraphNode{.graph = this, .work = std::move(work), .device = device}));
    GraphNode& node = *nodes.back();
    Graphs::here().nodes.insert(&node);
    for (GraphNode* other : after) node.depend_on(*other);
    return node;
}

void Graph::remove(GraphNode& node) {
    for (GraphNode* other : node.after) std::erase(other->before, &node);
    for (GraphNode* other : node.before) std::erase(other->after, &node);
    Graphs::here().nodes.erase(&node);
    std::erase_if(nodes, [&](const auto& owned) { return owned.get() == &node; });
}

std::shared_ptr<Graph> Graph::clone(std::unordered_map<const GraphNode*, GraphNode*>& copies) const {
    auto copy = std::make_shared<Graph>();
    for (const auto& node : nodes) {
        GraphNode& made = copy->add(copy_of(node->work), node->device, {});
        made.enabled = node->enabled;
        copies[node.get()] = &made;
    }
    for (const auto& node : nodes) {
        for (const GraphNode* other : node->after) copies[node.get()]->after.push_back(copies[other]);
        for (const GraphNode* other : node->before) copies[node.get()]->before.push_back(copies[other]);
    }
    for (const auto& [object, references] : objects) object->references += references;
    copy->objects = objects;
    return copy;
}

Graphs& Graphs::here() {
    static Graphs* const only = new Graphs;
    return *only;
}

void Graphs::release(UserObject& object, std::int64_t references) {
    object.references -= references;
    if (object.references > 0) return;
    ended.emplace_back(object.destroy, object.data);
    objects.erase(&object);
    delete &object;
}

std::vector<std::pair<cudaHostFn_t, void*>> Graphs::drop_finished() {
    std::erase_if(leaving, [](const auto& one) { return !one->last || one->last->done; });
    return std::exchange(ended, {});
}

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
