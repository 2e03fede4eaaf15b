// tocuda, Apache-2.0.
// Numbers to be cast, known from their place: finite, of both signs, and with exponents at which halves and float8 are
// rounded, subnormal, and too large. And what is wrong with what a GPU made of them.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "kernels/casts.hpp"
#include "measurement/device_memory.hpp"
#include "transfers/crew.hpp"

namespace tocuda {

// Calls `part(place, count)` by several threads until all of it was taken.
void in_parts(Crew& crew, std::size_t count, const std::function<void(std::size_t place, std::size_t count)>& part);

void write_numbers(Number type, std::byte* to, std::size_t place, std::size_t count);

// The reference, on the CPU. Where both types are the same, it copies.
void cast_on_host(Numbers types, std::byte* to, const std::byte* from, std::size_t count);

// The first number on the GPU that is not what those numbers from place 0 on become; empty where all are.
std::string wrong_numbers(Crew& crew, const Stream& stream, Numbers types, const std::byte* found, std::size_t count);

}  // namespace tocuda
