// tocuda, Apache-2.0.
// Fisher and Yates' shuffle over SplitMix64.
#include "statistics/seeded_order.hpp"

#include <numeric>
#include <utility>

namespace tocuda {
namespace {

class SplitMix {
public:
    explicit SplitMix(std::uint64_t seed) : state(seed) {}

    std::uint64_t next() {
        state += 0x9e3779b97f4a7c15U;
        std::uint64_t mixed = state;
        mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9U;
        mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
        return mixed ^ (mixed >> 31U);
    }

    // Each number below the limit is equally likely: what would favour the small ones is drawn again.
    std::uint64_t below(std::uint64_t limit) {
        const std::uint64_t unfair = (0 - limit) % limit;
        std::uint64_t drawn = next();
        while (drawn < unfair) drawn = next();
        return drawn % limit;
    }

private:
    std::uint64_t state;
};

}  // namespace

std::vector<std::size_t> seeded_order(std::size_t count, std::uint64_t seed, std::uint64_t process) {
    // Neighbouring seeds and processes have nothing in common: the one is mixed before the other is added.
    SplitMix random(SplitMix(SplitMix(seed).next() + process).next());
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t left = count; left > 1; --left) std::swap(order[left - 1], order[static_cast<std::size_t>(random.below(left))]);
    return order;
}

}  // namespace tocuda
