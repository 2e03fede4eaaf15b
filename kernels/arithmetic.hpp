// tocuda, Apache-2.0.
// Arithmetic in registers, in great number, and the results that it must have.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "measurement/block.hpp"

namespace tocuda {

class Stream;

enum class ArithmeticOperation { fma, divide, square_root };
enum class ArithmeticNumber { float32, float64, half2, bfloat162, int32 };
inline constexpr std::array<std::string_view, 5> arithmetic_number_words{"float", "double", "half2", "bfloat162",
                                                                         "int32"};

// One launch: each thread computes a few chains, in which each step needs the result of the one before it.
struct Arithmetic {
    ArithmeticOperation operation = ArithmeticOperation::fma;
    ArithmeticNumber number = ArithmeticNumber::float32;
    bool alone = false;  // one warp with a single chain, whose steps wait for each other; else as many as fill the GPU
    unsigned multiprocessors = 1;
    unsigned rounds = 1;

    unsigned blocks() const { return alone ? 1 : multiprocessors * 4; }
    unsigned threads() const { return alone ? 32 : 256; }  // of a block
    unsigned chains() const { return alone ? 1 : 8; }      // of a thread
    std::int64_t steps() const;                            // of a chain
    // All of them. A step of `fma` is a multiplication and an addition, and those of a pair count for both its numbers.
    std::int64_t operations() const;
    std::size_t results() const { return std::size_t{blocks()} * threads() * chains(); }
    std::size_t number_bytes() const { return number == ArithmeticNumber::float64 ? 8 : 4; }
    std::size_t result_bytes() const { return results() * number_bytes(); }
};

// Leaves the last number of each chain.
void launch_arithmetic(const Stream& stream, const Arithmetic& arithmetic, std::byte* results);

// Returns what differs, to the last bit, from what the CPU computes; empty if nothing.
std::string wrong_with(const Arithmetic& arithmetic, std::span<const std::byte> results);

}  // namespace tocuda
