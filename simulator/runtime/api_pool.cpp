// tocuda, Apache-2.0.
// The runtime's functions for stream-ordered allocation and its pools.
#include "runtime/allocation.hpp"
#include "runtime/capture.hpp"
#include "runtime/pool.hpp"

namespace tocuda::simulator {
namespace {

template <typename Body>
cudaError_t with_pool(const char* function, cudaMemPool_t handle, Body&& body) {
    return answer(function, [&](const Call& call) -> cudaError_t {
        auto* pool = reinterpret_cast<Pool*>(handle);
        return call.simulation.pools.contains(pool) ? body(call, *pool) : cudaErrorInvalidValue;
    });
}

cudaError_t take_in_order(const Call& call, Stream& stream, Pool& pool, void** result, std::size_t bytes) {
    if (const cudaError_t refused = refuses_work(call, stream); refused != cudaSuccess) return refused;
    const cudaError_t taken = take_from_pool(call, pool, result, bytes);
    if (taken != cudaSuccess || !stream.capture || !*result) return taken;
    const Allocation& allocation = *call.simulation.memory.starting_at(*result);
    return capture(stream, MemoryTaken{std::make_shared<GraphMemory>(call.simulation, allocation)});
}

cudaError_t give_back_in_capture(Stream& stream, const Allocation& allocation) {
    // A graph can free only what a graph has allocated.
    if (!Graphs::here().memory.contains(allocation.address)) return cudaErrorInvalidValue;
    return capture(stream, MemoryFreed{reinterpret_cast<void*>(allocation.address)});
}

std::uint64_t* number_of(Pool& pool, cudaMemPoolAttr attribute) {
    switch (static_cast<int>(attribute)) {
        case cudaMemPoolAttrReleaseThreshold:
            return &pool.release_threshold;
        case cudaMemPoolAttrReservedMemCurrent:
            return &pool.reserved;
        case cudaMemPoolAttrReservedMemHigh:
            return &pool.reserved_high;
        case cudaMemPoolAttrUsedMemCurrent:
            return &pool.used;
        case cudaMemPoolAttrUsedMemHigh:
            return &pool.used_high;
        default:
            return nullptr;
    }
}

bool is_switch(cudaMemPoolAttr attribute) {
    return attribute >= cudaMemPoolReuseFollowEventDependencies &&
           attribute <= cudaMemPoolReuseAllowInternalDependencies;
}

}  // namespace

extern "C" {

cudaError_t cudaMallocAsync(void** result, size_t bytes, cudaStream_t handle) {
    return answer(__func__, [&](const Call& call) -> cudaError_t {
        Stream* stream = call.stream(handle);
        if (!stream) return cudaErrorInvalidResourceHandle;
        Pool& pool = *call.simulation.device(stream->kind.device).current_pool;
        return take_in_order(call, *stream, pool, result, bytes);
    });
}

cudaError_t cudaMallocFromPoolAsync(void** result, size_t bytes, cudaMemPool_t pool, cudaStream_t handle) {
    return with_pool(__func__, pool, [&](const Call& call, Pool& chosen) -> cudaError_t {
        Stream* stream = call.stream(handle);
        if (!stream) return cudaErrorInvalidResourceHandle;
        return take_in_order(call, *stream, chosen, result, bytes);
    });
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t handle) {
    return answer(__func__, [&](const Call& call) -> cudaError_t {
        Stream* stream = call.stream(handle);
        if (!stream) return cudaErrorInvalidResourceHandle;
        if (!pointer) return cudaSuccess;
        const Allocation* found = call.simulation.memory.starting_at(pointer);
        if (!found || (found->kind != MemoryKind::pooled && found->kind != MemoryKind::device))
            return cudaErrorInvalidValue;
        if (const cudaError_t refused = refuses_work(call, *stream); refused != cudaSuccess) return refused;
        if (stream->capture) return give_back_in_capture(*stream, *found);
        Device& device = call.simulation.device(found->device);
        call.simulation.spend(device, device.profile.free_async_ns);
        call.enqueue(*stream, {.effect = [&simulation = call.simulation, allocation = *found] {
            give_back_device_memory(simulation, allocation);
        }});
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
    return answer_about(device, __func__, [&](const Call&, Device& chosen) {
        return write(pool, reinterpret_cast<cudaMemPool_t>(chosen.default_pool));
    });
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
    return answer_about(device, __func__, [&](const Call&, Device& chosen) {
        return write(pool, reinterpret_cast<cudaMemPool_t>(chosen.current_pool));
    });
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t handle) {
    return with_pool(__func__, handle, [&](const Call& call, Pool& pool) {
        if (!call.simulation.has_device(device)) return cudaErrorInvalidDevice;
        call.simulation.device(device).current_pool = &pool;
        return cudaSuccess;
    });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* result, const cudaMemPoolProps* properties) {
    return answer(__func__, [&](const Call& call) {
        if (!result || !properties) return cudaErrorInvalidValue;
        if (properties->location.type != cudaMemLocationTypeDevice ||
            properties->handleTypes != cudaMemHandleTypeNone) {
            return cudaErrorNotSupported;
        }
        if (!call.simulation.has_device(properties->location.id)) return cudaErrorInvalidDevice;
        auto* pool = new Pool(properties->location.id);
        call.simulation.pools.insert(pool);
        *result = reinterpret_cast<cudaMemPool_t>(pool);
        return cudaSuccess;
    });
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t handle) {
    return with_pool(__func__, handle, [](const Call& call, Pool& pool) {
        Device& device = call.simulation.device(pool.device);
        if (&pool == device.default_pool) return cudaErrorInvalidValue;
        call.wait_for_device(pool.device);
        if (device.current_pool == &pool) device.current_pool = device.default_pool;
        pool.trim(call.simulation, device, 0);
        if (pool.reserved == 0) {
            call.simulation.pools.erase(&pool);
            delete &pool;
        } else {
            pool.release_threshold = 0;  // returns its memory once all of it is freed
        }
        return cudaSuccess;
    });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t handle, size_t keep) {
    return with_pool(__func__, handle, [&](const Call& call, Pool& pool) {
        pool.trim(call.simulation, call.simulation.device(pool.device), keep);
        return cudaSuccess;
    });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t handle, cudaMemPoolAttr attribute, void* value) {
    return with_pool(__func__, handle, [&](const Call&, Pool& pool) {
        if (is_switch(attribute)) {
            pool.switches[attribute] = *static_cast<int*>(value);
            return cudaSuccess;
        }
        const std::uint64_t wanted = *static_cast<std::uint64_t*>(value);
        if (attribute == cudaMemPoolAttrReleaseThreshold) pool.release_threshold = wanted;
        else if (attribute == cudaMemPoolAttrReservedMemHigh && wanted == 0) pool.reserved_high = pool.reserved;
        else if (attribute == cudaMemPoolAttrUsedMemHigh && wanted == 0) pool.used_high = pool.used;
        else return cudaErrorInvalidValue;
        return cudaSuccess;
    });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t handle, cudaMemPoolAttr attribute, void* value) {
    return with_pool(__func__, handle, [&](const Call&, Pool& pool) {
        if (is_switch(attribute)) {
            const auto found = pool.switches.find(attribute);
            return write(static_cast<int*>(value), found == pool.switches.end() ? 1 : found->second);
        }
        const std::uint64_t* number = number_of(pool, attribute);
        return number ? write(static_cast<std::uint64_t*>(value), *number) : cudaErrorInvalidValue;
    });
}

// Every device of a simulated machine can access every pool, if peers can access each other at all.
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t handle, const cudaMemAccessDesc* descriptions, size_t count) {
    return with_pool(__func__, handle, [&](const Call& call, Pool& pool) {
        for (size_t i = 0; i < count; ++i) {
            const int device = descriptions[i].location.id;
            if (!call.simulation.has_device(device)) return cudaErrorInvalidDevice;
            const bool wanted = descriptions[i].flags != cudaMemAccessFlagsProtNone;
            if (wanted && device != pool.device && !call.simulation.profile.peer_access) return cudaErrorInvalidDevice;
        }
        return cudaSuccess;
    });
}

// A graph's memory is used as long as it is reserved.
cudaError_t cudaDeviceGetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute, void* value) {
    return answer_about(device, __func__, [&](const Call&, Device&) {
        const auto& used = Graphs::here().used[device];
        const bool now = attribute == cudaGraphMemAttrUsedMemCurrent || attribute == cudaGraphMemAttrReservedMemCurrent;
        return write(static_cast<std::uint64_t*>(value), now ? used.now : used.high);
    });
}

// Only the highest amounts can be set, to what is used now.
cudaError_t cudaDeviceSetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute, void*) {
    return answer_about(device, __func__, [&](const Call&, Device&) {
        if (attribute != cudaGraphMemAttrUsedMemHigh && attribute != cudaGraphMemAttrReservedMemHigh)
            return cudaErrorInvalidValue;
        auto& used = Graphs::here().used[device];
        used.high = used.now;
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGraphMemTrim(int device) {
    return answer_about(device, __func__, [](const Call&, Device&) { return cudaSuccess; });
}

}  // extern "C"
}  // namespace tocuda::simulator
