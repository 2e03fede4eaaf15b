// tocuda, Apache-2.0.
// The bytes that are moved: pseudo-random, so that nothing compresses them, and known from their place alone, so that a part can
// be checked without the whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tocuda {

// The finaliser of splitmix64: each of its 64 bits depends on each bit of the number.
constexpr std::uint64_t scrambled(std::uint64_t number) {
    number += 0x9e3779b97f4a7c15;
    number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9;
    number = (number ^ number >> 27) * 0x94d049bb133111eb;
    return number ^ number >> 31;
}

// The payload from this place on.
inline void write_payload(std::span<std::byte> to, std::size_t place) {
    std::uint64_t word = scrambled(place / 8);
    for (auto& byte : to) {
        byte = static_cast<std::byte>(word >> place % 8 * 8);
        if (++place % 8 == 0) word = scrambled(place / 8);
    }
}

}  // namespace tocuda
