// tocuda, Apache-2.0.
// Shuffles with a generator whose output the standard fixes (std::shuffle's is not fixed).
#include "measurement/thread_order.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>

namespace tocuda {

std::vector<unsigned> in_order(ThreadOrder order, unsigned count) {
    std::vector<unsigned> sequence(count);
    std::iota(sequence.begin(), sequence.end(), 0U);
    if (order == ThreadOrder::descending) std::reverse(sequence.begin(), sequence.end());
    if (order == ThreadOrder::seeded) {
        std::mt19937_64 random(count);
        for (std::size_t left = sequence.size(); left > 1; --left)
            std::swap(sequence[left - 1], sequence[random() % left]);
    }
    return sequence;
}

}  // namespace tocuda
