// tocuda, Apache-2.0.
// The runtime's functions for managed memory: allocation, prefetch, advice.
#include <algorithm>
#include <span>

#include "runtime/allocation.hpp"
#include "runtime/capture.hpp"
#include "runtime/reach.hpp"

namespace tocuda::simulator {
namespace {

// A location as a number: Managed::host or a device. Returns nullopt if there is no such location.
std::optional<int> place_of(const Call& call, const cudaMemLocation& location) {
    switch (static_cast<int>(location.type)) {
        case cudaMemLocationTypeDevice:
            break;
        case cudaMemLocationTypeHost:
        case cudaMemLocationTypeHostNuma:
        case cudaMemLocationTypeHostNumaCurrent:
            return Managed::host;
        default:
            return std::nullopt;
    }
    return call.simulation.has_device(location.id) ? std::optional(location.id) : std::nullopt;
}

template <typename Body>
cudaError_t with_range(const char* function, const void* pointer, std::size_t bytes, Body&& body) {
    return answer(function, [&](const Call& call) -> cudaError_t {
        const Allocation* found = call.simulation.memory.around(pointer);
        if (!found || found->kind != MemoryKind::managed || bytes == 0) return cudaErrorInvalidValue;
        if (!found->holds(reinterpret_cast<std::uintptr_t>(pointer), bytes)) return cudaErrorInvalidValue;
        return body(call, *found, call.simulation.managed.at(found->address));
    });
}

// Moves everything at the link's rate and without faults, which is the purpose of a prefetch.
void prefetch(const Call& call, Stream& stream, Managed& managed, std::size_t offset, std::size_t extent, int place) {
    const auto brought = managed.bring(offset, extent, place);
    managed.prefetched_to = place;
    Device& device = call.simulation.device(place == Managed::host ? stream.kind.device : place);
    const auto& gpu = device.profile;
    double seconds = 1e-9 * static_cast<double>(gpu.copy_latency_ns);
    if (brought.fresh > 0)
        seconds += static_cast<double>(brought.fresh) / static_cast<double>(gpu.memset_bytes_per_second);
    for (const auto& [from, bytes] : brought.moved)
        seconds += static_cast<double>(bytes) / managed_bytes_per_second(call.simulation, from, place);
    Operation operation;
    operation.cost = device.cost(seconds);
    operation.lanes = {place == Managed::host ? device.from_device() : device.to_device()};
    const int source = brought.moved.empty() ? Managed::host : brought.moved.rbegin()->first;
    if (place != Managed::host && source != Managed::host && call.simulation.profile.peer_access)
        operation.lanes = {&call.simulation.device(source).peer_out, &device.peer_in};
    operation.is_work = true;
    call.enqueue(stream, std::move(operation));
}

cudaError_t take_advice(const Call& call, Managed& managed, cudaMemoryAdvise advice, const cudaMemLocation& location) {
    if (advice == cudaMemAdviseSetReadMostly || advice == cudaMemAdviseUnsetReadMostly) {
        managed.read_mostly = advice == cudaMemAdviseSetReadMostly;
        return cudaSuccess;
    }
    if (advice == cudaMemAdviseUnsetPreferredLocation) {
        managed.preferred.reset();
        return cudaSuccess;
    }
    const auto place = place_of(call, location);
    if (!place) return location.type == cudaMemLocationTypeDevice ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
    if (advice == cudaMemAdviseSetPreferredLocation) managed.preferred = place;
    else if (advice == cudaMemAdviseSetAccessedBy) managed.accessed_by.insert(*place);
    else if (advice == cudaMemAdviseUnsetAccessedBy) managed.accessed_by.erase(*place);
    else return cudaErrorInvalidValue;
    return cudaSuccess;
}

int type_of(std::optional<int> place) {
    if (!place) return cudaMemLocationTypeInvalid;
    return *place == Managed::host ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
}

cudaError_t read_attribute(const Managed& managed, cudaMemRangeAttribute attribute, std::span<int> values) {
    constexpr int none = -2;  // cudaInvalidDeviceId
    if (attribute == cudaMemRangeAttributeAccessedBy) {
        std::fill(values.begin(), values.end(), none);
        std::copy_n(managed.accessed_by.begin(), std::min(values.size(), managed.accessed_by.size()), values.begin());
        return cudaSuccess;
    }
    if (values.size() != 1) return cudaErrorInvalidValue;
    switch (attribute) {
        case cudaMemRangeAttributeReadMostly:
            values[0] = managed.read_mostly ? 1 : 0;
            return cudaSuccess;
        case cudaMemRangeAttributePreferredLocation:
        case cudaMemRangeAttributePreferredLocationId:
            values[0] = managed.preferred.value_or(none);
            return cudaSuccess;
        case cudaMemRangeAttributeLastPrefetchLocation:
        case cudaMemRangeAttributeLastPrefetchLocationId:
            values[0] = managed.prefetched_to.value_or(none);
            return cudaSuccess;
        case cudaMemRangeAttributePreferredLocationType:
            values[0] = type_of(managed.preferred);
            return cudaSuccess;
        case cudaMemRangeAttributeLastPrefetchLocationType:
            values[0] = type_of(managed.prefetched_to);
            return cudaSuccess;
        default:
            return cudaErrorInvalidValue;
    }
}

}  // namespace

extern "C" {

cudaError_t cudaMallocManaged(void** result, size_t bytes, unsigned flags) {
    return answer(__func__, [&](const Call& call) {
        if (!result || bytes == 0) return cudaErrorInvalidValue;
        if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost) return cudaErrorInvalidValue;
        Device& device = call.device();
        if (device.profile.managed_memory == 0) return cudaErrorNotSupported;
        if (const cudaError_t refused = refuses_unsafe(call); refused != cudaSuccess) return refused;
        call.simulation.spend(device, device.profile.malloc_ns);
        return take_host_memory(call, bytes, MemoryKind::managed, flags, result);
    });
}

cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t bytes, cudaMemLocation location, unsigned flags,
                                 cudaStream_t handle) {
    return with_range(
        "cudaMemPrefetchAsync", pointer, bytes, [&](const Call& call, const Allocation& allocation, Managed& managed) {
            const auto place = place_of(call, location);
            if (!place)
                return location.type == cudaMemLocationTypeDevice ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
            if (flags != 0) return cudaErrorInvalidValue;
            Stream* stream = call.stream(handle);
            if (!stream) return cudaErrorInvalidResourceHandle;
            const cudaError_t refused = refuses_uncapturable(call, *stream);
            if (refused != cudaSuccess) return refused;
            const int device = *place == Managed::host ? stream->kind.device : *place;
            if (call.simulation.device(device).profile.concurrent_managed_access == 0) return cudaErrorInvalidDevice;
            prefetch(call, *stream, managed, reinterpret_cast<std::uintptr_t>(pointer) - allocation.address, bytes,
                     *place);
            return cudaSuccess;
        });
}

cudaError_t cudaMemAdvise(const void* pointer, size_t bytes, cudaMemoryAdvise advice, cudaMemLocation location) {
    return with_range(__func__, pointer, bytes, [&](const Call& call, const Allocation&, Managed& managed) {
        return take_advice(call, managed, advice, location);
    });
}

cudaError_t cudaMemRangeGetAttribute(void* data, size_t data_bytes, cudaMemRangeAttribute attribute,
                                     const void* pointer, size_t bytes) {
    return with_range(
        "cudaMemRangeGetAttribute", pointer, bytes, [&](const Call&, const Allocation&, Managed& managed) {
            if (!data || data_bytes == 0 || data_bytes % sizeof(int) != 0) return cudaErrorInvalidValue;
            return read_attribute(managed, attribute, std::span(static_cast<int*>(data), data_bytes / sizeof(int)));
        });
}

}  // extern "C"
}  // namespace tocuda::simulator
