// tocuda, Apache-2.0.
// For tests: runs copy kernels on the CPU and returns what is wrong, for sizes, alignments, thread orders, and the ends
// of copies that are too large to run in full.
#pragma once

#include <sys/mman.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "kernels/copy_reference.hpp"
#include "measurement/host_execution.hpp"

namespace tocuda {

inline constexpr std::size_t guard_bytes = 64;
inline constexpr std::byte guard{0xC3};

// Zero, single bytes, a vector +-1, odd and prime sizes, one tile +-1, several tiles and part of one.
inline constexpr std::array<std::size_t, 16> copied_sizes{
    0, 1, 15, 16, 17, 255, 10007, 16384, 32767, 32768, 32769, 65536, 99991, 1 << 20, 3 * 32768 + 5, 299'993};

struct Place {
    std::size_t to = 0;  // bytes past a multiple of 128
    std::size_t from = 0;
};

inline std::byte copied_payload(std::size_t index) {
    return static_cast<std::byte>((index * 2654435761U) >> 13 & 0xFF);
}

struct Aligned {
    void operator()(std::byte* memory) const { ::operator delete[](memory, std::align_val_t{128}); }
};
using AlignedBytes = std::unique_ptr<std::byte[], Aligned>;

inline AlignedBytes aligned_bytes(std::size_t bytes) {
    return AlignedBytes(static_cast<std::byte*>(::operator new[](bytes, std::align_val_t{128})));
}

// Returns what is wrong, or "". The source ends at the end of its allocation; the target lies between guards.
template <class Kernel>
std::string wrong_copy(Kernel kernel, const Grid& grid, std::size_t bytes, Place place, ThreadOrder order) {
    const auto source = aligned_bytes(place.from + bytes);
    const std::span from(source.get() + place.from, bytes);
    for (std::size_t i = 0; i < bytes; ++i) from[i] = copied_payload(i);
    const auto start = 2 * guard_bytes + place.to;
    const auto all = start + bytes + guard_bytes;
    const auto target = aligned_bytes(all);
    std::fill_n(target.get(), all, guard);
    std::vector<std::byte> expected(all, guard);
    copy_reference(std::span(expected).subspan(start, bytes), from);
    run_on_host(grid, order, kernel, target.get() + start, static_cast<const std::byte*>(from.data()), bytes);
    const auto difference = first_difference(expected, std::span(target.get(), all));
    if (!difference) return "";
    return "byte " + std::to_string(static_cast<std::ptrdiff_t>(*difference - start)) + " of " + std::to_string(bytes) +
           ", " + word(order);
}

template <class Kernel>
std::string wrong_copy(Kernel kernel, const Grid& grid, std::size_t bytes, Place place = {}) {
    for (const auto order : thread_orders)
        if (const auto wrong = wrong_copy(kernel, grid, bytes, place, order); !wrong.empty()) return wrong;
    return "";
}

// Returns the error at the first wrong size, or "". `grid` returns the grid for a size.
template <class Kernel, class GridFor>
std::string wrong_size(Kernel kernel, const GridFor& grid) {
    for (const auto bytes : copied_sizes)
        if (const auto wrong = wrong_copy(kernel, grid(bytes), bytes); !wrong.empty()) return wrong;
    return "";
}

// Returns the error at the first wrong pair of address offsets from a multiple of 32, or "".
template <class Kernel, class GridFor>
std::string wrong_alignment(Kernel kernel, const GridFor& grid) {
    for (std::size_t to = 0; to < 32; to += to < 17 ? 1 : 5)
        for (std::size_t from = 0; from < 32; from += from < 17 ? 1 : 5)
            for (const std::size_t bytes : {0, 1, 15, 33, 251})
                for (const auto order : thread_orders)
                    if (const auto wrong = wrong_copy(kernel, grid(bytes), bytes, {to, from}, order); !wrong.empty())
                        return wrong + ", target " + std::to_string(to) + ", source " + std::to_string(from);
    return "";
}

// An address range whose pages get memory, initially zero, only when accessed.
class Reserved {
public:
    explicit Reserved(std::size_t size) : bytes(size) {
        const auto got =
            ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (got != MAP_FAILED) memory = static_cast<std::byte*>(got);
    }
    Reserved(const Reserved&) = delete;
    Reserved& operator=(const Reserved&) = delete;
    ~Reserved() {
        if (memory != nullptr) ::munmap(memory, bytes);
    }
    std::byte* get() const { return memory; }

private:
    std::size_t bytes;
    std::byte* memory = nullptr;
};

// Runs only the first and the last block of a copy of this size, each of at most `tile` bytes. Returns what is wrong,
// or
// "": both tiles must be copied completely, and nothing before or after them.
template <class Kernel>
std::string wrong_ends(Kernel kernel, const Grid& grid, std::size_t bytes, std::size_t tile, Place place = {}) {
    const Reserved source(place.from + bytes + tile);
    const Reserved target(128 + place.to + bytes + tile);
    if (source.get() == nullptr || target.get() == nullptr)
        return "not enough address space for " + std::to_string(bytes) + " bytes twice";
    auto* from = source.get() + place.from;
    auto* to = target.get() + 128 + place.to;
    const auto last = std::size_t{grid.blocks - 1} * tile;
    for (std::size_t i = 0; i < tile; ++i) from[i] = copied_payload(i) | std::byte{1};
    for (auto i = last; i < bytes; ++i) from[i] = copied_payload(i) | std::byte{1};
    run_blocks_on_host(grid, {0, grid.blocks - 1}, ThreadOrder::ascending, kernel, to,
                       static_cast<const std::byte*>(from), bytes);
    const auto wrong = [&](std::size_t i) { return "byte " + std::to_string(i) + " of " + std::to_string(bytes); };
    for (std::size_t i = 0; i < tile; ++i)
        if (to[i] != from[i]) return wrong(i);
    for (auto i = last; i < bytes; ++i)
        if (to[i] != from[i]) return wrong(i);
    if (to[-1] != std::byte{0} || to[tile] != std::byte{0} || to[last - 1] != std::byte{0} || to[bytes] != std::byte{0})
        return "a byte outside the tiles of these two blocks was written";
    return "";
}

}  // namespace tocuda
