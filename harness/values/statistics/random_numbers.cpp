// tocuda, Apache-2.0.
// SplitMix64, Marsaglia's polar method for normal numbers, and Fisher and Yates' shuffle.
#include "statistics/random_numbers.hpp"

#include <cmath>
#include <numeric>
#include <utility>

namespace tocuda {

RandomNumbers::RandomNumbers(std::uint64_t seed, std::uint64_t part)
    : state(RandomNumbers(RandomNumbers(seed).next() + part).next()) {}

std::uint64_t RandomNumbers::next() {
    state += 0x9e3779b97f4a7c15U;
    std::uint64_t mixed = state;
    mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9U;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
    return mixed ^ (mixed >> 31U);
}

// Draws again if the number would favour small results.
std::uint64_t RandomNumbers::below(std::uint64_t limit) {
    const std::uint64_t unfair = (0 - limit) % limit;
    std::uint64_t drawn = next();
    while (drawn < unfair) drawn = next();
    return drawn % limit;
}

double RandomNumbers::uniform() { return (static_cast<double>(next() >> 11U) + 0.5) / 9007199254740992.0; }

double RandomNumbers::normal() {
    if (has_spare) {
        has_spare = false;
        return spare;
    }
    double x = 0;
    double y = 0;
    double square = 0;
    do {
        x = between(-1, 1);
        y = between(-1, 1);
        square = x * x + y * y;
    } while (square >= 1 || square == 0);
    const double factor = std::sqrt(-2 * std::log(square) / square);
    spare = y * factor;
    has_spare = true;
    return x * factor;
}

double RandomNumbers::student3() {
    const double numerator = normal();
    double squares = 0;
    for (int i = 0; i < 3; ++i) {
        const double one = normal();
        squares += one * one;
    }
    return numerator / std::sqrt(squares / 3);
}

std::vector<std::size_t> seeded_order(std::size_t count, std::uint64_t seed, std::uint64_t process) {
    RandomNumbers random(seed, process);
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t left = count; left > 1; --left)
        std::swap(order[left - 1], order[static_cast<std::size_t>(random.below(left))]);
    return order;
}

}  // namespace tocuda
