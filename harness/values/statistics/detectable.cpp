// tocuda, Apache-2.0.
// Computes the power by integrating over the error of the estimated spread, and searches for the change that reaches
// it.
#include "statistics/detectable.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "statistics/distributions.hpp"

namespace tocuda {
namespace {

// The error of an estimated spread: S / s at equidistant points, and the probability of each.
struct Mistaken {
    double ratio;
    double weight;
};

std::vector<Mistaken> mistaken_spreads(double freedom) {
    constexpr int points = 400;
    const double width = std::min(12 / std::sqrt(2 * freedom), 6.0);  // in S / s: twelve of its deviations, or nearly
    const double from = std::max(0.0, 1 - width);
    const double step = (1 + width - from) / points;
    std::vector<Mistaken> spreads;
    double sum = 0;
    for (int i = 0; i < points; ++i) {
        const double ratio = from + (i + 0.5) * step;
        // Density of a chi variable over the root of its degrees of freedom, up to a factor that cancels.
        const double weight = std::exp((freedom - 1) * std::log(ratio) - freedom * (ratio * ratio - 1) / 2);
        spreads.push_back({ratio, weight});
        sum += weight;
    }
    for (auto& spread : spreads) spread.weight /= sum;
    return spreads;
}

}  // namespace

double detectable_change(double log_spread, int processes, const Question& question) {
    if (processes < 2 || !(log_spread >= 0) || question.family < 1)
        throw std::invalid_argument("a comparison needs at least two processes a side");
    const double margin = std::log1p(question.margin);
    const double error = log_spread * std::sqrt(2.0 / processes);
    if (error == 0) return question.margin;
    const double freedom = 2.0 * (processes - 1);
    const double critical = student_quantile(1 - question.level / 2 / question.family, freedom);
    const auto spreads = mistaken_spreads(freedom);
    const auto power = [&](double difference) {
        double sum = 0;
        for (const auto& [ratio, weight] : spreads)
            sum += weight * normal_cumulative((difference - std::max(margin, critical * error * ratio)) / error);
        return sum;
    };
    double low = margin;
    double high = margin + error;
    while (power(high) < question.power) high *= 2;
    for (int i = 0; i < 60; ++i) {
        const double middle = (low + high) / 2;
        (power(middle) < question.power ? low : high) = middle;
    }
    return std::expm1(high);
}

std::optional<double> detectable_change(std::span<const double> process_medians, const Question& question) {
    if (process_medians.size() < 2) return std::nullopt;
    if (!std::all_of(process_medians.begin(), process_medians.end(),
                     [](double value) { return value > 0 && std::isfinite(value); }))
        return std::nullopt;
    double mean = 0;
    for (const double value : process_medians) mean += std::log(value);
    const auto count = static_cast<double>(process_medians.size());
    mean /= count;
    double squares = 0;
    for (const double value : process_medians) squares += (std::log(value) - mean) * (std::log(value) - mean);
    return detectable_change(std::sqrt(squares / (count - 1)), static_cast<int>(process_medians.size()), question);
}

}  // namespace tocuda
