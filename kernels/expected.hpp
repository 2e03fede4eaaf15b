// tocuda, Apache-2.0.
// Computes the expected content of memory after a kernel, for each element from its index alone. Deliberately simple,
// to check the fast kernels.
#pragma once

#include "kernels/memory_stream.hpp"
#include "kernels/memory_write.hpp"
#include "kernels/number_payload.hpp"
#include "kernels/transposed_copy.hpp"
#include "measurement/payload.hpp"

namespace tocuda {

// Returns the 32-bit word of the payload at this index.
constexpr std::uint32_t payload_word(std::size_t place) {
    return static_cast<std::uint32_t>(scrambled(place / 2) >> place % 2 * 32);
}

struct ExpectedNumber {
    std::size_t place;
    unsigned bits;
    constexpr double operator()(std::size_t i) const { return payload_number(place + i, bits); }
};

struct ExpectedTriad {
    std::size_t place_of_b;
    std::size_t place_of_c;
    unsigned bits;
    constexpr double operator()(std::size_t i) const {
        return payload_number(place_of_b + i, bits) + stream_scalar * payload_number(place_of_c + i, bits);
    }
};

struct ExpectedScale {
    std::size_t place_of_c;
    unsigned bits;
    constexpr double operator()(std::size_t i) const { return stream_scalar * payload_number(place_of_c + i, bits); }
};

struct ExpectedWrite {
    constexpr std::byte operator()(std::size_t i) const {
        return static_cast<std::byte>(written_vector(i / sizeof(Vector16)).words[i / 4 % 4] >> i % 4 * 8);
    }
};

struct ExpectedStrided {
    std::size_t stride;
    constexpr std::uint32_t operator()(std::size_t i) const { return payload_word(i * stride); }
};

// The rows of the target are the columns of the source.
struct ExpectedTransposed {
    Shape shape;
    constexpr std::uint32_t operator()(std::size_t i) const {
        return payload_word(i % shape.rows * shape.columns + i / shape.rows);
    }
};

template <class Element, class Expected>
struct WriteExpected {
    static constexpr bool has_barrier = false;
    static constexpr unsigned threads = 256;

    static constexpr Grid grid(std::size_t count) {
        return {.blocks = blocks_for(std::min(parts(count, threads), std::size_t{1} << 16)),
                .threads = threads,
                .bytes_touched = count * sizeof(Element)};
    }

    template <class Block>
    constexpr void operator()(Block& block, Element* to, std::size_t count, Expected expected) const {
        for (auto i = std::size_t{block.block} * threads + block.thread; i < count;
             i += std::size_t{block.blocks} * threads)
            to[i] = expected(i);
    }
};

}  // namespace tocuda
