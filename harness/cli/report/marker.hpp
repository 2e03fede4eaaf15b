// tocuda, Apache-2.0.
// The shapes of markers, as path data around a point.
#pragma once

#include <cstddef>
#include <string>

namespace tocuda::page {

// Circle, square, triangle, diamond, triangle down, cross: one for each look of a curve.
std::string marker_path(std::size_t look, double x, double y);

}  // namespace tocuda::page
