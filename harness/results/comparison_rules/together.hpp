// tocuda, Apache-2.0.
// The GPUs of a machine share its starts: what a boot does to one it may do to all. So all GPUs together are one value
// a start, and no more certain than one of them.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "model/comparison.hpp"

namespace tocuda {

// The median of the logarithms of a GPU's starts; nullopt without any.
std::optional<double> level_of(std::span<const Start> starts);

// Returns the starts of several GPUs as those of one: each has the medians of its GPUs, made level, because GPUs differ
// and one that is missing in a start must not look like a change. `levels` has one for each GPU.
std::vector<Start> together(std::span<const std::vector<Start>> gpus, std::span<const double> levels);

// Returns the valid rows of several GPUs, each measured on both sides, as one row without a history.
ComparedRow together(std::span<const ComparedRow> gpus);

// Estimated from both sides.
ProcessNoise process_noise(std::span<const ComparedRow> gpus);

}  // namespace tocuda
