// tocuda, Apache-2.0.
// Whether a sustained measurement kept its speed to the end.
#pragma once

#include <string>
#include <vector>

#include "model/benchmark.hpp"
#include "model/summary.hpp"

namespace tocuda {

// The first and the last so many seconds are compared, by their medians; with fewer than twice as many nothing is said.
inline constexpr std::size_t seconds_compared = 10;
// Less is not called a change. Chosen, not measured: below it are the steps of a GPU's clock.
inline constexpr double least_change_of_speed = 0.02;

// Returns a flag such as "slower at the end: the last 10 s are 7.0 % below the first 10 s; SM clock 1980 to 1755 MHz".
// Empty if these are no samples of a sustained measurement, or too few.
std::string holding(const Samples& samples);

std::vector<CourseSecond> course_of(const Samples& samples);

}  // namespace tocuda
