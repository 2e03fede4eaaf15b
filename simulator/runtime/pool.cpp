// tocuda, Apache-2.0.
#include "runtime/pool.hpp"

#include <algorithm>

#include "runtime/call_frame.hpp"

namespace tocuda::simulator {
namespace {

constexpr std::size_t step = std::size_t{32} << 20;

using Ranges = std::map<std::uintptr_t, std::size_t>;

// Free pieces merge only within a chunk, because chunks are returned to the device one by one.
void merge(Ranges& free, Ranges::iterator piece, const Ranges& chunks) {
    const auto after = std::next(piece);
    if (after != free.end() && piece->first + piece->second == after->first && !chunks.contains(after->first)) {
        piece->second += after->second;
        free.erase(after);
    }
    if (piece == free.begin() || chunks.contains(piece->first)) return;
    const auto before = std::prev(piece);
    if (before->first + before->second != piece->first) return;
    before->second += piece->second;
    free.erase(piece);
}

}  // namespace

bool Pool::reserve(Device& of, std::size_t bytes) {
    const std::size_t wanted = (bytes + step - 1) / step * step;
    const std::uintptr_t address = of.take(wanted);
    if (address == 0) return false;
    reserved_chunks[address] = wanted;
    free_ranges[address] = wanted;
    reserved += wanted;
    reserved_high = std::max(reserved_high, reserved);
    return true;
}

std::uintptr_t Pool::take(Device& of, std::size_t bytes) {
    const std::size_t wanted = rounded(bytes);
    const auto fits = [&](const auto& piece) { return piece.second >= wanted; };
    auto piece = std::find_if(free_ranges.begin(), free_ranges.end(), fits);
    if (piece == free_ranges.end()) {
        if (!reserve(of, wanted)) return 0;
        piece = std::find_if(free_ranges.begin(), free_ranges.end(), fits);
    }
    const auto [address, size] = *piece;
    free_ranges.erase(piece);
    if (size > wanted) free_ranges[address + wanted] = size - wanted;
    given[address] = wanted;
    used += wanted;
    used_high = std::max(used_high, used);
    return address;
}

void Pool::give_back(std::uintptr_t address) {
    const auto found = given.find(address);
    if (found == given.end()) return;
    used -= found->second;
    const auto piece = free_ranges.emplace(found->first, found->second).first;
    given.erase(found);
    merge(free_ranges, piece, reserved_chunks);
}

void Pool::trim(Simulation& simulation, Device& of, std::uint64_t keep) {
    for (auto chunk = reserved_chunks.begin(); chunk != reserved_chunks.end() && reserved > keep;) {
        const auto piece = free_ranges.find(chunk->first);
        if (piece == free_ranges.end() || piece->second != chunk->second) {
            ++chunk;
            continue;
        }
        of.give_back(chunk->first, chunk->second);
        simulation.spend(of, of.profile.free_ns);
        reserved -= chunk->second;
        free_ranges.erase(piece);
        chunk = reserved_chunks.erase(chunk);
    }
}

cudaError_t take_from_pool(const Call& call, Pool& pool, void** result, std::size_t bytes) {
    if (!result) return cudaErrorInvalidValue;
    *result = nullptr;
    Device& device = call.simulation.device(pool.device);
    call.simulation.use(device);
    if (device.profile.memory_pools == 0) return cudaErrorNotSupported;
    if (bytes == 0) return cudaSuccess;
    call.simulation.spend(device, device.profile.malloc_async_ns);
    const std::uint64_t reserved_before = pool.reserved;
    std::uintptr_t address = pool.take(device, bytes);
    if (address == 0) {  // frees of other streams may still be pending
        call.wait_for_device(pool.device);
        address = pool.take(device, bytes);
    }
    if (address == 0) return cudaErrorMemoryAllocation;
    if (pool.reserved > reserved_before) {
        const auto granules = static_cast<std::int64_t>((pool.reserved - reserved_before) / AddressSpace::granule);
        call.simulation.spend(device, device.profile.malloc_ns + granules * device.profile.malloc_ns_per_granule);
    }
    call.simulation.memory.add({address, bytes, MemoryKind::pooled, pool.device, 0, &pool, &device.addresses});
    *result = reinterpret_cast<void*>(address);
    return cudaSuccess;
}

void trim_after_wait(Simulation& simulation, int device) {
    for (Pool* pool : simulation.pools) {
        if (pool->device == device) pool->trim(simulation, simulation.device(device), pool->release_threshold);
    }
}

}  // namespace tocuda::simulator
