// tocuda, Apache-2.0.
#include "model/measurement.hpp"

#include <algorithm>
#include <cstdio>

namespace tocuda {
namespace {

// GPU events have a resolution of half a microsecond, and each sample uses two. Apart from that a real rate stays below
// its peak; a simulated one has noise around it.
constexpr double clock_resolution_s = 1e-6;
constexpr double most_of_peak_real = 1.01;
constexpr double most_of_peak_simulated = 1.10;
// The limit for a single sample, however unsteady the clock. Chosen, not measured. It does not apply to simulated
// samples, because users choose their noise.
constexpr double most_of_peak_by_one = 1.25;

double middle(std::vector<double> seconds) {
    const auto half = seconds.begin() + std::ssize(seconds) / 2;
    std::nth_element(seconds.begin(), half, seconds.end());
    return *half;
}

std::string gigabytes(double bytes_per_second) {
    std::string text(64, '\0');
    const auto size = std::snprintf(text.data(), text.size(), "%.4g GB/s", bytes_per_second / 1e9);
    text.resize(static_cast<std::size_t>(std::max(size, 0)));
    return text;
}

std::string what_is_possible(const Peak& peak, double possible) {
    auto text = "the peak of " + gigabytes(peak.bytes_per_second) + " (" + peak.source + ")";
    if (peak.footprint_bytes == 0) return text;
    return text + " and the " + gigabytes(possible) + " possible when the L2 cache holds " +
           std::to_string(peak.l2_bytes) + " of the " + std::to_string(peak.footprint_bytes) + " bytes accessed";
}

}  // namespace

std::optional<ImpossibleRate> impossible_rate(const MeasurementRow& row) {
    const auto& samples = row.samples;
    const auto& peak = samples.peak;
    if (peak.bytes_per_second <= 0 || samples.seconds.empty() || samples.batch < 1) return std::nullopt;
    const auto possible = highest_possible(peak);
    if (!possible) return std::nullopt;
    const auto counted = counted_by(peak, role_of(row.benchmark), !samples.peer.empty());
    const auto bytes = static_cast<double>(counted == Counted::one_way ? samples.bytes_one_way : samples.bytes_touched);
    const auto rate_of = [&](double seconds) {
        return bytes / (seconds + clock_resolution_s / static_cast<double>(samples.batch));
    };
    const bool simulated = row.device == Device::simulated;
    const auto rate = rate_of(middle(samples.seconds));
    if (rate > (simulated ? most_of_peak_simulated : most_of_peak_real) * *possible)
        return ImpossibleRate{"the median rate of " + gigabytes(rate), what_is_possible(peak, *possible)};
    const auto fastest = rate_of(*std::ranges::min_element(samples.seconds));
    if (simulated || fastest <= most_of_peak_by_one * *possible) return std::nullopt;
    return ImpossibleRate{"a sample's rate of " + gigabytes(fastest), what_is_possible(peak, *possible)};
}

}  // namespace tocuda
