// tocuda, Apache-2.0.
// The runtime's functions for whole graphs: creation, copies, instantiation, launches, updates.
#include <algorithm>

#include "runtime/capture.hpp"
#include "runtime/graph.hpp"
#include "runtime/unsupported.hpp"

namespace tocuda::simulator {
namespace {

constexpr unsigned long long every_flag = cudaGraphInstantiateFlagAutoFreeOnLaunch | cudaGraphInstantiateFlagUpload |
                                          cudaGraphInstantiateFlagDeviceLaunch |
                                          cudaGraphInstantiateFlagUseNodePriority;

// A body that may drop the last reference to a program's objects: their destructors are called without the lock.
template <typename Body>
cudaError_t answer_and_drop(const char* function, Body&& body) {
    std::vector<std::pair<cudaHostFn_t, void*>> ended;
    const cudaError_t result = answer(function, [&](const Call& call) {
        const cudaError_t done = body(call);
        ended = Graphs::here().drop_finished();
        return done;
    });
    for (const auto& [destroy, data] : ended) destroy(data);
    return result;
}

cudaError_t instantiate(const Call& call, cudaGraphExec_t* result, cudaGraph_t handle, unsigned long long flags) {
    if (!result || (flags & ~every_flag) != 0) return cudaErrorInvalidValue;
    *result = nullptr;
    const auto graph = graph_of(handle);
    if (!graph) return cudaErrorInvalidValue;
    if ((flags & cudaGraphInstantiateFlagDeviceLaunch) != 0) return cudaErrorNotSupported;
    auto made = std::make_shared<ExecutableGraph>();
    made->flags = flags;
    made->graph = graph->clone(made->copies);
    made->plan = plan_of(*made->graph, call.thread.device);
    call.device();
    *result = reinterpret_cast<cudaGraphExec_t>(made.get());
    Graphs::here().executable[made.get()] = std::move(made);
    return cudaSuccess;
}

struct Difference {
    cudaGraphExecUpdateResult result = cudaGraphExecUpdateSuccess;
    const GraphNode* node = nullptr;
    const GraphNode* from = nullptr;
};

// Where a graph differs from an executable one by more than what its nodes work on.
Difference difference(const Graph& old, const Graph& other) {
    if (old.nodes.size() != other.nodes.size()) return {cudaGraphExecUpdateErrorTopologyChanged};
    std::unordered_map<const GraphNode*, std::size_t> place;
    for (std::size_t i = 0; i < other.nodes.size(); ++i) {
        place[old.nodes[i].get()] = i;
        place[other.nodes[i].get()] = i;
    }
    const auto same_place = [&](const GraphNode* one, const GraphNode* two) { return place[one] == place[two]; };
    for (std::size_t i = 0; i < other.nodes.size(); ++i) {
        const GraphNode* node = other.nodes[i].get();
        const GraphNode* was = old.nodes[i].get();
        if (type_of(node->work) != type_of(was->work)) return {cudaGraphExecUpdateErrorNodeTypeChanged, node};
        if (!std::ranges::is_permutation(node->after, was->after, same_place))
            return {cudaGraphExecUpdateErrorTopologyChanged, node, node->after.empty() ? nullptr : node->after.back()};
        if (node->device != was->device) return {cudaGraphExecUpdateErrorParametersChanged, node};
        if (const auto* child = std::get_if<ChildGraph>(&node->work)) {
            const auto within = difference(*std::get<ChildGraph>(was->work).graph, *child->graph);
            if (within.result != cudaGraphExecUpdateSuccess) return within;
        }
    }
    return {};
}

}  // namespace

extern "C" {

cudaError_t cudaGraphCreate(cudaGraph_t* result, unsigned flags) {
    return answer(__func__, [&](const Call&) {
        if (!result || flags != 0) return cudaErrorInvalidValue;
        *result = give_handle(std::make_shared<Graph>());
        return cudaSuccess;
    });
}

cudaError_t cudaGraphDestroy(cudaGraph_t handle) {
    return answer_and_drop(__func__, [&](const Call&) {
        return Graphs::here().made.erase(reinterpret_cast<const Graph*>(handle)) == 0 ? cudaErrorInvalidValue
                                                                                      : cudaSuccess;
    });
}

cudaError_t cudaGraphClone(cudaGraph_t* result, cudaGraph_t handle) {
    return with_graph(__func__, handle, [&](const Call&, const Graph& graph) {
        if (!result) return cudaErrorInvalidValue;
        std::unordered_map<const GraphNode*, GraphNode*> copies;
        auto copy = graph.clone(copies);
        copy->originals = std::move(copies);
        *result = give_handle(copy);
        return cudaSuccess;
    });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* result, cudaGraph_t graph, unsigned long long flags) {
    return answer(__func__, [&](const Call& call) { return instantiate(call, result, graph, flags); });
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* result, cudaGraph_t graph, unsigned long long flags) {
    return answer(__func__, [&](const Call& call) { return instantiate(call, result, graph, flags); });
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* result, cudaGraph_t graph,
                                           cudaGraphInstantiateParams* parameters) {
    return answer(__func__, [&](const Call& call) {
        if (!parameters) return cudaErrorInvalidValue;
        const cudaError_t made = instantiate(call, result, graph, parameters->flags);
        parameters->errNode_out = nullptr;
        parameters->result_out = made == cudaSuccess ? cudaGraphInstantiateSuccess : cudaGraphInstantiateError;
        return made;
    });
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t handle, unsigned long long* flags) {
    return with_executable(__func__, handle, [&](const Call&, const ExecutableGraph& executable) {
        return write(flags, executable.flags);
    });
}

// Everything is where it is needed, so there is nothing to upload.
cudaError_t cudaGraphUpload(cudaGraphExec_t handle, cudaStream_t stream) {
    return with_executable(__func__, handle, [&](const Call& call, const ExecutableGraph&) {
        return call.stream(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle;
    });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t handle, cudaStream_t into) {
    return with_executable(__func__, handle, [&](const Call& call, ExecutableGraph& executable) {
        Stream* stream = call.stream(into);
        if (!stream) return cudaErrorInvalidResourceHandle;
        if (const cudaError_t refused = refuses_work(call, *stream); refused != cudaSuccess) return refused;
        if (!stream->capture) return launch_graph(call, executable, *stream);
        std::unordered_map<const GraphNode*, GraphNode*> copies;
        return capture(*stream, ChildGraph{executable.graph->clone(copies)});
    });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t handle) {
    return answer_and_drop(__func__, [&](const Call&) {
        auto& known = Graphs::here().executable;
        const auto found = known.find(reinterpret_cast<const ExecutableGraph*>(handle));
        if (found == known.end()) return cudaErrorInvalidValue;
        Graphs::here().leaving.push_back(found->second);
        known.erase(found);
        return cudaSuccess;
    });
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t handle, cudaGraph_t from, cudaGraphExecUpdateResultInfo* info) {
    return with_executable(__func__, handle, [&](const Call& call, ExecutableGraph& executable) {
        const auto graph = graph_of(from);
        if (!graph) return cudaErrorInvalidValue;
        const auto found = difference(*executable.graph, *graph);
        if (info) *info = {found.result, handle_of(found.node), handle_of(found.from)};
        if (found.result != cudaGraphExecUpdateSuccess) return cudaErrorGraphExecUpdateFailure;
        for (std::size_t i = 0; i < graph->nodes.size(); ++i)
            executable.graph->nodes[i]->work = copy_of(graph->nodes[i]->work);
        executable.plan = plan_of(*executable.graph, call.thread.device);
        return cudaSuccess;
    });
}

cudaError_t cudaUserObjectCreate(cudaUserObject_t* result, void* data, cudaHostFn_t destroy, unsigned references,
                                 unsigned flags) {
    return answer(__func__, [&](const Call&) {
        if (!result || !destroy || references == 0 || flags != cudaUserObjectNoDestructorSync)
            return cudaErrorInvalidValue;
        auto* object = new UserObject{.destroy = destroy, .data = data, .references = references};
        Graphs::here().objects.insert(object);
        *result = reinterpret_cast<cudaUserObject_t>(object);
        return cudaSuccess;
    });
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t handle, unsigned count) {
    return answer(__func__, [&](const Call&) {
        auto* object = reinterpret_cast<UserObject*>(handle);
        if (!Graphs::here().objects.contains(object) || count == 0) return cudaErrorInvalidValue;
        object->references += count;
        return cudaSuccess;
    });
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t handle, unsigned count) {
    return answer_and_drop(__func__, [&](const Call&) {
        auto* object = reinterpret_cast<UserObject*>(handle);
        if (!Graphs::here().objects.contains(object) || count == 0) return cudaErrorInvalidValue;
        Graphs::here().release(*object, count);
        return cudaSuccess;
    });
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t handle, cudaUserObject_t of, unsigned count, unsigned flags) {
    return with_graph(__func__, handle, [&](const Call&, Graph& graph) {
        auto* object = reinterpret_cast<UserObject*>(of);
        if (!Graphs::here().objects.contains(object) || count == 0 || flags > cudaGraphUserObjectMove)
            return cudaErrorInvalidValue;
        graph.objects[object] += count;
        if (flags != cudaGraphUserObjectMove) object->references += count;
        return cudaSuccess;
    });
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t handle, cudaUserObject_t of, unsigned count) {
    return answer_and_drop(__func__, [&](const Call&) {
        const auto graph = graph_of(handle);
        auto* object = reinterpret_cast<UserObject*>(of);
        if (!graph || count == 0) return cudaErrorInvalidValue;
        const auto held = graph->objects.find(object);
        if (held == graph->objects.end() || held->second < count) return cudaErrorInvalidValue;
        held->second -= count;
        if (held->second == 0) graph->objects.erase(held);
        Graphs::here().release(*object, count);
        return cudaSuccess;
    });
}

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle*, cudaGraph_t, unsigned, unsigned) {
    return remembered(unsupported("cudaGraphConditionalHandleCreate (conditional nodes of graphs)"));
}

}  // extern "C"
}  // namespace tocuda::simulator
