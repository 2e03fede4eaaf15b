// tocuda, Apache-2.0.
// Writes the payload to memory that a GPU can reach, and finds the first byte that differs. All of it runs on the GPU,
// and each call waits for the result. With a simulated GPU the CPU does the work.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "measurement/stream.hpp"

namespace tocuda {

using Place = std::optional<std::size_t>;  // of the first byte that differs; nullopt if none does

void write_payload(const Stream& stream, std::span<std::byte> to,
                   std::size_t place = 0);  // the payload from `place` on
Place first_unlike_payload(const Stream& stream, std::span<const std::byte> found, std::size_t place = 0);
Place first_unlike(const Stream& stream, std::span<const std::byte> found, std::byte value);
Place first_difference(const Stream& stream, std::span<const std::byte> expected, std::span<const std::byte> found);

}  // namespace tocuda
