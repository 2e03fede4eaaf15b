// tocuda, Apache-2.0.
#include "execution/bench_groups.hpp"

#include <map>
#include <utility>

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

}  // namespace tocuda
