// tocuda, Apache-2.0.
// The bytes that are moved: pseudo-random, so that nothing can compress them, and a function of their offset alone, so
// that a part can be checked without the whole.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

namespace tocuda {

// The finaliser of splitmix64: each of its 64 bits depends on each bit of the number.
constexpr std::uint64_t scrambled(std::uint64_t number) {
    number += 0x9e3779b97f4a7c15;
    number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9;
    number = (number ^ number >> 27) * 0x94d049bb133111eb;
    return number ^ number >> 31;
}

// Writes the payload from offset `place` on.
inline void write_payload(std::span<std::byte> to, std::size_t place) {
    std::size_t i = 0;
    const auto singly = [&](std::size_t end) {
        for (; i < end; ++i) to[i] = static_cast<std::byte>(scrambled((place + i) / 8) >> (place + i) % 8 * 8);
    };
    singly(std::min(to.size(), (8 - place % 8) % 8));
    for (auto word = (place + i) / 8; i + 8 <= to.size(); i += 8, ++word) {
        const auto bits = scrambled(word);
        std::memcpy(to.data() + i, &bits, 8);
    }
    singly(to.size());
}

// Returns the first index at which `found` differs from the payload from offset `place` on; nullopt if none does.
inline std::optional<std::size_t> first_unlike_payload(std::span<const std::byte> found, std::size_t place) {
    constexpr std::size_t part = 4096;
    std::array<std::byte, part> expected{};
    for (std::size_t i = 0; i < found.size(); i += part) {
        const auto size = std::min(part, found.size() - i);
        write_payload(std::span(expected).first(size), place + i);
        if (std::memcmp(expected.data(), found.data() + i, size) == 0) continue;
        const auto end =
            std::mismatch(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(size), found.data() + i)
                .first;
        return i + static_cast<std::size_t>(end - expected.begin());
    }
    return std::nullopt;
}

}  // namespace tocuda
