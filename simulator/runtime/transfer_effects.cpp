// tocuda, Apache-2.0.
#include "runtime/transfer_effects.hpp"

#include <cstdio>
#include <cstring>

#include "runtime/process_counts.hpp"
#include "runtime/transfer.hpp"

namespace tocuda::simulator {

void copy_rows(const Transfer& what, AddressSpace* target, AddressSpace* source) {
    for (std::size_t number = 0; number < what.height * what.slices; ++number) {
        const auto slice = number / what.height;
        const auto row = number % what.height;
        auto* to = static_cast<char*>(what.target) + slice * what.target_slice + row * what.target_pitch;
        const auto* from = static_cast<const char*>(what.source) + slice * what.source_slice + row * what.source_pitch;
        const auto to_address = reinterpret_cast<std::uintptr_t>(to);
        if (!source || !source->untouched(reinterpret_cast<std::uintptr_t>(from), what.width)) {
            if (target) target->touch(to_address, what.width);
            std::memmove(to, from, what.width);
        } else if (target) {
            target->clear(to_address, what.width);
        } else {
            std::memset(to, 0, what.width);
        }
    }
}

void count_sent(const Device& from, const Device& to, std::uint64_t bytes) {
    auto& gpus = counts().gpus;
    gpus[static_cast<std::size_t>(from.index_in_file)].sent_to_peers_bytes += bytes;
    gpus[static_cast<std::size_t>(to.index_in_file)].received_from_peers_bytes += bytes;
}

void count_bytes(const Transfer& what, const Device* target, const Device* source) {
    SharedCounts& count = counts();
    const bool peer = target != source;
    SharedCount* way = nullptr;
    if (target && source) way = peer ? &count.peer_bytes : &count.device_to_device_bytes;
    else if (target) way = &count.host_to_device_bytes;
    else if (source) way = &count.device_to_host_bytes;
    if (way) way->fetch_add(what.bytes(), std::memory_order_relaxed);
}

void follow_taint(Simulation& simulation, const Transfer& what, const Device* target, const Device* source) {
    if (simulation.taint.none()) {
        if (!target && source) count_read_back();
        return;
    }
    const auto to = reinterpret_cast<std::uintptr_t>(what.target);
    const std::string* found = nullptr;
    if (source) found = simulation.taint.in(reinterpret_cast<std::uintptr_t>(what.source), what.source_extent());
    if (target) {
        if (found) simulation.taint.add(to, what.target_extent(), std::string(*found));
        else simulation.taint.clear(to, what.target_extent());
    } else if (!found) {
        if (source) count_read_back();
    } else if (counts().read_back_not_computed++ == 0) {
        std::fprintf(stderr, "tocuda: simulated GPUs: a value was read back that was not computed: %s\n",
                     found->c_str());
    }
}

cudaError_t Transfer::shape_error() const {
    if (width > target_pitch || width > source_pitch) return cudaErrorInvalidPitchValue;
    const bool apart = slices <= 1 || (target_slice >= height * target_pitch && source_slice >= height * source_pitch);
    return apart ? cudaSuccess : cudaErrorInvalidValue;
}

// A single row needs no pitch.
Transfer Transfer::boxed(const cudaPitchedPtr& target, const cudaPos& to, const cudaPitchedPtr& source,
                         const cudaPos& from, const cudaExtent& extent, cudaMemcpyKind kind) {
    const auto start = [](const cudaPitchedPtr& memory, const cudaPos& at) {
        return static_cast<char*>(memory.ptr) + (at.z * memory.ysize + at.y) * memory.pitch + at.x;
    };
    const bool one_row = extent.height == 1 && extent.depth == 1;
    return {.target = start(target, to),
            .target_pitch = one_row ? extent.width : target.pitch,
            .source = start(source, from),
            .source_pitch = one_row ? extent.width : source.pitch,
            .width = extent.width,
            .height = extent.height,
            .kind = kind,
            .slices = extent.depth,
            .target_slice = target.pitch * target.ysize,
            .source_slice = source.pitch * source.ysize};
}

}  // namespace tocuda::simulator
