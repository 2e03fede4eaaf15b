// tocuda, Apache-2.0.
// How a graph is put in order and launched: one stream for each chain of nodes, between a first and a last operation
// of the stream that it is launched into.
#include <algorithm>
#include <queue>

#include "runtime/graph.hpp"

namespace tocuda::simulator {
namespace {

using Nodes = std::vector<const GraphNode*>;

// Dependencies first, otherwise in the order in which the nodes were made. No function makes cycles.
Nodes in_order(const Graph& graph) {
    std::unordered_map<const GraphNode*, std::size_t> position;
    std::vector<std::size_t> missing;
    std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        position[graph.nodes[i].get()] = i;
        missing.push_back(graph.nodes[i]->after.size());
        if (missing.back() == 0) ready.push(i);
    }
    Nodes order;
    while (!ready.empty()) {
        const GraphNode* node = graph.nodes[ready.top()].get();
        ready.pop();
        order.push_back(node);
        for (const GraphNode* next : node->before) {
            if (--missing[position[next]] == 0) ready.push(position[next]);
        }
    }
    return order;
}

class Planner {
public:
    // Adds the graph's steps, the first of which come after `entry`, if there is one. Returns the last ones.
    std::vector<std::size_t> add(const Graph& graph, std::optional<std::size_t> entry, int device) {
        std::unordered_map<const GraphNode*, std::size_t> last_step;
        std::vector<std::size_t> leaves;
        for (const GraphNode* node : in_order(graph)) {
            std::vector<std::size_t> after;
            for (const GraphNode* other : node->after) after.push_back(last_step[other]);
            if (after.empty() && entry) after.push_back(*entry);
            const auto* child = std::get_if<ChildGraph>(&node->work);
            std::size_t step = append(child ? nullptr : node, node->device, after);
            if (child && node->enabled) {
                const auto within = add(*child->graph, step, node->device);
                if (!within.empty()) step = append(nullptr, device, within);
            }
            last_step[node] = step;
            if (node->before.empty()) leaves.push_back(step);
        }
        return leaves;
    }

    Plan finish(const std::vector<std::size_t>& leaves) {
        for (const std::size_t leaf : leaves) made.steps[leaf].awaited = true;
        return std::move(made);
    }

private:
    // Continues the chain of the first dependency that is the last of its chain and on the same device.
    std::size_t append(const GraphNode* node, int device, const std::vector<std::size_t>& after) {
        const std::size_t here = made.steps.size();
        Step step{.node = node};
        const auto continued = std::ranges::find_if(after, [&](std::size_t other) {
            const std::size_t chain = made.steps[other].chain;
            return ends[chain] == other && made.chains[chain] == device;
        });
        step.begins_chain = continued == after.end();
        step.chain = step.begins_chain ? made.chains.size() : made.steps[*continued].chain;
        if (step.begins_chain) {
            made.chains.push_back(device);
            ends.push_back(here);
        }
        ends[step.chain] = here;
        for (const std::size_t other : after) {
            if (made.steps[other].chain == step.chain) continue;
            made.steps[other].awaited = true;
            step.after.push_back(other);
        }
        made.steps.push_back(std::move(step));
        return here;
    }

    Plan made;
    std::vector<std::size_t> ends;  // the last step of each chain
};

struct Maker {
    const Call& call;
    Device& device;
    Operation& made;

    template <typename Other>
    cudaError_t operator()(const Other& work) const {
        if constexpr (requires { make_operation(call, device, work, made); })
            return make_operation(call, device, work, made);
        return cudaSuccess;  // an event is recorded once its chain is known; memory is there as long as the graph
    }
    cudaError_t operator()(const HostCall& work) const {
        made.host_function = [work] { work.function(work.data); };
        return cudaSuccess;
    }
    cudaError_t operator()(const EventWait& work) const {
        const bool waits = call.simulation.events.contains(work.event) && work.event->recorded;
        if (waits) made.after = {work.event->recorded};
        return cudaSuccess;
    }
    cudaError_t operator()(const Operation& work) const {
        made = work;
        return cudaSuccess;
    }
};

// The operations of all steps, before any is queued, because one of them may be impossible.
cudaError_t make_operations(const Call& call, const Plan& plan, std::vector<Operation>& operations) {
    operations.resize(plan.steps.size());
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
        const GraphNode* node = plan.steps[i].node;
        if (!node || !node->enabled) continue;
        Device& device = call.simulation.device(node->device);
        const cudaError_t wrong = std::visit(Maker{call, device, operations[i]}, node->work);
        if (wrong != cudaSuccess) return wrong;
    }
    return cudaSuccess;
}

void note_record(const Call& call, const GraphNode* node, Stream* chain, Operation& operation) {
    const auto* record = !node || !node->enabled ? nullptr : std::get_if<EventRecord>(&node->work);
    if (!record || !call.simulation.events.contains(record->event)) return;
    operation.completes = std::make_shared<Completion>(Completion{.stream = chain});
    record->event->recorded = operation.completes;
}

// Queues all operations in streams of their own, which are deleted once they are empty. Each chain begins where `start`
// would. Returns what the end of the graph must wait for.
std::vector<CompletionPointer> queue_chains(const Call& call, const Plan& plan, std::vector<Operation> operations,
                                            const Operation& start) {
    std::vector<Stream*> chains;
    for (const int device : plan.chains)
        chains.push_back(new Stream({.device = device, .joins_legacy = false}, call.simulation.schedule));
    std::vector<CompletionPointer> points(plan.steps.size());
    std::vector<CompletionPointer> awaited;
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
        const Step& step = plan.steps[i];
        Operation& operation = operations[i];
        Stream* chain = chains[step.chain];
        note_record(call, step.node, chain, operation);
        if (step.begins_chain) {
            operation.after.insert(operation.after.end(), start.after.begin(), start.after.end());
            operation.earliest = std::max(operation.earliest, start.earliest);
        }
        for (const std::size_t other : step.after) operation.after.push_back(points[other]);
        if (step.awaited && !operation.completes)
            operation.completes = std::make_shared<Completion>(Completion{.stream = chain});
        points[i] = operation.completes;
        if (step.awaited) awaited.push_back(operation.completes);
        chain->add(std::move(operation));
    }
    for (Stream* chain : chains) {
        if (chain->idle()) delete chain;
        else call.simulation.leaving.push_back(chain);
    }
    return awaited;
}

}  // namespace

Plan plan_of(const Graph& graph, int device) {
    Planner planner;
    const auto leaves = planner.add(graph, std::nullopt, device);
    return planner.finish(leaves);
}

cudaError_t launch_graph(const Call& call, ExecutableGraph& executable, Stream& stream) {
    Device& device = call.simulation.device(stream.kind.device);
    const auto nodes = static_cast<std::int64_t>(executable.plan.steps.size());
    call.simulation.spend(device, device.profile.graph_launch_ns + nodes * device.profile.graph_launch_ns_per_node);
    std::vector<Operation> operations;
    const cudaError_t wrong = make_operations(call, executable.plan, operations);
    if (wrong != cudaSuccess) return wrong;
    // What the first operations wait for: all that is in the stream, and the launch of the same graph before.
    Operation start{.earliest = stream.tail()};
    call.simulation.join_others(stream, start);
    for (const auto& point : {stream.last(), executable.last})
        if (point) start.after.push_back(point);
    Operation end;
    end.after = queue_chains(call, executable.plan, std::move(operations), start);
    executable.last = end.completes = std::make_shared<Completion>(Completion{.stream = &stream});
    call.enqueue(stream, std::move(end));
    return cudaSuccess;
}

}  // namespace tocuda::simulator
