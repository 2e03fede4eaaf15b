// tocuda, Apache-2.0.
// The runtime's functions that add nodes to a graph, and read and change what they work on.
#include "runtime/graph.hpp"
#include "runtime/graph_parameters.hpp"
#include "runtime/unsupported.hpp"

namespace tocuda::simulator {
namespace {

// Where a new node goes.
struct Place {
    cudaGraphNode_t* result;
    cudaGraph_t graph;
    const cudaGraphNode_t* after;
    size_t count;
};

// Adds a node with the work that `make` makes.
template <typename Make>
cudaError_t add(const char* function, const Place& place, Make&& make) {
    return answer(function, [&](const Call& call) -> cudaError_t {
        const auto graph = graph_of(place.graph);
        const auto after = nodes_of(graph, place.after, place.count);
        if (!place.result || !after) return cudaErrorInvalidValue;
        Work work;
        if (const cudaError_t wrong = make(call, work); wrong != cudaSuccess) return wrong;
        *place.result = handle_of(&graph->add(std::move(work), call.thread.device, *after));
        return cudaSuccess;
    });
}

template <typename Parameters>
cudaError_t add_with(const char* function, const Place& place, Parameters* parameters) {
    return add(function, place,
               [&](const Call& call, Work& work) { return work_of(call, call.device(), parameters, work); });
}

// Replaces what a node works on by other work of the same kind.
cudaError_t replace(GraphNode& node, Work work) {
    if (type_of(work) != type_of(node.work)) return cudaErrorInvalidValue;
    node.work = std::move(work);
    return cudaSuccess;
}

template <typename Parameters>
cudaError_t set(const Call& call, GraphNode& node, Parameters* parameters) {
    Work work;
    const cudaError_t wrong = work_of(call, call.simulation.device(node.device), parameters, work);
    return wrong != cudaSuccess ? wrong : replace(node, std::move(work));
}

template <typename Parameters>
cudaError_t set(const char* function, cudaGraphNode_t handle, Parameters* parameters) {
    return with_node(function, handle, [&](const Call& call, GraphNode& node) { return set(call, node, parameters); });
}

// The same in an executable graph, whose nodes are named by those of the graph that it was made of.
template <typename Body>
cudaError_t with_copy(const char* function, cudaGraphExec_t executable, cudaGraphNode_t handle, Body&& body) {
    return with_executable(function, executable, [&](const Call& call, const ExecutableGraph& of) -> cudaError_t {
        const auto found = of.copies.find(node_of(handle));
        return found == of.copies.end() ? cudaErrorInvalidValue : body(call, *found->second);
    });
}

template <typename Parameters>
cudaError_t set_copy(const char* function, cudaGraphExec_t executable, cudaGraphNode_t handle, Parameters* parameters) {
    return with_copy(function, executable, handle, [&](const Call& call, GraphNode& node) {
        const bool is_graph = type_of(node.work) == cudaGraphNodeTypeGraph;
        return is_graph ? unsupported("changing a graph within an executable graph") : set(call, node, parameters);
    });
}

template <typename Kind, typename Body>
cudaError_t with_kind(const char* function, cudaGraphNode_t handle, Body&& body) {
    return with_node(function, handle, [&](const Call&, GraphNode& node) -> cudaError_t {
        auto* work = std::get_if<Kind>(&node.work);
        return work ? body(*work) : cudaErrorInvalidValue;
    });
}

template <typename Kind, typename Parameters>
cudaError_t get(const char* function, cudaGraphNode_t handle, Parameters* parameters) {
    return with_kind<Kind>(function, handle, [&](const Kind& work) { return write(parameters, parameters_of(work)); });
}

template <typename Kind>
cudaError_t set_event(const Call& call, GraphNode& node, cudaEvent_t handle) {
    Work work;
    const cudaError_t wrong = event_work<Kind>(call, handle, work);
    return wrong != cudaSuccess ? wrong : replace(node, std::move(work));
}

template <typename Kind>
cudaError_t add_event(const char* function, const Place& place, cudaEvent_t handle) {
    return add(function, place, [&](const Call& call, Work& work) { return event_work<Kind>(call, handle, work); });
}

template <typename Kind>
cudaError_t get_event(const char* function, cudaGraphNode_t handle, cudaEvent_t* event) {
    return with_kind<Kind>(function, handle,
                           [&](const Kind& work) { return write(event, reinterpret_cast<cudaEvent_t>(work.event)); });
}

}  // namespace

extern "C" {

cudaError_t cudaGraphAddNode(cudaGraphNode_t* result, cudaGraph_t graph, const cudaGraphNode_t* after,
                             const cudaGraphEdgeData*, size_t count, cudaGraphNodeParams* parameters) {
    return add_with(__func__, {result, graph, after, count}, parameters);
}
cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams* parameters) {
    return set(__func__, node, parameters);
}
cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                       cudaGraphNodeParams* parameters) {
    return set_copy(__func__, executable, node, parameters);
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* result, cudaGraph_t graph, const cudaGraphNode_t* after,
                                  size_t count) {
    return add(__func__, {result, graph, after, count}, [](const Call&, Work&) { return cudaSuccess; });
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* result, cudaGraph_t graph, const cudaGraphNode_t* after,
                                   size_t count, const cudaKernelNodeParams* parameters) {
    return add_with(__func__, {result, graph, after, count}, parameters);
}
cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* parameters) {
    return get<KernelWork>(__func__, node, parameters);
}
cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* parameters) {
    return set(__func__, node, parameters);
}
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* parameters) {
    return set_copy(__func__, executable, node, parameters);
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* result, cudaGraph_t graph, const cudaGraphNode_t* after,
                                   size_t count, const cudaMemcpy3DParms* parameters) {
    return add_with(__func__, {result, graph, after, count}, parameters);
}
cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms* parameters) {
    return get<Transfer>(__func__, node, parameters);
}
cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms* parameters) {
    return set(__func__, node, parameters);
}
cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaMemcpy3DParms* parameters) {
    return set_copy(__func__, executable, node, parameters);
}
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* result, cudaGraph_t graph, const cudaGraphNode_t* after,
                                     size_t count, void* target, const void* source, size_t bytes,
                                     cudaMemcpyKind kind) {
    const auto what = Transfer::flat(target, source, bytes, kind);
    return add_with(__func__, {result, graph, after, count}, &what);
}
cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* target, const void* source, size_t bytes,
                                           cudaMemcpyKind kind) {
    const auto what = Transfer::flat(target, source, bytes, kind);
    return set(__func__, node, &what);
}
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t executable, cudaGraphNode_t node, void* target,
                                               const void* source, size_t bytes, cudaMemcpyKind kind) {
    const auto what = Transfer::flat(target, source, bytes, kind);
    return set_copy(__func__, executable, node, &what);
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* result, cudaGraph_t graph, const cudaGraphNode_t* after,
                                   size_t count, const cudaMemsetParams* parameters) {
    return add_with(__func__, {result, graph, after, count}, parameters);
}
cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams* parameters) {
    return get<Fill>(__func__, node, parameters);
}
cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* parameters) {
    return set(__func__, node, parameters);
}
cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaMemsetParams* parameters) {
    return set_copy(__func__, executable, node, parameters);
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* result, cudaGraph_t graph, const cudaGraphNode_t* after, size_t count,
                                 const cudaHostNodeParams* parameters) {
    return add_with(__func__, {result, graph, after, count}, parameters);
}
cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams* parameters) {
    return get<HostCall>(__func__, node, parameters);
}
cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* parameters) {
    return set(__func__, node, parameters);
}
cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                           const cudaHostNodeParams* parameters) {
    return set_copy(__func__, executable, node, parameters);
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* result, cudaGraph_t graph, const cudaGraphNode_t* after,
                                       size_t count, cudaGraph_t child) {
    cudaGraphNodeParams parameters{};
    parameters.type = cudaGraphNodeTypeGraph;
    parameters.graph.graph = child;
    return add_with(__func__, {result, graph, after, count}, &parameters);
}
cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* graph) {
    return with_kind<ChildGraph>(__func__, node,
                                 [&](const ChildGraph& work) { return write(graph, handle_of(*work.graph)); });
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* result, cudaGraph_t graph, const cudaGraphNode_t* after,
                                        size_t count, cudaEvent_t event) {
    return add_event<EventRecord>(__func__, {result, graph, after, count}, event);
}
cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {
    return get_event<EventRecord>(__func__, node, event);
}
cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t handle, cudaEvent_t event) {
    return with_node(__func__, handle,
                     [&](const Call& call, GraphNode& node) { return set_event<EventRecord>(call, node, event); });
}
cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t executable, cudaGraphNode_t handle,
                                                 cudaEvent_t event) {
    return with_copy(__func__, executable, handle,
                     [&](const Call& call, GraphNode& node) { return set_event<EventRecord>(call, node, event); });
}
cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* result, cudaGraph_t graph, const cudaGraphNode_t* after,
                                      size_t count, cudaEvent_t event) {
    return add_event<EventWait>(__func__, {result, graph, after, count}, event);
}
cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {
    return get_event<EventWait>(__func__, node, event);
}
cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t handle, cudaEvent_t event) {
    return with_node(__func__, handle,
                     [&](const Call& call, GraphNode& node) { return set_event<EventWait>(call, node, event); });
}
cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t executable, cudaGraphNode_t handle, cudaEvent_t event) {
    return with_copy(__func__, executable, handle,
                     [&](const Call& call, GraphNode& node) { return set_event<EventWait>(call, node, event); });
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* result, cudaGraph_t graph, const cudaGraphNode_t* after,
                                     size_t count, cudaMemAllocNodeParams* parameters) {
    return add(__func__, {result, graph, after, count}, [&](const Call& call, Work& work) {
        if (!parameters) return cudaErrorInvalidValue;
        return take_memory(call, parameters->poolProps, parameters->bytesize, parameters->dptr, work);
    });
}
cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, cudaMemAllocNodeParams* parameters) {
    return with_node(__func__, node, [&](const Call&, const GraphNode& of) {
        const auto* work = std::get_if<MemoryTaken>(&of.work);
        if (!work || !parameters) return cudaErrorInvalidValue;
        *parameters = {};
        parameters->poolProps.allocType = cudaMemAllocationTypePinned;
        parameters->poolProps.location = {cudaMemLocationTypeDevice, of.device};
        parameters->bytesize = work->memory->bytes();
        parameters->dptr = work->memory->address();
        return cudaSuccess;
    });
}
cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* result, cudaGraph_t graph, const cudaGraphNode_t* after,
                                    size_t count, void* address) {
    cudaGraphNodeParams parameters{};
    parameters.type = cudaGraphNodeTypeMemFree;
    parameters.free.dptr = address;
    return add_with(__func__, {result, graph, after, count}, &parameters);
}
cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void* address) {
    return with_kind<MemoryFreed>(
        __func__, node, [&](const MemoryFreed& work) { return write(static_cast<void**>(address), work.address); });
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t executable, cudaGraphNode_t handle, unsigned enabled) {
    return with_copy(__func__, executable, handle, [&](const Call&, GraphNode& node) {
        const auto type = type_of(node.work);
        const bool can =
            type == cudaGraphNodeTypeKernel || type == cudaGraphNodeTypeMemcpy || type == cudaGraphNodeTypeMemset;
        if (!can) return cudaErrorInvalidValue;
        node.enabled = enabled != 0;
        return cudaSuccess;
    });
}
cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t executable, cudaGraphNode_t handle, unsigned* enabled) {
    return with_copy(__func__, executable, handle,
                     [&](const Call&, const GraphNode& node) { return write(enabled, node.enabled ? 1U : 0U); });
}

}  // extern "C"
}  // namespace tocuda::simulator
