// tocuda, Apache-2.0.
// How the independent starts of one row vary where nothing was changed. All values are natural logarithms of seconds.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "model/comparison.hpp"

namespace tocuda {

// Whether any time is none: not above zero, or not finite.
bool has_wrong_time(std::span<const Start> starts);
bool has_wrong_time(const History& history);

// A start is worth the median of its processes: one bad process does not move it. None where no process counts.
std::optional<double> value_of(const Start& start);
std::vector<double> values_of(std::span<const Start> starts);  // of those that have one, in their order

// The sum of squares about each group's own mean, and its degrees of freedom. The order of groups, and within them, changes no bit.
struct StartSpread {
    double squares = 0;
    int freedom = 0;

    double deviation() const;  // 0 where there is no freedom
};
StartSpread pooled(std::vector<std::vector<double>> groups);

// The largest |difference| between the medians of two adjacent blocks of `block` values within one group, in the order of time: what a row has
// done while nothing was changed, drift included. 0 where no group holds two blocks.
double largest_step(std::span<const std::vector<double>> groups, std::size_t block);

// How far from its group's median a start strays that is farther out than all but this part of them; the farthest, where that is less than two.
double usual_stray(std::span<const std::vector<double>> groups, double part);

// The variance of the median of n normal values, as a part of theirs.
double median_variance(std::size_t count);

}  // namespace tocuda
