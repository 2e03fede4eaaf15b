// tocuda, Apache-2.0.
// Generates the numbers to cast, which depend only on their index, and checks a GPU's results. The numbers are finite,
// of both signs, and have exponents at which halves and float8 are rounded, subnormal or too large.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "kernels/cast.hpp"
#include "measurement/cuda_objects.hpp"
#include "measurement/parameter.hpp"
#include "measurement/threads.hpp"

namespace tocuda {

Numbers types_of(const Parameters& set);         // of the parameters `from` and `to`
std::string why_no_cast(const Parameters& set);  // "" if there is one

// Calls `part(place, count)` from several threads until all parts are done.
void in_parts(Crew& crew, std::size_t count, const std::function<void(std::size_t place, std::size_t count)>& part);

void write_numbers(Number type, std::byte* to, std::size_t place, std::size_t count);

// Reports the first number on the GPU that differs from the cast numbers from index 0 on; "" if all are right.
std::string wrong_numbers(Crew& crew, const Stream& stream, Numbers types, const std::byte* found, std::size_t count);

}  // namespace tocuda
