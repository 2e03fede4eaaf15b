// tocuda, Apache-2.0.
#include "runtime/transfer.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "runtime/capture.hpp"
#include "runtime/reach.hpp"
#include "runtime/transfer_effects.hpp"

namespace tocuda::simulator {
namespace {

struct End {
    bool valid = false;
    const Allocation* allocation = nullptr;  // null: pageable host memory
    Device* device = nullptr;                // null if not in device memory

    AddressSpace* space = nullptr;  // that contains its addresses

    bool pageable() const { return !allocation; }
};

End end_of(Simulation& simulation, const void* pointer, std::size_t bytes) {
    if (!pointer) return {};
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    const Allocation* allocation = simulation.memory.around(pointer);
    if (allocation) {
        if (!allocation->on_device()) return {true, allocation, nullptr};
        Device* device = &simulation.device(allocation->device);
        // Adjacent mappings of one reservation may be copied across.
        for (std::size_t done = allocation->bytes - (address - allocation->address); done < bytes;) {
            const Allocation* next = simulation.memory.starting_at(address + done);
            if (allocation->kind != MemoryKind::mapped || !next || next->kind != MemoryKind::mapped) return {};
            done += next->bytes;
        }
        return {true, allocation, device, allocation->space};
    }
    if (simulation.lies_in_a_reservation(address)) return {};  // freed or never allocated
    return {true, nullptr, nullptr};
}

bool fits_kind(const End& end, bool wants_device) { return wants_device ? end.allocation != nullptr : !end.device; }

bool direction_fits(cudaMemcpyKind kind, const End& target, const End& source) {
    switch (kind) {
        case cudaMemcpyHostToHost:
            return fits_kind(target, false) && fits_kind(source, false);
        case cudaMemcpyHostToDevice:
            return fits_kind(target, true) && fits_kind(source, false);
        case cudaMemcpyDeviceToHost:
            return fits_kind(target, false) && fits_kind(source, true);
        case cudaMemcpyDeviceToDevice:
            return fits_kind(target, true) && fits_kind(source, true);
        case cudaMemcpyDefault:
            return true;
    }
    return false;
}

// Contiguous rows count as one.
double seconds_of(Device& device, std::size_t bytes, std::size_t separate_rows, std::int64_t bytes_per_second) {
    const double moving = bytes_per_second > 0 ? static_cast<double>(bytes) / static_cast<double>(bytes_per_second) : 0;
    const double rows = 1e-9 * static_cast<double>(device.profile.copy_row_ns) * static_cast<double>(separate_rows);
    return 1e-9 * static_cast<double>(device.profile.copy_latency_ns) + std::max(moving, rows);
}

std::size_t separate_rows(const Transfer& what) { return what.is_dense() ? 0 : what.height * what.slices; }

// What carries a copy, and its rate.
struct Way {
    std::array<Lane*, 2> lanes{};
    std::int64_t bytes_per_second = 0;
};

bool is_direct(const Simulation& simulation, const Device& target, const Device& source) {
    const auto reach = [](const Device& one, const Device& other) { return one.peers.contains(other.number); };
    return simulation.profile.peer_access && (reach(target, source) || reach(source, target));
}

Way between_gpus(const Simulation& simulation, Device& target, Device& source) {
    if (is_direct(simulation, target, source)) {
        return {{&source.peer_out, &target.peer_in},
                link_figure(simulation.profile, source.index_in_file, target.index_in_file,
                            &SimulatedLink::bytes_per_second, source.profile.peer_bytes_per_second)};
    }
    // Through the host, in pieces: the slower half sets the rate.
    return {{source.from_device(), target.to_device()},
            std::min(source.profile.device_to_host_bytes_per_second, target.profile.host_to_device_bytes_per_second)};
}

Way way_between(const Simulation& simulation, Device& here, const End& target, const End& source) {
    if (target.device && source.device) {
        if (target.device != source.device) return between_gpus(simulation, *target.device, *source.device);
        return {{&target.device->within}, here.profile.device_to_device_bytes_per_second};
    }
    const bool inward = target.device;
    Device& device = inward ? *target.device : source.device ? *source.device : here;
    const bool touches_no_gpu = !inward && !source.device;
    const auto lanes = touches_no_gpu ? std::array<Lane*, 2>{}
                                      : std::array<Lane*, 2>{inward ? device.to_device() : device.from_device()};
    if (target.pageable() || source.pageable()) return {lanes, device.profile.pageable_bytes_per_second};
    return {lanes,
            inward ? device.profile.host_to_device_bytes_per_second : device.profile.device_to_host_bytes_per_second};
}

// Managed memory is used on the side that the direction says, or where it already is, and moves there first. Sets the
// end's device accordingly and returns the seconds that moving takes.
double settle_managed(Simulation& simulation, Device& here, End& end, const void* pointer, std::size_t bytes,
                      std::optional<bool> device_side) {
    if (!end.allocation || end.allocation->kind != MemoryKind::managed) return 0;
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    const int position = here.number;
    const Managed& managed = simulation.managed.at(end.allocation->address);
    const std::size_t inside = std::min(bytes, end.allocation->bytes - (address - end.allocation->address));
    const bool with_host = managed.lies_at(address - end.allocation->address, inside, Managed::host);
    const bool to_device = device_side.value_or(!with_host);
    if (to_device) end.device = &here;
    return seconds_to_bring(simulation, here, *end.allocation, address, inside, to_device ? position : Managed::host);
}

std::optional<bool> target_on_device(cudaMemcpyKind kind) {
    if (kind == cudaMemcpyDefault) return std::nullopt;
    return kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
}

std::optional<bool> source_on_device(cudaMemcpyKind kind) {
    if (kind == cudaMemcpyDefault) return std::nullopt;
    return kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
}

struct Course {
    std::array<Lane*, 2> lanes{};
    double seconds = 0;
};

Course course_of(const Call& call, Device& here, const Transfer& what, End target, End source) {
    const double faults =
        settle_managed(call.simulation, here, target, what.target, what.target_extent(), target_on_device(what.kind)) +
        settle_managed(call.simulation, here, source, what.source, what.source_extent(), source_on_device(what.kind));
    const Way way = way_between(call.simulation, here, target, source);
    const double moving = seconds_of(here, what.bytes(), separate_rows(what), way.bytes_per_second);
    return {way.lanes, here.cost(faults + moving)};
}

// Makes room on the host for what will be written; zeros copied from memory that was never written need none.
bool make_room(const Transfer& what, const End& target, const End& source) {
    if (!target.device) return true;
    const auto from = reinterpret_cast<std::uintptr_t>(what.source);
    if (source.device && source.space->untouched(from, what.source_extent())) return true;
    return target.space->touch(reinterpret_cast<std::uintptr_t>(what.target), what.target_extent());
}

struct Ends {
    End target;
    End source;

    // The driver stages pageable memory: the copy waits for the stream, and the call returns when the copy is done,
    // unless it is taken at once.
    bool staged() const { return target.pageable() || source.pageable(); }
    bool between_devices() const { return target.device && source.device; }
};

cudaError_t check(Simulation& simulation, const Transfer& what, Ends& ends) {
    ends.target = end_of(simulation, what.target, what.target_extent());
    ends.source = end_of(simulation, what.source, what.source_extent());
    if (!ends.target.valid || !ends.source.valid) return cudaErrorInvalidValue;
    if (what.kind < cudaMemcpyHostToHost || what.kind > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
    return direction_fits(what.kind, ends.target, ends.source) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t make(const Call& call, Device& here, const Transfer& what, const Ends& ends, Operation& operation) {
    const bool moves = !call.simulation.clock_only;
    if (moves && !make_room(what, ends.target, ends.source)) return cudaErrorMemoryAllocation;
    count_bytes(what, ends.target.device, ends.source.device);
    if (ends.between_devices() && is_direct(call.simulation, *ends.target.device, *ends.source.device))
        count_sent(*ends.source.device, *ends.target.device, what.bytes());
    const Course course = course_of(call, here, what, ends.target, ends.source);
    operation.lanes = course.lanes;
    operation.cost = course.seconds;
    operation.is_work = true;
    operation.seen_by_host = moves && !ends.between_devices();
    const bool arrives =
        !ends.between_devices() ||
        !call.simulation.peer_faults.loses_copies(ends.source.device->index_in_file, ends.target.device->index_in_file);
    if (moves && arrives)
        operation.effect = [&simulation = call.simulation, what, ends, wrong = call.wrong] {
            follow_taint(simulation, what, ends.target.device, ends.source.device);
            copy_rows(what, ends.target.space, ends.source.space);
            if (wrong) *static_cast<unsigned char*>(what.target) ^= 0xffU;
        };
    return cudaSuccess;
}

// How much pageable memory the driver copies to a buffer of its own at once, so that an asynchronous call does not wait
// for its stream. An H100 took this much; whether it takes more was not tried.
constexpr std::size_t most_taken_at_once = 256 << 10;

bool is_taken_at_once(const Transfer& what, const Ends& ends) {
    return ends.source.pageable() && ends.target.device && what.is_dense() && what.bytes() <= most_taken_at_once;
}

cudaError_t take_at_once(const Call& call, Stream& stream, const Transfer& what, const Ends& ends) {
    Transfer held = what;
    std::shared_ptr<char[]> taken;
    if (!call.simulation.clock_only) {
        taken = std::make_shared<char[]>(what.bytes());
        std::memcpy(taken.get(), what.source, what.bytes());
        held.source = taken.get();
    }
    Operation operation;
    if (const cudaError_t wrong = make(call, call.device(), held, ends, operation); wrong != cudaSuccess) return wrong;
    if (taken) operation.effect = [effect = std::move(operation.effect), taken] { effect(); };
    operation.seen_by_host = false;
    call.enqueue(stream, std::move(operation));
    return cudaSuccess;
}

void fill_row(char* to, const Fill& what) {
    if (what.element_bytes == 1) {
        std::memset(to, what.value, what.width);
        return;
    }
    for (std::size_t at = 0; at + what.element_bytes <= what.width; at += what.element_bytes)
        std::memcpy(to + at, &what.value, what.element_bytes);
}

bool is_zero(const Fill& what) {
    const unsigned bits = 8 * what.element_bytes;
    return (static_cast<unsigned>(what.value) << (32 - bits)) == 0;
}

}  // namespace

cudaError_t make_operation(const Call& call, Device& here, const Transfer& what, Operation& operation) {
    Ends ends;
    const cudaError_t wrong = check(call.simulation, what, ends);
    return wrong != cudaSuccess ? wrong : make(call, here, what, ends, operation);
}

cudaError_t transfer(const Call& call, const Transfer& what, cudaStream_t handle, Waiting waiting) {
    if (const cudaError_t wrong = what.shape_error(); wrong != cudaSuccess) return wrong;
    Device& here = call.device();
    Stream* stream = call.stream(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t refused = refuses_work(call, *stream); refused != cudaSuccess) return refused;
    if (waiting == Waiting::blocking) {
        if (const cudaError_t refused = refuses_unsafe(call); refused != cudaSuccess) return refused;
    }
    if (what.is_empty()) return cudaSuccess;
    Ends ends;
    if (const cudaError_t wrong = check(call.simulation, what, ends); wrong != cudaSuccess) return wrong;
    if (stream->capture) return capture(*stream, what);

    if (waiting == Waiting::asynchronous && is_taken_at_once(what, ends))
        return take_at_once(call, *stream, what, ends);
    if (ends.staged()) call.simulation.wait_for(call.lock, *stream);
    Operation operation;
    if (const cudaError_t wrong = make(call, here, what, ends, operation); wrong != cudaSuccess) return wrong;
    call.enqueue(*stream, std::move(operation));
    if (ends.staged() || (waiting == Waiting::blocking && !ends.between_devices()))
        call.simulation.wait_for(call.lock, *stream);
    return cudaSuccess;
}

cudaError_t make_operation(const Call& call, Device& here, const Fill& what, Operation& operation) {
    const End target = end_of(call.simulation, what.target, what.extent());
    if (!target.valid || target.pageable()) return cudaErrorInvalidValue;
    const auto address = reinterpret_cast<std::uintptr_t>(what.target);
    const bool zeros = is_zero(what);
    const bool moves = !call.simulation.clock_only;
    if (moves && target.device && !zeros && !target.space->touch(address, what.extent()))
        return cudaErrorMemoryAllocation;

    const bool dense = what.height == 1 || what.pitch == what.width;
    End place = target;
    const double faults = settle_managed(call.simulation, here, place, what.target, what.extent(), true);
    operation.cost = here.cost(faults + seconds_of(here, what.width * what.height, dense ? 0 : what.height,
                                                   here.profile.memset_bytes_per_second));
    operation.lanes = {&here.within};
    operation.is_work = true;
    operation.seen_by_host = moves && !target.device;
    if (moves)
        operation.effect = [&taint = call.simulation.taint, what, zeros, space = target.space] {
            if (!taint.none()) taint.clear(reinterpret_cast<std::uintptr_t>(what.target), what.extent());
            for (std::size_t row = 0; row < what.height; ++row) {
                auto* to = static_cast<char*>(what.target) + row * what.pitch;
                const auto at = reinterpret_cast<std::uintptr_t>(to);
                if (zeros && space) {
                    space->clear(at, what.width);
                } else {
                    if (space) space->touch(at, what.width);
                    fill_row(to, what);
                }
            }
        };
    return cudaSuccess;
}

cudaError_t fill(const Call& call, const Fill& what, cudaStream_t handle) {
    if (what.width > what.pitch) return cudaErrorInvalidPitchValue;
    Device& here = call.device();
    Stream* stream = call.stream(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t refused = refuses_work(call, *stream); refused != cudaSuccess) return refused;
    if (what.width == 0 || what.height == 0) return cudaSuccess;
    if (stream->capture) {
        const End target = end_of(call.simulation, what.target, what.extent());
        return target.valid && !target.pageable() ? capture(*stream, what) : cudaErrorInvalidValue;
    }
    Operation operation;
    const cudaError_t wrong = make_operation(call, here, what, operation);
    if (wrong == cudaSuccess) call.enqueue(*stream, std::move(operation));
    return wrong;
}

}  // namespace tocuda::simulator
