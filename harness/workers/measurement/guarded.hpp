// tocuda, Apache-2.0.
// The target of a copy: GPU memory between guards, which reveal writes out of bounds.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "measurement/device_memory.hpp"

namespace tocuda {

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
