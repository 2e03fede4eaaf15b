// tocuda, Apache-2.0.
// Reads memory and writes only one word per block: the exclusive or of all 32-bit words, so that no load can be
// optimised away.
#include <cstring>
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

// The source address is a multiple of 16.
struct ReadAll {
    static constexpr bool has_barrier = true;
    static constexpr unsigned threads = 256;
    static constexpr unsigned in_flight = 8;

    static constexpr Grid grid(std::size_t bytes, unsigned multiprocessors) {
        return {.blocks = reduction_blocks(parts(bytes, threads * in_flight * sizeof(Vector16)), multiprocessors),
                .threads = threads,
                .shared_bytes = threads * sizeof(std::uint32_t),
                .bytes_touched = bytes};
    }

    template <class Block>
    constexpr void operator()(Block& block, std::uint32_t* sums, const std::byte* from, std::size_t bytes) const {
        const auto count = bytes / sizeof(Vector16);
        auto sum = sum_of_vectors(block, reinterpret_cast<const Vector16*>(from), count);
        if (block.block == 0 && block.thread < bytes % sizeof(Vector16))
            sum ^= std::to_integer<std::uint32_t>(from[count * sizeof(Vector16) + block.thread])
                   << block.thread % 4 * 8;
        leave_of_block<threads>(block, sums, sum, [](std::uint32_t one, std::uint32_t other) { return one ^ other; });
    }

private:
    static constexpr std::uint32_t joined(const Vector16& vector) {
        return vector.words[0] ^ vector.words[1] ^ vector.words[2] ^ vector.words[3];
    }

    template <class Block>
    static constexpr std::uint32_t sum_of_vectors(const Block& block, const Vector16* from, std::size_t count) {
        const auto tile = std::size_t{threads} * in_flight;
        std::uint32_t sum = 0;
        for (auto start = block.block * tile; start < count; start += block.blocks * tile) {
            const auto first = start + block.thread;
            if (start + tile <= count) {
                Vector16 held[in_flight];
                for (unsigned i = 0; i < in_flight; ++i) held[i] = load<Hint::no_allocate>(from + first + i * threads);
                for (unsigned i = 0; i < in_flight; ++i) sum ^= joined(held[i]);
            } else {
                for (auto i = first; i < count; i += threads) sum ^= joined(from[i]);
            }
        }
        return sum;
    }
};

// Computes the expected value of the payload in chunks.
std::uint32_t expected_sum(std::size_t bytes) {
    constexpr std::size_t chunk_bytes = std::size_t{1} << 20;  // a multiple of a word
    std::vector<std::byte> chunk(std::min(bytes, chunk_bytes));
    std::uint32_t sum = 0;
    for (std::size_t place = 0; place < bytes; place += chunk.size()) {
        const auto part = std::span(chunk).first(std::min(chunk.size(), bytes - place));
        write_payload(part, place);
        sum ^= read_reference(part);
    }
    return sum;
}

Grid grid_of(const Setting& setting) { return ReadAll::grid(setting.bytes(), setting.gpu.multiprocessors); }

WhatIsWrong wrong(const Setting& setting) {
    return [=](const Stream& stream, const Arrays& arrays) -> std::string {
        const auto found = sum_of_blocks<std::uint32_t>(stream, arrays[0], grid_of(setting).blocks, std::bit_xor<>());
        const auto expected = expected_sum(setting.bytes());
        return found == expected ? ""
                                 : "the exclusive or is " + std::to_string(found) + ", not " + std::to_string(expected);
    };
}

Operation operation(const Setting& setting) {
    return [grid = grid_of(setting), bytes = setting.bytes()](const Stream& stream, const Arrays& arrays) {
        launch(stream, grid, ReadAll{}, reinterpret_cast<std::uint32_t*>(arrays[0]),
               static_cast<const std::byte*>(arrays[1]), bytes);
    };
}

const RegisteredKernel registered{{.name = "memory/read",
                                   .summary = "read the memory of a GPU and write almost nothing",
                                   .parameters = {{"bytes", headline_bytes()}, {"cache", {"resident"}}},
                                   .quick = {{"bytes", {std::int64_t{64} << 20}}},
                                   .full = {{"cache", {"resident", "cold"}}},
                                   .arrays = [](const Setting& setting) -> ArraySizes {
                                       return {
                                           .bytes = {grid_of(setting).blocks * sizeof(std::uint32_t), setting.bytes()},
                                           .one_way = setting.bytes(),
                                           .touched = setting.bytes()};
                                   },
                                   .operation = operation,
                                   .wrong = wrong,
                                   .compared = "the exclusive or of all words"}};

}  // namespace
}  // namespace tocuda::kernels::read
