// tocuda, Apache-2.0.
// Least squares of relative misses: (t0 + bytes / bandwidth) / seconds = 1, two unknowns.
#include "statistics/line_fit.hpp"

#include <cmath>
#include <cstdio>
#include <set>

namespace tocuda {
namespace {

constexpr std::size_t fewest_sizes = 3;
constexpr double worst_residual = 0.5;
constexpr double least_growth = 1e-9;  // of the times with the sizes; less is rounding

// The normal equations of rows (1 / seconds, bytes / seconds), with both columns scaled to length 1 because bytes span
// nine orders of magnitude.
struct Equations {
    double length_start = 0;
    double length_slope = 0;
    double crossed = 0;  // the scaled columns' inner product
    double right_start = 0;
    double right_slope = 0;

    double determinant() const { return (1 - crossed) * (1 + crossed); }
};

Equations equations_of(std::span<const SizeTime> points) {
    Equations sums;
    for (const auto& [bytes, seconds] : points) {
        const double start = 1 / seconds;
        const double slope = bytes / seconds;
        sums.length_start += start * start;
        sums.length_slope += slope * slope;
        sums.crossed += start * slope;
        sums.right_start += start;
        sums.right_slope += slope;
    }
    sums.length_start = std::sqrt(sums.length_start);
    sums.length_slope = std::sqrt(sums.length_slope);
    sums.crossed /= sums.length_start * sums.length_slope;
    sums.right_start /= sums.length_start;
    sums.right_slope /= sums.length_slope;
    return sums;
}

double squared_misses(std::span<const SizeTime> points, double t0, double seconds_per_byte) {
    double sum = 0;
    for (const auto& [bytes, seconds] : points) {
        const double miss = (t0 + seconds_per_byte * bytes) / seconds - 1;
        sum += miss * miss;
    }
    return sum;
}

std::string percent(double part) {
    char text[32];
    std::snprintf(text, sizeof text, "%.0f %%", part * 100);
    return text;
}

std::string why_no_points(std::span<const SizeTime> points) {
    std::set<double> sizes;
    for (const auto& [bytes, seconds] : points) {
        if (!(std::isfinite(bytes) && bytes >= 0 && std::isfinite(seconds) && seconds > 0))
            return "a size or a time is invalid";
        sizes.insert(bytes);
    }
    if (sizes.size() >= fewest_sizes) return "";
    return std::to_string(sizes.size()) + (sizes.size() == 1 ? " size" : " sizes") + ": a fit needs 3";
}

}  // namespace

FitOrWhyNot fit_line(std::span<const SizeTime> points) {
    if (const auto why = why_no_points(points); !why.empty()) return {{}, why};
    const auto sums = equations_of(points);
    const double determinant = sums.determinant();
    if (!(determinant > 1e-12)) return {{}, "the times grow in step with the sizes: they show no start-up time"};
    const double t0 = (sums.right_start - sums.crossed * sums.right_slope) / determinant / sums.length_start;
    const double seconds_per_byte =
        (sums.right_slope - sums.crossed * sums.right_start) / determinant / sums.length_slope;
    if (!(t0 > 0)) return {{}, "the start-up time is negative: these sizes do not show it"};
    if (!(seconds_per_byte * sums.length_slope > least_growth))
        return {{}, "the times do not grow with the sizes: they show no bandwidth"};
    const auto count = static_cast<double>(points.size());
    const double squares = squared_misses(points, t0, seconds_per_byte);
    const LineFit fit{t0, 1 / seconds_per_byte, std::sqrt(squares / count)};
    if (fit.residual > worst_residual)
        return {{}, "the times are not a straight line: off by " + percent(fit.residual) + " (root mean square)"};
    // Do not report what the scatter alone could produce.
    const double scatter = std::sqrt(squares / (count - 2) / determinant);
    if (scatter / sums.length_start > t0)
        return {{}, "the start-up time is smaller than its uncertainty: these sizes do not show it"};
    if (scatter / sums.length_slope > seconds_per_byte)
        return {{}, "the bandwidth is smaller than its uncertainty: these sizes do not show it"};
    return {fit, ""};
}

}  // namespace tocuda
