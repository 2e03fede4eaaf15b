// tocuda, Apache-2.0.
// How the independent starts of a row vary when nothing changes. All values are natural logarithms of seconds.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "model/comparison.hpp"

namespace tocuda {

// Returns whether any time is not above zero or not finite.
bool has_wrong_time(std::span<const Start> starts);
bool has_wrong_time(const History& history);

// The value of a start is the median of its processes, so that one bad process does not move it. Returns nullopt if no
// process counts.
std::optional<double> value_of(const Start& start);
std::vector<double> values_of(std::span<const Start> starts);  // only of starts that have one, in the same order

// The sum of squares about each group's mean, and its degrees of freedom. Independent of order, bit for bit.
struct StartSpread {
    double squares = 0;
    int freedom = 0;

    double deviation() const;  // 0 without degrees of freedom
};
StartSpread pooled(std::vector<std::vector<double>> groups);

// Returns the largest |difference| between the medians of two adjacent blocks of `block` values within one group, in
// order of time: how much a row changed by itself, including drift. 0 if no group holds two blocks.
double largest_step(std::span<const std::vector<double>> groups, std::size_t block);

// Returns the distance from its group's median that only this part of the starts exceeds or reaches; the largest
// distance if that part is less than two starts.
double usual_stray(std::span<const std::vector<double>> groups, double part);

// Returns the variance of the median of n normal values, relative to theirs.
double median_variance(std::size_t count);

}  // namespace tocuda
