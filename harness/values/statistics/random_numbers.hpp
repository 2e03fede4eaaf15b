// tocuda, Apache-2.0.
// Seeded random numbers, the same with every compiler and on every machine (the standard library's distributions and
// shuffle are not).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tocuda {

// SplitMix64.
class RandomNumbers {
public:
    explicit RandomNumbers(std::uint64_t seed) : state(seed) {}
    // The `part`-th sequence of this seed, unrelated to those of neighbouring seeds and parts.
    RandomNumbers(std::uint64_t seed, std::uint64_t part);

    std::uint64_t next();
    std::uint64_t below(std::uint64_t limit);  // each number below the limit is equally likely
    double uniform();                          // in (0, 1)
    double between(double low, double high) { return low + (high - low) * uniform(); }
    double normal();
    double student3();  // with 3 degrees of freedom, the fewest whose variance is finite: 3

private:
    std::uint64_t state;
    double spare = 0;  // normal numbers come in pairs
    bool has_spare = false;
};

// Returns the numbers below `count` in a different order for each process.
std::vector<std::size_t> seeded_order(std::size_t count, std::uint64_t seed, std::uint64_t process);

}  // namespace tocuda
