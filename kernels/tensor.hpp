// tocuda, Apache-2.0.
// Products of small matrices by the tensor cores, whose factors stay in registers, and the results that they must have.
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

// By the type of the factors; sums are float, of int8 int32. float8 is e4m3.
enum class TensorNumber { half, bfloat16, tf32, int8, float8 };
inline constexpr std::array<std::string_view, 5> tensor_number_words{"half", "bfloat16", "tf32", "int8", "float8"};

// A warp's instruction (mma.sync) multiplies 16 rows by 8 columns, that of four warps (wgmma) 64 by 64, with so many
// products in each sum.
constexpr unsigned tensor_depth(TensorNumber number) {
    if (number == TensorNumber::tf32) return 8;
    return number == TensorNumber::half || number == TensorNumber::bfloat16 ? 16 : 32;
}

// The factors: whole numbers from -2 to 3, which each type holds exactly. A warp multiplies by two right factors in
// turns. The sum of the two is 1 in the first row and 0 elsewhere, so that sums stay small, and each pair counts.
constexpr int left_factor(unsigned row, unsigned place) {
    return place == 0 ? 1 + static_cast<int>(row % 2) : static_cast<int>((row * 7 + place * 5 + row * place) % 5) - 2;
}
constexpr int right_factor(unsigned place, unsigned column, unsigned turn) {
    const auto first = static_cast<int>((place * 3 + column * 11 + place * column) % 5) - 2;
    return turn == 0 ? first : (place == 0 ? 1 : 0) - first;
}

// One launch: each warp adds up products in a few chains, in which each step needs the sum of the one before it.
struct TensorProducts {
    TensorNumber number = TensorNumber::half;
    bool alone = false;    // one warp with a single chain, or one group of warps; else as many as fill the GPU
    bool grouped = false;  // by groups of four warps, whose instruction has eight chains
    unsigned multiprocessors = 1;
    unsigned rounds = 1;

    unsigned blocks() const { return alone ? 1 : multiprocessors * 2; }
    unsigned threads() const { return grouped ? 128 : alone ? 32 : 256; }  // of a block
    unsigned chains() const { return alone && !grouped ? 1 : 8; }          // of a warp
    std::int64_t steps() const;                                            // of a chain
    // Multiplications and additions, each of them one.
    std::int64_t operations() const;
    std::size_t results() const { return std::size_t{blocks()} * threads() * chains() * 4; }
    std::size_t result_bytes() const { return results() * 4; }
};

// By the GPU's own clocks.
struct TensorTime {
    std::int64_t cycles = 0;
    std::uint64_t nanoseconds = 0;
};

// What the four 32-bit registers of a lane's left factor hold, or the two of its right one; the second half of the
// registers holds the second half of each sum's places.
std::uint32_t left_register(TensorNumber number, unsigned lane, unsigned which);
std::uint32_t right_register(TensorNumber number, unsigned lane, unsigned which, unsigned turn);

// Leaves the sums of each chain. `time` is that of the first warp.
void launch_tensor_products(const Stream& stream, const TensorProducts& products, std::byte* sums, TensorTime* time);

// Returns what differs from the CPU's products, to the last bit; empty if nothing.
std::string wrong_with(const TensorProducts& products, std::span<const std::byte> sums);

}  // namespace tocuda
