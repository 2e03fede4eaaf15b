// tocuda, Apache-2.0.
// Copies on the simulated GPUs: checked as the runtime checks them, done in the order of the stream.
#include "runtime/transfer.hpp"

#include <cstring>

namespace tocuda::stand_in {
namespace {

struct End {
    bool valid = false;
    const Allocation* allocation = nullptr;  // null: pageable host memory
    Device* device = nullptr;                // where it lies on one

    AddressSpace* space = nullptr;           // that its addresses there are of

    bool pageable() const { return allocation == nullptr; }
};

End end_of(Simulation& simulation, const void* pointer, std::size_t bytes) {
    if (pointer == nullptr) return {};
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    const Allocation* allocation = simulation.memory.around(pointer);
    if (allocation != nullptr) {
        if (!allocation->on_device()) return {true, allocation, nullptr};
        Device* device = simulation.devices[static_cast<std::size_t>(allocation->device)].get();
        // Mapped pieces of one reservation follow each other and may be copied across.
        for (std::size_t done = allocation->bytes - (address - allocation->address); done < bytes;) {
            const Allocation* next = simulation.memory.starting_at(reinterpret_cast<const void*>(address + done));
            if (allocation->kind != MemoryKind::mapped || next == nullptr || next->kind != MemoryKind::mapped) return {};
            done += next->bytes;
        }
        return {true, allocation, device, allocation->space};
    }
    if (simulation.lies_in_a_reservation(address)) return {};  // freed, or never given
    return {true, nullptr, nullptr};
}

bool fits_kind(const End& end, bool wants_device) {
    return wants_device ? end.allocation != nullptr : end.device == nullptr;
}

bool direction_fits(cudaMemcpyKind kind, const End& target, const End& source) {
    switch (kind) {
        case cudaMemcpyHostToHost: return fits_kind(target, false) && fits_kind(source, false);
        case cudaMemcpyHostToDevice: return fits_kind(target, true) && fits_kind(source, false);
        case cudaMemcpyDeviceToHost: return fits_kind(target, false) && fits_kind(source, true);
        case cudaMemcpyDeviceToDevice: return fits_kind(target, true) && fits_kind(source, true);
        case cudaMemcpyDefault: return true;
    }
    return false;
}

double seconds_of(Device& device, std::size_t bytes, std::int64_t bytes_per_second) {
    const double moving = bytes_per_second > 0 ? static_cast<double>(bytes) / static_cast<double>(bytes_per_second) : 0;
    return device.cost(1e-9 * static_cast<double>(device.profile.copy_latency_ns) + moving);
}

std::int64_t rate_between(const Device& here, const End& target, const End& source) {
    if (target.device != nullptr && source.device != nullptr) {
        return target.device == source.device ? here.profile.device_to_device_bytes_per_second : here.profile.peer_bytes_per_second;
    }
    if (target.pageable() || source.pageable()) return here.profile.pageable_bytes_per_second;
    return target.device != nullptr ? here.profile.host_to_device_bytes_per_second : here.profile.device_to_host_bytes_per_second;
}

void copy_rows(const Transfer& what, AddressSpace* target, AddressSpace* source) {
    for (std::size_t row = 0; row < what.height; ++row) {
        auto* to = static_cast<char*>(what.target) + row * what.target_pitch;
        const auto* from = static_cast<const char*>(what.source) + row * what.source_pitch;
        const auto to_address = reinterpret_cast<std::uintptr_t>(to);
        if (source == nullptr || !source->untouched(reinterpret_cast<std::uintptr_t>(from), what.width)) {
            if (target != nullptr) target->touch(to_address, what.width);
            std::memmove(to, from, what.width);
        } else if (target != nullptr) {
            target->clear(to_address, what.width);
        } else {
            std::memset(to, 0, what.width);
        }
    }
}

// Room on the host for what will be written; zeros copied from what was never written need none.
bool make_room(const Transfer& what, const End& target, const End& source) {
    if (target.device == nullptr) return true;
    const auto from = reinterpret_cast<std::uintptr_t>(what.source);
    if (source.device != nullptr && source.space->untouched(from, what.source_extent())) return true;
    return target.space->touch(reinterpret_cast<std::uintptr_t>(what.target), what.target_extent());
}

}  // namespace

cudaError_t transfer(const Call& call, const Transfer& what, cudaStream_t handle, Waiting waiting) {
    Device& here = call.device();
    Stream* stream = call.stream(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (what.width == 0 || what.height == 0) return cudaSuccess;
    const End target = end_of(call.simulation, what.target, what.target_extent());
    const End source = end_of(call.simulation, what.source, what.source_extent());
    if (!target.valid || !source.valid) return cudaErrorInvalidValue;
    if (what.kind < cudaMemcpyHostToHost || what.kind > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
    if (!direction_fits(what.kind, target, source)) return cudaErrorInvalidValue;

    // Pageable memory is staged by the driver: it waits for the stream, and the call ends when the copy does.
    const bool staged = target.pageable() || source.pageable();
    const bool between_devices = target.device != nullptr && source.device != nullptr;
    if (staged) call.simulation.wait_for(call.lock, *stream);
    if (!make_room(what, target, source)) return cudaErrorMemoryAllocation;

    Operation operation;
    operation.cost = seconds_of(here, what.width * what.height, rate_between(here, target, source));
    operation.seen_by_host = !between_devices;
    operation.effect = [what, to = target.space, from = source.space] { copy_rows(what, to, from); };
    call.simulation.enqueue(*stream, std::move(operation));
    if (staged || (waiting == Waiting::blocking && !between_devices)) call.simulation.wait_for(call.lock, *stream);
    return cudaSuccess;
}

cudaError_t fill(const Call& call, const Fill& what, cudaStream_t handle) {
    Device& here = call.device();
    Stream* stream = call.stream(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (what.width == 0 || what.height == 0) return cudaSuccess;
    const End target = end_of(call.simulation, what.target, what.extent());
    if (!target.valid || target.pageable()) return cudaErrorInvalidValue;
    const auto address = reinterpret_cast<std::uintptr_t>(what.target);
    const bool zeros = (what.value & 0xff) == 0;
    if (target.device != nullptr && !zeros && !target.space->touch(address, what.extent())) return cudaErrorMemoryAllocation;

    Operation operation;
    operation.cost = seconds_of(here, what.width * what.height, here.profile.memset_bytes_per_second);
    operation.seen_by_host = target.device == nullptr;
    operation.effect = [what, zeros, space = target.space] {
        for (std::size_t row = 0; row < what.height; ++row) {
            auto* to = static_cast<char*>(what.target) + row * what.pitch;
            if (zeros && space != nullptr) {
                space->clear(reinterpret_cast<std::uintptr_t>(to), what.width);
            } else {
                std::memset(to, what.value, what.width);
            }
        }
    };
    call.simulation.enqueue(*stream, std::move(operation));
    return cudaSuccess;
}

}  // namespace tocuda::stand_in
