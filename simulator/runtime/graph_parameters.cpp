// tocuda, Apache-2.0.
#include "runtime/graph_parameters.hpp"

#include "runtime/graph.hpp"
#include "runtime/pool.hpp"
#include "runtime/unsupported.hpp"

namespace tocuda::simulator {
namespace {

template <typename Parameters>
cudaError_t kernel_work(Device& device, const Parameters& parameters, Work& work) {
    if (parameters.extra) return unsupported("kernel nodes with packed arguments");
    KernelWork checked;
    const Launch shape{parameters.gridDim, parameters.blockDim, parameters.sharedMemBytes, nullptr,
                       parameters.kernelParams};
    const cudaError_t wrong = check_launch(device, parameters.func, shape, checked);
    if (wrong == cudaSuccess) work = std::move(checked);
    return wrong;
}

// Makes the operation once, to see whether that is possible.
template <typename Repeated>
cudaError_t checked_work(const Call& call, Device& device, const Repeated& what, Work& work) {
    Operation operation;
    const cudaError_t wrong = make_operation(call, device, what, operation);
    if (wrong == cudaSuccess) work = what;
    return wrong;
}

template <typename Parameters>
cudaError_t fill_work(const Call& call, Device& device, const Parameters& parameters, Work& work) {
    const unsigned size = parameters.elementSize;
    if (size != 1 && size != 2 && size != 4) return cudaErrorInvalidValue;
    const std::size_t width = parameters.width * size;
    const std::size_t pitch = parameters.height == 1 ? width : parameters.pitch;
    if (width == 0 || parameters.height == 0 || width > pitch) return cudaErrorInvalidValue;
    return checked_work(call, device,
                        Fill{parameters.dst, pitch, width, parameters.height, static_cast<int>(parameters.value), size},
                        work);
}

template <typename Parameters>
cudaError_t host_work(const Parameters& parameters, Work& work) {
    if (!parameters.fn) return cudaErrorInvalidValue;
    work = HostCall{parameters.fn, parameters.userData};
    return cudaSuccess;
}

cudaError_t child_work(cudaGraph_t handle, Work& work) {
    const auto graph = graph_of(handle);
    if (!graph) return cudaErrorInvalidValue;
    std::unordered_map<const GraphNode*, GraphNode*> copies;
    work = ChildGraph{graph->clone(copies)};
    return cudaSuccess;
}

}  // namespace

cudaError_t take_memory(const Call& call, const cudaMemPoolProps& properties, std::size_t bytes, void*& address,
                        Work& work) {
    const int device = properties.location.id;
    if (properties.location.type != cudaMemLocationTypeDevice || bytes == 0) return cudaErrorInvalidValue;
    if (!call.simulation.has_device(device)) return cudaErrorInvalidDevice;
    Pool& pool = *call.simulation.device(device).default_pool;
    if (const cudaError_t wrong = take_from_pool(call, pool, &address, bytes); wrong != cudaSuccess) return wrong;
    const Allocation& allocation = *call.simulation.memory.starting_at(address);
    work = MemoryTaken{std::make_shared<GraphMemory>(call.simulation, allocation)};
    return cudaSuccess;
}

cudaError_t work_of(const Call&, Device& device, const cudaKernelNodeParams* parameters, Work& work) {
    return parameters ? kernel_work(device, *parameters, work) : cudaErrorInvalidValue;
}

cudaError_t work_of(const Call& call, Device& device, const cudaMemcpy3DParms* parameters, Work& work) {
    if (!parameters) return cudaErrorInvalidValue;
    if (parameters->srcArray || parameters->dstArray) return unsupported("copies of arrays");
    const auto what = Transfer::boxed(parameters->dstPtr, parameters->dstPos, parameters->srcPtr, parameters->srcPos,
                                      parameters->extent, parameters->kind);
    return work_of(call, device, &what, work);
}

cudaError_t work_of(const Call& call, Device& device, const Transfer* parameters, Work& work) {
    const Transfer& what = *parameters;
    if (what.is_empty()) return cudaErrorInvalidValue;
    if (const cudaError_t wrong = what.shape_error(); wrong != cudaSuccess) return wrong;
    return checked_work(call, device, what, work);
}

cudaError_t work_of(const Call& call, Device& device, const cudaMemsetParams* parameters, Work& work) {
    return parameters ? fill_work(call, device, *parameters, work) : cudaErrorInvalidValue;
}

cudaError_t work_of(const Call&, Device&, const cudaHostNodeParams* parameters, Work& work) {
    return parameters ? host_work(*parameters, work) : cudaErrorInvalidValue;
}

cudaError_t work_of(const Call& call, Device& device, cudaGraphNodeParams* parameters, Work& work) {
    if (!parameters) return cudaErrorInvalidValue;
    switch (parameters->type) {
        case cudaGraphNodeTypeKernel:
            return kernel_work(device, parameters->kernel, work);
        case cudaGraphNodeTypeMemcpy:
            return work_of(call, device, &parameters->memcpy.copyParams, work);
        case cudaGraphNodeTypeMemset:
            return fill_work(call, device, parameters->memset, work);
        case cudaGraphNodeTypeHost:
            return host_work(parameters->host, work);
        case cudaGraphNodeTypeGraph:
            return child_work(parameters->graph.graph, work);
        case cudaGraphNodeTypeEmpty:
            work = std::monostate{};
            return cudaSuccess;
        case cudaGraphNodeTypeWaitEvent:
            return event_work<EventWait>(call, parameters->eventWait.event, work);
        case cudaGraphNodeTypeEventRecord:
            return event_work<EventRecord>(call, parameters->eventRecord.event, work);
        case cudaGraphNodeTypeMemAlloc:
            return take_memory(call, parameters->alloc.poolProps, parameters->alloc.bytesize, parameters->alloc.dptr,
                               work);
        case cudaGraphNodeTypeMemFree:
            work = MemoryFreed{parameters->free.dptr};
            return Graphs::here().memory.contains(reinterpret_cast<std::uintptr_t>(parameters->free.dptr))
                       ? cudaSuccess
                       : cudaErrorInvalidValue;
        case cudaGraphNodeTypeConditional:
            return unsupported("conditional nodes of graphs");
        default:
            return unsupported("graph nodes for semaphores of other interfaces");
    }
}

cudaKernelNodeParams parameters_of(const KernelWork& work) {
    void** const arguments = work.arguments ? const_cast<void**>(work.arguments->pointers()) : nullptr;
    return {.func = const_cast<void*>(work.kernel->function),
            .gridDim = work.shape.grid,
            .blockDim = work.shape.block,
            .sharedMemBytes = static_cast<unsigned>(work.shape.shared_bytes),
            .kernelParams = arguments,
            .extra = nullptr};
}

cudaMemcpy3DParms parameters_of(const Transfer& work) {
    cudaMemcpy3DParms parameters{};
    const auto rows = [&](std::size_t slice, std::size_t pitch) {
        return work.slices > 1 ? slice / pitch : work.height;
    };
    parameters.srcPtr = {const_cast<void*>(work.source), work.source_pitch, work.width,
                         rows(work.source_slice, work.source_pitch)};
    parameters.dstPtr = {work.target, work.target_pitch, work.width, rows(work.target_slice, work.target_pitch)};
    parameters.extent = {work.width, work.height, work.slices};
    parameters.kind = work.kind;
    return parameters;
}

cudaMemsetParams parameters_of(const Fill& work) {
    return {
        work.target, work.pitch, static_cast<unsigned>(work.value), work.element_bytes, work.width / work.element_bytes,
        work.height};
}

cudaHostNodeParams parameters_of(const HostCall& work) { return {work.function, work.data}; }

}  // namespace tocuda::simulator
