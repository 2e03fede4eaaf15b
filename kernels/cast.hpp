// tocuda, Apache-2.0.
// The cast kernel for the benchmarks that use it: number types, which casts there are, and their launch.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace tocuda {

class Stream;

enum class Number { float64, float32, float16, bfloat16, float8_e4m3, float8_e5m2 };
inline constexpr std::array<std::string_view, 6> number_words{"double",   "float",       "half",
                                                              "bfloat16", "float8_e4m3", "float8_e5m2"};
inline constexpr std::array<std::size_t, 6> number_bytes{8, 4, 2, 2, 1, 1};

constexpr std::string_view word(Number number) { return number_words[static_cast<std::size_t>(number)]; }
constexpr std::size_t bytes_each(Number number) { return number_bytes[static_cast<std::size_t>(number)]; }

struct Numbers {
    Number from;
    Number to;
};

// Double casts only to float, all others are from or to float.
bool has_cast(Numbers types);

// Queues a cast of `count` numbers in at most `most_blocks` blocks (0: one per tile). Addresses must be multiples of
// the number size.
void launch_cast(const Stream& stream, Numbers types, std::byte* to, const std::byte* from, std::size_t count,
                 unsigned most_blocks = 0);

// The reference on the CPU. Copies if both types are equal.
void cast_on_host(Numbers types, std::byte* to, const std::byte* from, std::size_t count);

}  // namespace tocuda
