// tocuda, Apache-2.0.
// An order that a seed fixes: the same with every compiler and on every machine (the standard library's shuffle is not).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tocuda {

// The numbers below `count`, in an order of their own for each process.
std::vector<std::size_t> seeded_order(std::size_t count, std::uint64_t seed, std::uint64_t process);

}  // namespace tocuda
