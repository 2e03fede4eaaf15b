// tocuda, Apache-2.0.
// Fisher and Yates' shuffle.
#include "statistics/seeded_order.hpp"

#include <numeric>
#include <utility>

#include "statistics/random_numbers.hpp"

namespace tocuda {

std::vector<std::size_t> seeded_order(std::size_t count, std::uint64_t seed, std::uint64_t process) {
    RandomNumbers random(seed, process);
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t left = count; left > 1; --left) std::swap(order[left - 1], order[static_cast<std::size_t>(random.below(left))]);
    return order;
}

}  // namespace tocuda
