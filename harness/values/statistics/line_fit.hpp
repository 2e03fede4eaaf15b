// tocuda, Apache-2.0.
// Fits seconds = t0 + bytes / bandwidth to the times of several sizes. Minimises the squares of the *relative* misses,
// so that 4 bytes count as much as 4 GiB.
#pragma once

#include <optional>
#include <span>
#include <string>

namespace tocuda {

struct SizeTime {
    double bytes = 0;
    double seconds = 0;
};

struct LineFit {
    double t0_seconds = 0;
    double bytes_per_second = 0;
    double residual = 0;  // root mean square of the relative misses

    // The size at which half of the bandwidth is reached.
    double half_bandwidth_bytes() const { return t0_seconds * bytes_per_second; }
};

// A fit, or why there is none: fewer than three sizes, or times that do not determine a start-up time and a bandwidth.
struct FitOrWhyNot {
    std::optional<LineFit> fit{};
    std::string because{};
};
FitOrWhyNot fit_line(std::span<const SizeTime> points);

}  // namespace tocuda
