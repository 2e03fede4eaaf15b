// tocuda, Apache-2.0.
// A target of a copy: memory of the GPU between guards, which show what was written beside it.
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
    }  // what it takes of the GPU's memory

    // Covers so many bytes from this offset on, and what lies around them, with guards; lets `operation` write; and
    // says what is not the payload or, around it, not the guard. Empty where nothing is wrong.
    std::string what_differs(const Stream& stream, std::size_t bytes, const std::function<void()>& operation,
                             std::size_t offset = 0) const;
    static std::string compared() { return "every byte, and " + std::to_string(guard_bytes) + " before and after"; }

private:
    std::size_t room;
    DeviceMemory memory;
};

}  // namespace tocuda
