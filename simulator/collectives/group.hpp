// tocuda, Apache-2.0.
// Calls between ncclGroupStart and ncclGroupEnd, which begin together at the end of the group.
#pragma once

#include "collectives/communicator.hpp"

namespace tocuda::simulator {

// A rank that joins its communicator.
struct Joining {
    ncclComm_t* result = nullptr;
    CommunicatorPointer communicator{};
};

// Now, or at the end of the group if there is one.
ncclResult_t join(const Joining& joining);
ncclResult_t begin(const std::function<ncclResult_t()>& collective);
ncclResult_t begin_send(const CommunicatorPointer& communicator, cudaStream_t stream, const Message& message);
ncclResult_t begin_receive(const CommunicatorPointer& communicator, cudaStream_t stream, const Message& message);

void start_group();
ncclResult_t end_group();

// The handles of communicators.
ncclComm_t handle_of(const CommunicatorPointer& communicator);
CommunicatorPointer communicator_of(ncclComm_t handle);  // null if there is none
CommunicatorPointer remove_handle(ncclComm_t handle);

// Remembers why the last call of this thread failed.
ncclResult_t failed(ncclResult_t result, const char* why);
const char* last_failure();

}  // namespace tocuda::simulator
