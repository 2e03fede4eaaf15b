// tocuda, Apache-2.0.
// The payload in memory that a GPU reaches, and the first place where it is not what it should be. All of them run on
// the GPU; the answers wait for it. On a simulated GPU the CPU does the work.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "measurement/stream.hpp"

namespace tocuda {

using Place = std::optional<std::size_t>;  // of the first byte that differs; nothing where none does

void write_payload(const Stream& stream, std::span<std::byte> to,
                   std::size_t place = 0);  // the payload from this place on
Place first_unlike_payload(const Stream& stream, std::span<const std::byte> found, std::size_t place = 0);
Place first_unlike(const Stream& stream, std::span<const std::byte> found, std::byte value);
Place first_difference(const Stream& stream, std::span<const std::byte> expected, std::span<const std::byte> found);

}  // namespace tocuda
