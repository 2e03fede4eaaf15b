// tocuda, Apache-2.0.
// Writes the payload to memory that a GPU can reach, between guards, and finds the first byte that differs.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "measurement/cuda_objects.hpp"

namespace tocuda {

// What a check says of a byte of a target, or of one around it.

// `byte` counts from the start of the target, which has `of` bytes: it is negative in front of it.
inline std::string byte_differs(std::ptrdiff_t byte, std::size_t of) {
    const auto bytes = [](std::ptrdiff_t count) { return std::to_string(count) + (count == 1 ? " byte " : " bytes "); };
    const auto end = static_cast<std::ptrdiff_t>(of);
    if (byte < 0) return "something was written " + bytes(-byte) + "before the target";
    if (byte >= end) return "something was written " + bytes(byte - end + 1) + "after the target's end";
    return "byte " + std::to_string(byte) + " of " + std::to_string(of) + " differs from the reference";
}

// Writes the payload to memory that a GPU can reach, and finds the first byte that differs. All of it runs on the GPU,
// and each call waits for the result. With a simulated GPU the CPU does the work.
using Place = std::optional<std::size_t>;  // of the first byte that differs; nullopt if none does

void write_payload(const Stream& stream, std::span<std::byte> to,
                   std::size_t place = 0);  // the payload from `place` on
Place first_unlike_payload(const Stream& stream, std::span<const std::byte> found, std::size_t place = 0);
Place first_unlike(const Stream& stream, std::span<const std::byte> found, std::byte value);
Place first_difference(const Stream& stream, std::span<const std::byte> expected, std::span<const std::byte> found);

// The target of a copy: GPU memory between guards, which reveal writes out of bounds.
class Guarded {
public:
    static constexpr std::size_t guard_bytes = 256;
    static constexpr std::byte guard{0xC3};

    explicit Guarded(std::size_t most_bytes) : room(most_bytes), memory(allocated(most_bytes)) {}

    std::byte* at(std::size_t offset = 0) const { return memory.get() + guard_bytes + offset; }
    std::size_t bytes() const { return room; }
    static std::size_t allocated(std::size_t most_bytes) {
        return most_bytes + 2 * guard_bytes;
    }  // of the GPU's memory

    // Covers these bytes and their surroundings with guards, calls `operation`, and returns the first byte that differs
    // from the payload from `place` on or, around it, from the guard. Empty if nothing differs.
    std::string what_differs(const Stream& stream, std::size_t bytes, const std::function<void()>& operation,
                             std::size_t offset = 0, std::size_t place = 0) const;
    static std::string compared() {
        return "every byte, and " + std::to_string(guard_bytes) + " bytes before and after";
    }

private:
    std::size_t room;
    DeviceMemory memory;
};

}  // namespace tocuda
