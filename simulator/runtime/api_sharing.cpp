// tocuda, Apache-2.0.
// The runtime's functions that share memory and events with other processes, and the driver's under other names.
#include <algorithm>
#include <bit>
#include <cstring>

#include "runtime/call_frame.hpp"
#include "runtime/driver_forward.hpp"

namespace tocuda::simulator {
namespace {

template <typename To>
To handle_from(const FileHandle& handle) {
    static_assert(sizeof(FileHandle) <= sizeof(To));
    To to{};
    std::memcpy(&to, &handle, sizeof handle);
    return to;
}

template <typename From>
FileHandle handle_in(const From& from) {
    FileHandle handle;
    std::memcpy(static_cast<void*>(&handle), &from, sizeof handle);
    return handle;
}

cudaError_t move_to_file(const Call& call, const Allocation& allocation) {
    const std::size_t bytes = AddressSpace::rounded(allocation.bytes);
    auto file = SharedFile::make(call.simulation.device(allocation.device).index_in_file, bytes);
    if (!file.valid()) return cudaErrorOperatingSystem;
    if (!allocation.space->move_to_file(allocation.address, bytes, file.file())) return cudaErrorMemoryAllocation;
    SharedMemory::here().exported.emplace(allocation.address, std::move(file));
    return cudaSuccess;
}

cudaError_t export_memory(const Call& call, const void* pointer, cudaIpcMemHandle_t* handle) {
    auto& exported = SharedMemory::here().exported;
    const auto found = [&] { return call.simulation.memory.around(pointer); };
    const auto can_be = [](const Allocation* each) { return each && each->kind == MemoryKind::device; };
    if (!can_be(found())) return cudaErrorInvalidValue;
    if (!exported.contains(found()->address)) {
        const Standstill nobody_writes(call);  // another thread may have freed or exported it meanwhile
        if (!can_be(found())) return cudaErrorInvalidValue;
        const bool moved = exported.contains(found()->address);
        if (const cudaError_t wrong = moved ? cudaSuccess : move_to_file(call, *found()); wrong != cudaSuccess)
            return wrong;
    }
    const SharedFile& file = exported.at(found()->address);
    const auto name = file.name();
    if (!name) return cudaErrorOperatingSystem;  // the program has closed it
    *handle = handle_from<cudaIpcMemHandle_t>({FileHandle::of_memory, *name, file.file()});
    return cudaSuccess;
}

cudaError_t import_memory(const Call& call, const FileHandle& handle, void** result) {
    const auto file = SharedFile::of(handle);
    if (!file.valid()) return cudaErrorInvalidResourceHandle;
    Device& device = owner_of(call, handle.name);
    Device& here = call.device();
    if (&device != &here) {
        if (!call.simulation.profile.peer_access) return cudaErrorPeerAccessUnsupported;
        here.peers.insert(device.number);
    }
    const std::size_t bytes = file.bytes();
    const std::uintptr_t address = device.addresses.take(bytes);
    if (address == 0) return cudaErrorMapBufferObjectFailed;
    if (!device.addresses.open_file(address, bytes, file.file())) {
        device.addresses.give_back(address);
        return cudaErrorMapBufferObjectFailed;
    }
    call.simulation.memory.add({.address = address,
                                .bytes = bytes,
                                .kind = MemoryKind::imported,
                                .device = device.number,
                                .space = &device.addresses});
    SharedMemory::here().imported[address] = {handle.name};
    *result = reinterpret_cast<void*>(address);
    return cudaSuccess;
}

cudaError_t close_memory(const Call& call, std::uintptr_t address) {
    auto& imported = SharedMemory::here().imported;
    call.wait_for_all_devices();  // what still uses it
    const auto found = imported.find(address);
    if (found == imported.end()) return cudaErrorInvalidValue;
    if (--found->second.opened > 0) return cudaSuccess;
    const Allocation allocation = *call.simulation.memory.starting_at(address);
    call.simulation.memory.remove(address);
    allocation.space->close(address, allocation.bytes);
    allocation.space->give_back(address);
    imported.erase(address);
    return cudaSuccess;
}

}  // namespace

extern "C" {

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t* handle, void* pointer) {
    return answer(__func__, [&](const Call& call) {
        call.device();
        return handle ? export_memory(call, pointer, handle) : cudaErrorInvalidValue;
    });
}

cudaError_t cudaIpcOpenMemHandle(void** result, cudaIpcMemHandle_t handle, unsigned flags) {
    return answer(__func__, [&](const Call& call) {
        call.device();
        const auto wanted = handle_in(handle);
        if (!result || flags > cudaIpcMemLazyEnablePeerAccess) return cudaErrorInvalidValue;
        if (wanted.mark != FileHandle::of_memory) return cudaErrorInvalidResourceHandle;
        if (is_of_this_process(wanted.name)) return cudaErrorDeviceUninitialized;
        for (auto& [address, imported] : SharedMemory::here().imported) {
            if (imported.name != wanted.name) continue;
            ++imported.opened;
            *result = reinterpret_cast<void*>(address);
            return cudaSuccess;
        }
        return import_memory(call, wanted, result);
    });
}

cudaError_t cudaIpcCloseMemHandle(void* pointer) {
    return answer(__func__,
                  [&](const Call& call) { return close_memory(call, reinterpret_cast<std::uintptr_t>(pointer)); });
}

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t* handle, cudaEvent_t event) {
    return answer(__func__, [&](const Call& call) {
        const auto* chosen = reinterpret_cast<Event*>(event);
        if (!call.simulation.events.contains(const_cast<Event*>(chosen)) || !chosen->shared)
            return cudaErrorInvalidResourceHandle;
        return write(handle, handle_from<cudaIpcEventHandle_t>(chosen->shared->handle()));
    });
}

cudaError_t cudaIpcOpenEventHandle(cudaEvent_t* result, cudaIpcEventHandle_t handle) {
    return answer(__func__, [&](const Call& call) {
        call.device();
        const auto wanted = handle_in(handle);
        if (!result) return cudaErrorInvalidValue;
        if (wanted.mark != FileHandle::of_event) return cudaErrorInvalidResourceHandle;
        if (is_of_this_process(wanted.name)) return cudaErrorDeviceUninitialized;
        auto shared = SharedEvent::of(wanted);
        if (!shared) return cudaErrorInvalidResourceHandle;
        auto* event = new Event{.device = call.thread.device, .timed = false, .shared = std::move(shared)};
        call.simulation.events.insert(event);
        *result = reinterpret_cast<cudaEvent_t>(event);
        return cudaSuccess;
    });
}

CUresult cuIpcGetMemHandle(CUipcMemHandle* handle, CUdeviceptr address) {
    return forward(cudaIpcGetMemHandle, reinterpret_cast<cudaIpcMemHandle_t*>(handle),
                   reinterpret_cast<void*>(address));
}
CUresult cuIpcOpenMemHandle(CUdeviceptr* result, CUipcMemHandle handle, unsigned flags) {
    return forward(cudaIpcOpenMemHandle, reinterpret_cast<void**>(result), std::bit_cast<cudaIpcMemHandle_t>(handle),
                   flags);
}
CUresult cuIpcCloseMemHandle(CUdeviceptr address) {
    return forward(cudaIpcCloseMemHandle, reinterpret_cast<void*>(address));
}
CUresult cuIpcGetEventHandle(CUipcEventHandle* handle, CUevent event) {
    return forward(cudaIpcGetEventHandle, reinterpret_cast<cudaIpcEventHandle_t*>(handle), event);
}
CUresult cuIpcOpenEventHandle(CUevent* event, CUipcEventHandle handle) {
    return forward(cudaIpcOpenEventHandle, event, std::bit_cast<cudaIpcEventHandle_t>(handle));
}

}  // extern "C"
}  // namespace tocuda::simulator
