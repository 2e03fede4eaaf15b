// tocuda, Apache-2.0.
// Atomic operations in great number, and what they must leave behind.
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

enum class AtomicOperation { add, max, cas };
enum class AtomicNumber { int32, int64, float32, half2 };
inline constexpr std::array<std::string_view, 4> atomic_number_words{"int32", "int64", "float", "half2"};

// One launch: each thread makes as many operations, on its own number (`spread`) or all on the same one.
struct Atomics {
    AtomicOperation operation = AtomicOperation::add;
    AtomicNumber number = AtomicNumber::int32;
    bool spread = true;
    bool used = true;  // what was there before is read (ATOM) or not (RED); a compare-and-swap always reads it
    unsigned multiprocessors = 1;
    unsigned repeats = 1;  // of spread operations; odd

    // So few threads on one number that the sums of half numbers stay exact.
    unsigned threads() const { return spread ? multiprocessors * 1024 : 2048; }
    // Odd, so that numbers added by turns do not cancel out.
    unsigned groups() const { return spread ? 9 * repeats : 141; }
    unsigned operations_each() const;
    std::int64_t operations() const { return std::int64_t{threads()} * operations_each(); }
    std::size_t number_bytes() const { return number == AtomicNumber::int64 ? 8 : 4; }
    std::size_t target_bytes() const { return (spread ? threads() : 1) * number_bytes(); }
};

// The numbers of the target begin as zero. Each thread leaves in `found` the exclusive or of all that it read, or how
// often it swapped.
void launch_atomics(const Stream& stream, const Atomics& atomics, std::byte* target, std::uint64_t* found);

// Returns what the operations did wrong; empty if nothing.
std::string wrong_with(const Atomics& atomics, std::span<const std::byte> target, std::span<const std::uint64_t> found);

}  // namespace tocuda
