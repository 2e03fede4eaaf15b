// tocuda, Apache-2.0.
// Adjacent busy times are merged into one stretch.
#include "runtime/lane.hpp"

#include <algorithm>
#include <iterator>

namespace tocuda::simulator {
namespace {

constexpr std::size_t stretches_kept = 64;  // beyond this, past stretches are dropped

}  // namespace

double Lane::free_from(double from, double seconds) const {
    double start = from;
    auto next = busy.upper_bound(from);
    if (next != busy.begin()) start = std::max(start, std::prev(next)->second);
    for (; next != busy.end() && next->first < start + seconds; ++next) start = std::max(start, next->second);
    return start;
}

void Lane::take(double start, double seconds, double now) {
    if (busy.size() > stretches_kept) std::erase_if(busy, [now](const auto& stretch) { return stretch.second < now; });
    auto stretch = busy.emplace(start, start + seconds).first;
    if (stretch != busy.begin()) {
        const auto before = std::prev(stretch);
        if (before->second >= start) {
            before->second = std::max(before->second, start + seconds);
            busy.erase(stretch);
            stretch = before;
        }
    }
    const auto after = std::next(stretch);
    if (after == busy.end() || after->first > stretch->second) return;
    stretch->second = std::max(stretch->second, after->second);
    busy.erase(after);
}

}  // namespace tocuda::simulator
