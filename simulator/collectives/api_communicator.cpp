// tocuda, Apache-2.0.
// NCCL's functions for communicators, groups, errors and memory.
#include <cuda_runtime_api.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <random>

#include "collectives/group.hpp"
#include "collectives/reduction.hpp"
#include "simulator/schema/simulation.h"

namespace tocuda::simulator {
namespace {

constexpr int exported_version = TOCUDA_NCCL_VERSION;

int current_device() {
    int device = 0;
    cudaGetDevice(&device);
    return device;
}

ncclResult_t join(ncclComm_t* result, int ranks, const std::string& name, int rank, int device = current_device()) {
    if (!result || ranks < 1 || rank < 0 || rank >= ranks)
        return failed(ncclInvalidArgument, "a rank or the number of ranks is out of range");
    return join(Joining{result, std::make_shared<Communicator>(name, ranks, rank, device)});
}

std::string new_name() {
    std::random_device random;
    std::array<char, 64> name{};
    std::snprintf(name.data(), name.size(), "tocuda-nccl-%08x%08x%08x", random(), random(), random());
    return name.data();
}

std::string name_of(const ncclUniqueId& id) { return {id.internal, ::strnlen(id.internal, sizeof id.internal)}; }

template <typename Body>
ncclResult_t with(ncclComm_t handle, Body&& body) {
    const auto communicator = communicator_of(handle);
    return communicator ? body(*communicator) : failed(ncclInvalidArgument, "no such communicator");
}

}  // namespace

extern "C" {

ncclResult_t ncclGetVersion(int* version) {
    if (!version) return ncclInvalidArgument;
    *version = exported_version;
    return ncclSuccess;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
    if (!id) return ncclInvalidArgument;
    *id = {};
    const std::string name = new_name();
    std::memcpy(id->internal, name.data(), name.size());
    return ncclSuccess;
}

ncclResult_t ncclCommInitRank(ncclComm_t* result, int ranks, ncclUniqueId id, int rank) {
    return join(result, ranks, name_of(id), rank);
}
ncclResult_t ncclCommInitRankConfig(ncclComm_t* result, int ranks, ncclUniqueId id, int rank, ncclConfig_t*) {
    return join(result, ranks, name_of(id), rank);
}
ncclResult_t ncclCommInitRankScalable(ncclComm_t* result, int ranks, int rank, int ids, ncclUniqueId* id,
                                      ncclConfig_t*) {
    if (ids < 1 || !id) return ncclInvalidArgument;
    return join(result, ranks, name_of(*id), rank);
}
ncclResult_t ncclCommInitAll(ncclComm_t* results, int ranks, const int* devices) {
    if (!results) return ncclInvalidArgument;
    const std::string name = new_name();
    start_group();
    ncclResult_t result = ncclSuccess;
    for (int rank = 0; rank < ranks && result == ncclSuccess; ++rank)
        result = join(results + rank, ranks, name, rank, devices ? devices[rank] : rank);
    const ncclResult_t ended = end_group();
    return result == ncclSuccess ? ended : result;
}

// Only ranks that are in one part meet again; the others get no communicator.
ncclResult_t ncclCommSplit(ncclComm_t handle, int color, int key, ncclComm_t* result, ncclConfig_t*) {
    return with(handle, [&](Communicator& communicator) {
        if (!result) return ncclInvalidArgument;
        *result = nullptr;
        const auto members = communicator.split(color, key);
        if (members.empty()) return color < 0 ? ncclSuccess : ncclSystemError;
        int place = 0;
        while (members[static_cast<std::size_t>(place)] != communicator.rank) ++place;
        const auto name = communicator.name + "-" + std::to_string(communicator.splits()) + "-" + std::to_string(color);
        return join(result, static_cast<int>(members.size()), name, place, communicator.device);
    });
}

ncclResult_t ncclCommFinalize(ncclComm_t handle) {
    return with(handle, [](Communicator&) { return ncclSuccess; });
}
// What is queued goes on.
ncclResult_t ncclCommDestroy(ncclComm_t handle) {
    return remove_handle(handle) ? ncclSuccess : failed(ncclInvalidArgument, "no such communicator");
}
ncclResult_t ncclCommAbort(ncclComm_t handle) {
    const auto communicator = remove_handle(handle);
    if (!communicator) return failed(ncclInvalidArgument, "no such communicator");
    communicator->abort();
    return ncclSuccess;
}
ncclResult_t ncclCommGetAsyncError(ncclComm_t handle, ncclResult_t* error) {
    return with(handle, [&](const Communicator& communicator) {
        if (!error) return ncclInvalidArgument;
        *error = communicator.aborted() ? ncclRemoteError : ncclSuccess;
        return ncclSuccess;
    });
}
ncclResult_t ncclCommCount(const ncclComm_t handle, int* count) {
    return with(handle, [&](const Communicator& communicator) {
        *count = communicator.ranks;
        return ncclSuccess;
    });
}
ncclResult_t ncclCommUserRank(const ncclComm_t handle, int* rank) {
    return with(handle, [&](const Communicator& communicator) {
        *rank = communicator.rank;
        return ncclSuccess;
    });
}
ncclResult_t ncclCommCuDevice(const ncclComm_t handle, int* device) {
    return with(handle, [&](const Communicator& communicator) {
        *device = communicator.device;
        return ncclSuccess;
    });
}
// Registered memory is not used in another way.
ncclResult_t ncclCommRegister(const ncclComm_t, void*, size_t, void** handle) {
    if (handle) *handle = nullptr;
    return ncclSuccess;
}
ncclResult_t ncclCommDeregister(const ncclComm_t, void*) { return ncclSuccess; }

ncclResult_t ncclRedOpCreatePreMulSum(ncclRedOp_t* operation, void* scalar, ncclDataType_t type,
                                      ncclScalarResidence_t where, ncclComm_t handle) {
    return with(handle, [&](Communicator& communicator) {
        if (!operation || !scalar || bytes_of(type) == 0) return ncclInvalidArgument;
        Factor factor{.type = type, .value = {}, .on_device = where == ncclScalarDevice ? scalar : nullptr};
        if (!factor.on_device) std::memcpy(&factor.value, scalar, bytes_of(type));
        *operation = communicator.add_factor(factor);
        return ncclSuccess;
    });
}
ncclResult_t ncclRedOpDestroy(ncclRedOp_t operation, ncclComm_t handle) {
    return with(handle, [&](Communicator& communicator) {
        return communicator.remove_factor(operation) ? ncclSuccess : ncclInvalidArgument;
    });
}

ncclResult_t ncclGroupStart() {
    start_group();
    return ncclSuccess;
}
ncclResult_t ncclGroupEnd() { return end_group(); }

ncclResult_t ncclMemAlloc(void** memory, size_t bytes) {
    return cudaMalloc(memory, bytes) == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}
ncclResult_t ncclMemFree(void* memory) {
    return cudaFree(memory) == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}

const char* ncclGetErrorString(ncclResult_t result) {
    constexpr std::array texts{"no error",
                               "unhandled cuda error (run with NCCL_DEBUG=INFO for details)",
                               "unhandled system error (run with NCCL_DEBUG=INFO for details)",
                               "internal error - please report this issue to the NCCL developers",
                               "invalid argument (run with NCCL_DEBUG=WARN for details)",
                               "invalid usage (run with NCCL_DEBUG=WARN for details)",
                               "remote process exited or there was a network error",
                               "NCCL operation in progress"};
    const auto number = static_cast<std::size_t>(result);
    return number < texts.size() ? texts[number] : "unknown result code";
}
const char* ncclGetLastError(ncclComm_t) { return last_failure(); }

// Called by the functions that are generated for all other names.
int tocuda_nccl_called(const char* name) {
    tocuda_simulation_unsupported(name);
    return failed(ncclInvalidUsage, "the function is not simulated");
}

}  // extern "C"
}  // namespace tocuda::simulator
