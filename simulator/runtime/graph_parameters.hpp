// tocuda, Apache-2.0.
// Between the parameters of nodes, as the runtime's functions take and return them, and a node's work.
#pragma once

#include "runtime/graph.hpp"

namespace tocuda::simulator {

// Each checks the parameters for this device and makes the work of a node of them.
cudaError_t work_of(const Call& call, Device& device, const cudaKernelNodeParams* parameters, Work& work);
cudaError_t work_of(const Call& call, Device& device, const cudaMemcpy3DParms* parameters, Work& work);
cudaError_t work_of(const Call& call, Device& device, const Transfer* parameters, Work& work);
cudaError_t work_of(const Call& call, Device& device, const cudaMemsetParams* parameters, Work& work);
cudaError_t work_of(const Call& call, Device& device, const cudaHostNodeParams* parameters, Work& work);
// Those of cudaGraphAddNode: of every kind. Allocates memory if it is a node of that kind, and writes its address.
cudaError_t work_of(const Call& call, Device& device, cudaGraphNodeParams* parameters, Work& work);

// The work of a node that records an event or waits for it.
template <typename Kind>
cudaError_t event_work(const Call& call, cudaEvent_t handle, Work& work) {
    auto* event = reinterpret_cast<Event*>(handle);
    if (!call.simulation.events.contains(event)) return cudaErrorInvalidResourceHandle;
    work = Kind{event};
    return cudaSuccess;
}
cudaError_t take_memory(const Call& call, const cudaMemPoolProps& properties, std::size_t bytes, void*& address,
                        Work& work);

cudaKernelNodeParams parameters_of(const KernelWork& work);
cudaMemcpy3DParms parameters_of(const Transfer& work);
cudaMemsetParams parameters_of(const Fill& work);
cudaHostNodeParams parameters_of(const HostCall& work);

}  // namespace tocuda::simulator
