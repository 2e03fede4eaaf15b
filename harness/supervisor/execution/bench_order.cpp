// tocuda, Apache-2.0.
#include "execution/bench_order.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "statistics/random_numbers.hpp"

namespace tocuda {

std::vector<BenchGroup> bench_groups(const std::vector<Group>& each) {
    std::map<std::pair<int, std::string>, BenchGroup> sorted;
    for (std::size_t position = 0; position < each.size(); ++position) {
        const auto& [name, order] = each[position];
        auto& group = sorted[{order, name}];
        group.name = name;
        group.members.push_back(position);
    }
    std::vector<BenchGroup> groups;
    for (auto& one : sorted) groups.push_back(std::move(one.second));
    return groups;
}

namespace {

std::vector<RoundOrder::Family> families_of(const Sweep& sweep) {
    std::vector<Parameters> without_alternating;
    std::vector<RoundOrder::Family> families;
    for (std::size_t number = 0; number < sweep.sets.size(); ++number) {
        auto others = sweep.sets[number];
        others.erase(sweep.benchmark.alternates);
        const auto family = std::ranges::find(without_alternating, others) - without_alternating.begin();
        if (family == std::ssize(families)) {
            without_alternating.push_back(std::move(others));
            families.emplace_back();
        }
        families[static_cast<std::size_t>(family)].push_back(number);
    }
    return families;
}

}  // namespace

RoundOrder::RoundOrder(std::span<const BenchUnit> units, std::uint64_t from, bool in_pairs)
    : seed(from), pairs(in_pairs) {
    for (const auto& unit : units) of_unit.push_back(families_of(*unit.sweep));
}

// The order within a pair varies, so that neither unit always runs on the GPU as the other left it.
std::vector<std::size_t> RoundOrder::units(int round) const {
    const auto process = static_cast<std::uint64_t>(round);
    if (!pairs) return seeded_order(of_unit.size(), seed, process);
    std::vector<std::size_t> order;
    for (const auto pair : seeded_order(of_unit.size() / 2, seed, process))
        for (const auto side : seeded_order(2, seed ^ (pair + 1), process)) order.push_back(2 * pair + side);
    return order;
}

std::vector<std::size_t> RoundOrder::sets(std::size_t unit, int round) const {
    const auto& some = families(unit);
    const auto process = static_cast<std::uint64_t>(round) * of_unit.size() + unit;
    std::vector<std::size_t> order;
    for (const auto family : seeded_order(some.size(), seed, process))
        for (const auto member : seeded_order(some[family].size(), seed ^ (family + 1), process))
            order.push_back(some[family][member]);
    return order;
}

}  // namespace tocuda
