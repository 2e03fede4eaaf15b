// tocuda, Apache-2.0.
// Reads memory and writes only one word per block: the exclusive or of all 32-bit words, so that no load can be
// optimised away.
#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <span>

#include "kernels/block_sum.hpp"
#include "kernels/launching.hpp"
#include "measurement/payload.hpp"

namespace tocuda::kernels::read {
namespace {

// The reference. Bytes after the last whole word count as the low bytes of a word.
std::uint32_t read_reference(std::span<const std::byte> from) {
    std::uint32_t sum = 0;
    for (std::size_t place = 0; place < from.size(); place += sizeof(sum)) {
        std::uint32_t word = 0;
        std::memcpy(&word, from.data() + place, std::min(sizeof(word), from.size() - place));
        sum ^= word;
    }
    return sum;
}

// The source address is a multiple of the vector's size.
template <unsigned loads_in_flight, class Vector>
struct ReadAll {
    static constexpr bool has_barrier = true;
    static constexpr unsigned threads = 256;
    static constexpr unsigned in_flight = loads_in_flight;

    static constexpr std::size_t tiles(std::size_t bytes) { return parts(bytes, threads * in_flight * sizeof(Vector)); }
    static constexpr Grid grid(std::size_t bytes, unsigned multiprocessors) {
        return {.blocks = reduction_blocks(tiles(bytes), multiprocessors),
                .threads = threads,
                .shared_bytes = threads * sizeof(std::uint32_t),
                .bytes_touched = bytes};
    }

    template <class Block>
    constexpr void operator()(Block& block, std::uint32_t* sums, const std::byte* from, std::size_t bytes) const {
        const auto count = bytes / sizeof(Vector);
        auto sum = sum_of_vectors(block, reinterpret_cast<const Vector*>(from), count);
        if (block.block == 0 && block.thread < bytes % sizeof(Vector))
            sum ^= std::to_integer<std::uint32_t>(from[count * sizeof(Vector) + block.thread]) << block.thread % 4 * 8;
        leave_of_block<threads>(block, sums, sum, [](std::uint32_t one, std::uint32_t other) { return one ^ other; });
    }

private:
    static constexpr std::uint32_t joined(const Vector& vector) {
        std::uint32_t all = 0;
        for (const auto word : vector.words) all ^= word;
        return all;
    }

    template <class Block>
    static constexpr std::uint32_t sum_of_vectors(const Block& block, const Vector* from, std::size_t count) {
        const auto tile = std::size_t{threads} * in_flight;
        const auto whole = count / tile * tile;
        std::uint32_t sum = 0;
        over_tiles(
            block, tile, whole,
            [&](std::size_t first) {
                std::array<Vector, in_flight> held;
                for (unsigned i = 0; i < in_flight; ++i) held[i] = load<Hint::no_allocate>(from + first + i * threads);
                return held;
            },
            [&](std::size_t, const std::array<Vector, in_flight>& held) {
                for (const auto& each : held) sum ^= joined(each);
            });
        if (block.block == block.blocks - 1)
            for (auto i = whole + block.thread; i < count; i += threads) sum ^= joined(from[i]);
        return sum;
    }
};

std::uint32_t expected_sum(std::size_t bytes) {
    return joined_on_host(bytes, std::bit_xor<>(), [](std::size_t place, std::size_t some) {
        std::vector<std::byte> part(some);
        write_payload(part, place);
        return read_reference(part);
    });
}

// Calls the function with the kernel for this set. Few tiles would leave multiprocessors without work: then each is
// small, with one load of each thread.
template <class Call>
auto with_body(const Setting& setting, const Call& call) {
    const auto for_width = [&]<unsigned loads, class Vector>(ReadAll<loads, Vector> body) {
        const bool few = body.tiles(setting.bytes()) < std::size_t{2} * setting.gpu.multiprocessors;
        return few ? call(ReadAll<1, Vector>{}) : call(body);
    };
    return setting.number("width") == 32 ? for_width(ReadAll<4, Vector32>{}) : for_width(ReadAll<8, Vector16>{});
}

Grid grid_of(const Setting& setting) {
    return with_body(setting, [&](auto body) { return body.grid(setting.bytes(), setting.gpu.multiprocessors); });
}

WhatIsWrong wrong(const Setting& setting) {
    return [=](const Stream& stream, const Arrays& arrays) -> std::string {
        const auto found = sum_of_blocks<std::uint32_t>(stream, arrays[0], grid_of(setting).blocks, std::bit_xor<>());
        const auto expected = expected_sum(setting.bytes());
        return found == expected ? ""
                                 : "the exclusive or is " + std::to_string(found) + ", not " + std::to_string(expected);
    };
}

Operation operation(const Setting& setting) {
    return with_body(setting, [grid = grid_of(setting), bytes = setting.bytes()](auto body) -> Operation {
        return [=](const Stream& stream, const Arrays& arrays) {
            launch(stream, grid, body, reinterpret_cast<std::uint32_t*>(arrays[0]),
                   static_cast<const std::byte*>(arrays[1]), bytes);
        };
    });
}

const RegisteredKernel registered{
    {.name = "memory/read",
     .summary = "read the memory of a GPU and write almost nothing",
     .role = {.sheet = {{.order = 20,
                         .section = "GPU memory",
                         .words = "read",
                         .having = "cache=resident",
                         .figure = "memory_bytes_per_second",
                         .touched = true}},
              .characterise = {"bytes=1GiB"},
              .headline = headline::read,
              .campaign = "rounds",
              .inspected = true},
     .parameters = {{"bytes", headline_bytes()}, {"width", {16}}, {"cache", {"resident"}}},
     .quick = {{"bytes", {std::int64_t{1} << 30}}},
     .full = {{"width", values_of(loaded_widths)}, {"cache", {"resident", "cold"}}},
     .allowed = {{"width", {.only = values_of(loaded_widths)}}},
     .why_skipped = why_not_wide,
     .arrays = [](const Setting& setting) -> ArraySizes {
         return {.bytes = {grid_of(setting).blocks * sizeof(std::uint32_t), setting.bytes()},
                 .one_way = setting.bytes(),
                 .touched = setting.bytes()};
     },
     .operation = operation,
     .wrong = wrong,
     .compared = "the exclusive or of all words"}};

}  // namespace
}  // namespace tocuda::kernels::read
