// tocuda, Apache-2.0.
// For the files of kernels, which are compiled for the GPU by nvcc and for the CPU by the C++ compiler: makes the
// operations that launch a kernel.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "kernels/kernel.hpp"
#include "kernels/tiles.hpp"
#include "measurement/launch.hpp"
#include "measurement/payload.hpp"

namespace tocuda {

// The operation that launches a copy.
template <class Body>
Operation copying(Body body, const Grid& grid, std::size_t bytes) {
    return [=](const Stream& stream, const Arrays& arrays) {
        launch(stream, grid, body, arrays[0], static_cast<const std::byte*>(arrays[1]), bytes);
    };
}
template <class Body>
Operation copying(Body body, std::size_t bytes) {
    return copying(body, body.grid(bytes), bytes);
}

// As many blocks as `blocks_each` says run at once on each multiprocessor, unless there are fewer tiles.
template <class Body>
Grid grid_at_once(const Setting& setting, std::size_t bytes, std::size_t tile, std::size_t shared_bytes,
                  std::size_t touched) {
    const auto at_once = std::size_t{setting.gpu.multiprocessors} * setting.number("blocks_each");
    return {.blocks = blocks_for(std::min(parts(bytes, tile), at_once)),
            .threads = Body::threads,
            .shared_bytes = shared_bytes,
            .bytes_touched = touched};
}

inline const Allowed allowed_blocks_each{.least = 1, .most = 32};

// With fewer blocks than `blocks_each` says, the row's name would be wrong.
template <class Body, class... Arguments>
std::string why_not_at_once(const Setting& setting, std::size_t shared_bytes) {
    const auto most = blocks_at_once<Body, Arguments...>(Body::threads, shared_bytes);
    if (setting.number("blocks_each") <= most) return "";
    return "blocks_each is " + std::to_string(setting.number("blocks_each")) +
           " but a multiprocessor of this GPU runs at most " + std::to_string(most) + " of these blocks at once";
}
template <class Body>
std::string why_copies_not_at_once(const Setting& setting, std::size_t shared_bytes) {
    return why_not_at_once<Body, std::byte*, const std::byte*, std::size_t>(setting, shared_bytes);
}

// Tiles that pass through shared memory in several stages, filled in bulk.
inline std::map<std::string, Allowed> allowed_stages(std::int64_t least_bytes, std::int64_t most_tile_bytes) {
    return {{"bytes", {.least = least_bytes}},
            {"stages", {.least = 2, .most = 32}},
            {"tile_bytes", {.least = 128, .most = most_tile_bytes, .multiple_of = 128}},
            {"blocks_each", allowed_blocks_each}};
}
inline std::string why_no_stages(const Setting& setting, std::size_t shared_bytes) {
    if (shared_bytes <= setting.gpu.shared_bytes) return "";
    return std::to_string(shared_bytes) + " bytes of shared memory are needed; a block has at most " +
           std::to_string(setting.gpu.shared_bytes);
}

// The bytes of one load or store of a kernel that has a parameter `width`.
inline constexpr std::array loaded_widths{16U, 32U};
template <unsigned width>
using VectorOf = std::conditional_t<width == 32, Vector32, Vector16>;
inline std::string why_not_wide(const Setting& setting) {
    return setting.number("width") == 32 ? why_not_capable(setting.gpu, 100) : "";
}

// Calls `make.operator()<index>()` with the index of `shape` in the constexpr array `shapes`: every one is compiled.
template <const auto& shapes, class Shape, class Make>
Operation compiled_for(const Shape& shape, const Make& make) {
    Operation found;
    [&]<std::size_t... index>(std::index_sequence<index...>) {
        ((shapes[index] == shape ? void(found = make.template operator()<index>()) : void()), ...);
    }(std::make_index_sequence<shapes.size()>());
    if (!found) throw std::invalid_argument("no kernel was compiled for this shape");
    return found;
}

// Writes what a function returns for each index: inputs, and expected results by deliberately simple references.
template <class Element, class Reference>
struct WriteEach {
    static constexpr bool has_barrier = false;
    static constexpr unsigned threads = 256;

    template <class Block>
    constexpr void operator()(Block& block, Element* to, std::size_t count, Reference reference) const {
        for (auto i = std::size_t{block.block} * threads + block.thread; i < count;
             i += std::size_t{block.blocks} * threads)
            to[i] = reference(i);
    }
};

template <class Element, class Reference>
void write_each(const Stream& stream, std::byte* to, std::size_t count, Reference reference) {
    using Body = WriteEach<Element, Reference>;
    const auto tiles = std::min(parts(count, Body::threads), std::size_t{1} << 16);
    const Grid grid{.blocks = blocks_for(tiles), .threads = Body::threads, .bytes_touched = count * sizeof(Element)};
    if (count != 0) launch(stream, grid, Body{}, reinterpret_cast<Element*>(to), count, reference);
}

// In [-2^(bits-1), 2^(bits-1)).
constexpr double payload_number(std::size_t place, unsigned bits) {
    return static_cast<double>(static_cast<std::int64_t>(scrambled(place)) >> (64 - bits));
}

// The 32-bit word of the payload at this index.
constexpr std::uint32_t payload_word(std::size_t place) {
    return static_cast<std::uint32_t>(scrambled(place / 2) >> place % 2 * 32);
}

constexpr unsigned bits_for_sums_of_products = 12;  // 2^31 products stay below 2^53
constexpr unsigned bits_for_one_sum = 48;           // b + 3 c

}  // namespace tocuda
